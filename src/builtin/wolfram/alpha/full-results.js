import { acceptsJson, ask } from '../services/ask.js';
import { parseAnswer } from '../services/keys.js';
import { addressAt, services } from '../services/services.js';
import { isAlpha } from './images.js';

/** Limits that keep a page usable. */
const mostPods = 100;
const mostSubpods = 50;
const mostSuggestions = 10;
const mostChoices = 20;
const longest = {
  title: 500,
  text: 2000,
  address: 4000,
  suggestion: 200,
  input: 500,
  answer: 4 * 1024 * 1024,
};

/** Keys that the service refused. An AppID can be valid for one service only. */
const refused = new Set();

/**
 * Content of the viewer in addition to the text: pods, and suggestions for a query that the service did not understand.
 * @returns undefined without either, also after a failure. @see https://products.wolframalpha.com/api/documentation
 */
export async function askForView({ query, assumption, podstate }, { key, options, signal }) {
  if (refused.has(key.value)) return undefined;
  try {
    const url = addressAt(services.full, 'v2/query', {
      input: query,
      format: 'plaintext,image',
      output: 'json',
      ...(options.Units && { units: options.Units }),
      ...(options.Location && { location: options.Location }),
      assumption,
      podstate,
      appid: key.value,
    });
    const seconds = options.TimeConstraint;
    const { text, isCut } = await ask(services.full, url, {
      key,
      headers: { accept: 'application/json' },
      longest: longest.answer,
      seconds,
      signal,
      accepts: acceptsJson,
    });
    if (isCut) return undefined;
    const result = parseAnswer(text, key)?.queryresult;
    if (isKeyFault(result)) refused.add(key.value);
    const pods = podsOf(result?.pods);
    const didYouMean = suggestionsOf(result?.didyoumeans);
    if (pods.length === 0 && didYouMean.length === 0) return undefined;
    const assumptions = assumptionsOf(result?.assumptions);
    return {
      ...(pods.length > 0 && { pods }),
      ...(pods.length > 0 && assumptions.length > 0 && { assumptions }),
      ...(didYouMean.length > 0 && { didYouMean }),
    };
  } catch (error) {
    if (error.status === 401 || error.status === 403) refused.add(key.value);
    return undefined;
  }
}

/** Error 1: invalid AppID, error 2: missing AppID. @see https://products.wolframalpha.com/api/documentation, Errors */
function isKeyFault(result) {
  return ['1', '2'].includes(String(result?.error?.code));
}

/** Pods for the viewer. Skips invalid ones. */
export function podsOf(value) {
  return list(value, mostPods).map((pod) => ({
    title: text(pod.title, longest.title) ?? 'Result',
    ...(text(pod.id, longest.title) && { id: text(pod.id, longest.title) }),
    ...(pod.primary === true && { primary: true }),
    ...withStates(pod.states),
    subpods: list(pod.subpods, mostSubpods).map(subpodOf),
  }));
}

/** The states that a pod can change to, such as "More digits", also out of lists such as units. */
function withStates(value) {
  const states = choicesOf(
    list(value, mostChoices).flatMap((one) => [one, ...list(one.states, mostChoices)]),
    'name',
  );
  return states.length > 0 ? { states } : {};
}

/**
 * Meanings of a word in the query, the assumed one first. The service sends a single assumption without a list.
 * @see https://products.wolframalpha.com/api/documentation, The <assumptions> element
 */
export function assumptionsOf(value) {
  return list(Array.isArray(value) ? value : [value], mostChoices).flatMap(({ word, values }) => {
    const choices = choicesOf(list(Array.isArray(values) ? values : [values], mostChoices), 'desc');
    if (choices.length < 2) return [];
    return [{ ...(text(word, longest.title) && { word: text(word, longest.title) }), choices }];
  });
}

/** Choices by the input that a query for them repeats. */
function choicesOf(values, label) {
  return values.flatMap(({ [label]: name, input }) =>
    typeof name === 'string' &&
    name !== '' &&
    typeof input === 'string' &&
    input !== '' &&
    input.length <= longest.input
      ? [{ name: name.slice(0, longest.title), input }]
      : [],
  );
}

/** Suggested queries without duplicates. The service sends a single one without a list. */
export function suggestionsOf(value) {
  const all = list(Array.isArray(value) ? value : [value], mostSuggestions);
  const texts = all.map(({ val }) => (typeof val === 'string' ? val.trim() : ''));
  return [...new Set(texts.filter((one) => one !== '' && one.length <= longest.suggestion))];
}

function subpodOf({ title, plaintext, img }) {
  const picture = imageOf(img);
  return {
    title: text(title, longest.title) ?? '',
    plaintext: text(plaintext, longest.text) ?? '',
    ...(picture && { img: picture }),
  };
}

function imageOf(img) {
  const src = img?.src;
  if (typeof src !== 'string' || src.length > longest.address || !isAlpha(src)) return undefined;
  const size = (value) => (Number.isFinite(value) && value > 0 && value < 100_000 ? value : undefined);
  const { width, height } = { width: size(img.width), height: size(img.height) };
  return { src, alt: text(img.alt, longest.text) ?? '', ...(width && { width }), ...(height && { height }) };
}

function list(value, most) {
  if (!Array.isArray(value)) return [];
  return value.slice(0, most).filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
}

function text(value, most) {
  return typeof value === 'string' ? value.slice(0, most) : undefined;
}
