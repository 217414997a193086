import { ask, parseAnswer } from './ask.js';
import { isAlpha } from './images.js';
import { addressAt, services } from './services.js';

const accepts = Object.assign((type) => type === 'application/json' || type.startsWith('text/'), {
  wanted: 'JSON',
});

/** A page bears only so much. */
const mostPods = 100;
const mostSubpods = 50;
const longest = { title: 500, text: 2000, address: 4000, answer: 4 * 1024 * 1024 };

/** Keys that the service does not take: an AppID may be good for one service only. */
const refused = new Set();

/**
 * The answer to a query as pods, for the viewer.
 * @returns undefined if there are none, for whatever reason. @see https://products.wolframalpha.com/api/documentation
 */
export async function askForPods(query, { key, options, signal }) {
  if (refused.has(key.value)) return undefined;
  try {
    const url = addressAt(services.full, 'v2/query', {
      input: query,
      format: 'plaintext,image',
      output: 'json',
      ...(options.Units && { units: options.Units }),
      ...(options.Location && { location: options.Location }),
      appid: key.value,
    });
    const seconds = options.TimeConstraint;
    const { text, isCut } = await ask(services.full, url, {
      key,
      headers: { accept: 'application/json' },
      longest: longest.answer,
      seconds,
      signal,
      accepts,
    });
    if (isCut) return undefined;
    const result = parseAnswer(text, key)?.queryresult;
    if (isKeyFault(result)) refused.add(key.value);
    const pods = podsOf(result?.pods);
    return pods.length > 0 ? pods : undefined;
  } catch (error) {
    if (error.status === 401 || error.status === 403) refused.add(key.value);
    return undefined;
  }
}

/** 1: invalid AppID, 2: none. @see https://products.wolframalpha.com/api/documentation, Errors */
function isKeyFault(result) {
  return ['1', '2'].includes(String(result?.error?.code));
}

/** What the viewer shows of pods: whatever came, what is no pod is left out. */
export function podsOf(value) {
  return list(value, mostPods).map((pod) => ({
    title: text(pod.title, longest.title) ?? 'Result',
    ...(text(pod.id, longest.title) && { id: text(pod.id, longest.title) }),
    ...(pod.primary === true && { primary: true }),
    subpods: list(pod.subpods, mostSubpods).map(subpodOf),
  }));
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
