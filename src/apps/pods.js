import { cut, el, imageNode, link, safeUrl, shortened, words } from './content.js';

/** Limits of pods, of parts in all pods together, and of their text, so that the page stays usable. */
const mostPods = 100;
const mostParts = 500;
const longestText = 200_000;

/** Limit of the text of one part. */
const longestPart = 2000;

/** Limits of suggestions: their number and length. */
const mostSuggestions = 10;
const longestSuggestion = 200;

/**
 * Pods of Wolfram|Alpha as sections: a title, and a picture or text for each part. Undefined without pods.
 *
 * @param {unknown} pods
 * @param {(url: string) => boolean} mayLoad Reports if a picture may be loaded. Other pictures become text and a link.
 * @param {(input: string) => void} [onState] Changes the state of a pod. Without it, states are not shown.
 */
export function podNodes(app, pods, mayLoad, onState) {
  const room = { parts: mostParts, text: longestText };
  const nodes = [];
  let isCut = false;
  for (const pod of listed(pods)) {
    const parts = [];
    isCut ||= nodes.length === mostPods;
    for (const subpod of listed(pod?.subpods)) {
      isCut ||= room.parts <= 0 || room.text <= 0;
      if (isCut) break;
      parts.push(...partNodes(app, subpod, { mayLoad, room, name: short(pod.title) }));
    }
    if (parts.length > 0) nodes.push(podNode(pod, [...parts, ...stateNodes(pod.states, onState)]));
    if (isCut) break;
  }
  return isCut ? [...nodes, el('p', {}, shortened)] : nodes;
}

/** Suggested queries of Wolfram|Alpha without duplicates. */
export function suggestionsOf(didYouMean) {
  const all = listed(didYouMean).slice(0, 1000).map(words);
  const sound = all.filter((text) => text !== '' && text.length <= longestSuggestion);
  return [...new Set(sound)].slice(0, mostSuggestions);
}

/** Limit of choices in one list. */
const mostChoices = 20;

/** The valid choices of a list, each with a name and the input that a query repeats. */
function choicesIn(list) {
  const isWhole = ({ name, input } = {}) => words(name) !== '' && words(input) !== '';
  return listed(list)
    .slice(0, mostChoices)
    .filter((one) => isWhole(one ?? undefined));
}

function choiceNodes(choices, onChoice) {
  const button = ({ name, input }) =>
    el(
      'li',
      {},
      el('button', { type: 'button', class: 'choice', onclick: () => onChoice(words(input)) }, short(name)),
    );
  return el('ul', { class: 'choices' }, ...choices.map(button));
}

function stateNodes(states, onState) {
  const choices = onState ? choicesIn(states) : [];
  return choices.length > 0 ? [choiceNodes(choices, onState)] : [];
}

/**
 * Assumptions of Wolfram|Alpha about words of the query, with the other meanings. `onChoice` takes the input of another
 * meaning; without it, they are text.
 */
export function assumptionNodes(assumptions, onChoice) {
  return listed(assumptions)
    .slice(0, mostChoices)
    .flatMap((one) => {
      const [assumed, ...others] = choicesIn(one?.choices);
      if (!assumed || others.length === 0) return [];
      const word = short(one.word);
      const text = `Assuming ${word ? `“${word}” is ` : ''}${short(assumed.name)}. Use instead:`;
      const names = others.map(({ name }) => short(name)).join(', ');
      if (!onChoice) return [el('p', {}, `${text} ${names}`)];
      return [el('p', {}, text), choiceNodes(others, onChoice)];
    });
}

function podNode(pod, parts) {
  const title = el('h2', {}, short(pod.title) || 'Result');
  return el(
    'section',
    { class: 'card pod', 'data-primary': pod.primary === true ? '' : undefined },
    title,
    ...parts,
  );
}

function partNodes(app, subpod, { mayLoad, room, name }) {
  const title = short(subpod?.title);
  const text = cut(words(subpod?.plaintext), longestPart);
  const picture = subpod?.img?.src;
  const hasPicture = typeof picture === 'string';
  if (!title && !text && !hasPicture) return [];

  room.parts -= 1;
  room.text -= title.length + text.length;
  const heading = title ? [el('h3', {}, title)] : [];
  const paragraph = () => (text ? [el('p', {}, text)] : []);
  if (!hasPicture) return [...heading, ...paragraph()];

  const instead = () => el('div', { class: 'content' }, ...paragraph(), ...pictureLink(app, picture));
  const label = short(subpod.img.alt) || text || title || name;
  return [...heading, imageNode(label, picture, { app, mayLoad, instead })];
}

function pictureLink(app, address) {
  const url = safeUrl(address);
  return url ? [el('p', {}, link(app, `Open the picture at ${url.hostname}`, url.href))] : [];
}

const listed = (value) => (Array.isArray(value) ? value : []);

const short = (value) => words(value).slice(0, longestPart);
