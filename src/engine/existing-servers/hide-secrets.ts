import { isString } from '../base/value-checks.js';
import { findSecretEnding, isSecret, isSecretHeader, splitAddress } from '../extension/upstream-secrets.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  InputValues,
  ServerInput,
  ServerTemplate,
  TextTemplate,
} from './existing-server.js';

/** An existing server without the secrets that its source contains. */
export interface HiddenSecrets {
  /** Inputs are in the places of the secrets. */
  readonly server: ExistingServer;
  /** The secrets, by input id. */
  readonly values: InputValues;
}

/** `{arg:token}`: the place of an input in a URL or a command. */
const place = /\{arg:([\w.-]+)\}/;

/** Template of a text with places of inputs. */
export function readPlaces(text: string): TextTemplate {
  const parts = text.split(new RegExp(place, 'g'));
  const read = parts.map((part, index) => (index % 2 === 1 ? { input: part } : part));
  return read.length === 1 ? [text] : read.filter((part) => part !== '');
}

/** Inputs that texts have places for. All are secrets. */
export function inputsOfPlaces(texts: readonly string[]): readonly ServerInput[] {
  const names = texts.flatMap((text) => [...text.matchAll(new RegExp(place, 'g'))].map(([, name]) => name!));
  return [...new Set(names)].map((name) => secretInput('arg', name, name));
}

/**
 * Replaces secrets in the URL, the arguments, the variables and the headers of a server by inputs. No record and no command
 * line of AgentTools contains them. `shown`: the URL or the command that leads to the server, without secrets.
 */
export function hideSecrets(server: ExistingServer, shown: string | undefined): HiddenSecrets {
  const inputs = new InputsOfSecrets(server.inputs);
  const template = hideInTemplate(server.template, inputs);
  if (inputs.added.length === 0) return { server, values: {} };
  const isOwnText = server.source === 'url' || server.source === 'command';
  return {
    server: {
      ...server,
      template,
      inputs: [...server.inputs, ...inputs.added],
      ...(isOwnText && shown !== undefined && { reference: shown }),
    },
    values: Object.fromEntries(inputs.values),
  };
}

/** An address with places of inputs instead of its secrets. */
export function shownUrl(url: string): string {
  return write(hideInAddress(url, new InputsOfSecrets([])));
}

/** A command line with places of inputs instead of its secrets. */
export function shownWords(words: readonly string[]): string {
  return shownWordList(words).join(' ');
}

/** The words of a command line with places of inputs instead of secrets. */
export function shownWordList(words: readonly string[]): readonly string[] {
  const inputs = new InputsOfSecrets([]);
  return words.map((word, index) => write(hideInWord(word, words[index - 1], inputs)));
}

/** A secret in a command line or an address. */
export interface PlacedSecret {
  /** Name of its place, `{arg:name}`. */
  readonly place: string;
  readonly value: string;
}

/** The secrets in an address, with the places of {@link shownUrl}. */
export function secretsInUrl(url: string): readonly PlacedSecret[] {
  const inputs = new InputsOfSecrets([]);
  hideInAddress(url, inputs);
  return [...inputs.values].map(([place, value]) => ({ place, value }));
}

/** The secrets at the ends of words, with the places of {@link shownWordList}. */
export function secretsInWords(
  words: readonly string[],
): readonly (PlacedSecret & { readonly index: number })[] {
  const inputs = new InputsOfSecrets([]);
  return words.flatMap((word, index) => {
    const end = hideInWord(word, words[index - 1], inputs).at(-1);
    if (end === undefined || isString(end)) return [];
    return [{ index, place: end.input, value: inputs.values.get(end.input)! }];
  });
}

function write(text: TextTemplate): string {
  return text.map((part) => (isString(part) ? part : `{arg:${part.input}}`)).join('');
}

/** Collects the inputs in the places of secrets. */
class InputsOfSecrets {
  readonly added: ServerInput[] = [];
  readonly values = new Map<string, string>();
  readonly #ids: Set<string>;

  constructor(present: readonly ServerInput[]) {
    this.#ids = new Set(present.map(({ id }) => id));
  }

  add(givenBy: ServerInput['givenBy'], name: string, value: string): { readonly input: string } {
    const plain = givenBy === 'arg' ? name.replace(/[^\w.-]/g, '_') || 'secret' : name;
    const id = givenBy === 'arg' ? this.#freeId(plain) : `${givenBy}:${name}`;
    this.#ids.add(id);
    this.values.set(id, value);
    this.added.push(secretInput(givenBy, id, givenBy === 'arg' ? id : name));
    return { input: id };
  }

  #freeId(name: string): string {
    let id = name;
    for (let number = 2; this.#ids.has(id); number += 1) id = `${name}${number}`;
    return id;
  }
}

function secretInput(givenBy: ServerInput['givenBy'], id: string, name: string): ServerInput {
  return { id, givenBy, name, isRequired: true, isSecret: true, isRepeated: false, format: 'string' };
}

function hideInTemplate(template: ServerTemplate, inputs: InputsOfSecrets): ServerTemplate {
  if (template.kind === 'bundle') return template;
  if (template.kind === 'remote') {
    const url = template.url.flatMap((part) => (isString(part) ? hideInAddress(part, inputs) : [part]));
    return { ...template, url, headers: hideValues(template.headers, 'header', isSecretHeader, inputs) };
  }
  return {
    ...template,
    args: hideInArguments(template.args, inputs),
    env: hideValues(template.env, 'env', isSecret, inputs),
  };
}

function hideInAddress(url: string, inputs: InputsOfSecrets): TextTemplate {
  return joinTexts(
    splitAddress(url).map((part) => (isString(part) ? part : inputs.add('arg', part.name, part.value))),
  );
}

/** Joins neighbouring texts. */
function joinTexts(parts: TextTemplate): TextTemplate {
  const joined: TextTemplate[number][] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isString(part) && isString(last)) joined.splice(-1, 1, last + part);
    else joined.push(part);
  }
  return joined;
}

function hideInArguments(
  args: readonly ArgumentTemplate[],
  inputs: InputsOfSecrets,
): readonly ArgumentTemplate[] {
  let before: string | undefined;
  return args.map((argument) => ({
    ...argument,
    words: argument.words.map((word) => {
      const [text, ...others] = word;
      const hidden = isString(text) && others.length === 0 ? hideInWord(text, before, inputs) : word;
      before = isString(text) ? text : undefined;
      return hidden;
    }),
  }));
}

function hideInWord(word: string, before: string | undefined, inputs: InputsOfSecrets): TextTemplate {
  const secret = findSecretEnding(word, before);
  if (!secret) return [word];
  const start = word.slice(0, secret.start);
  const input = inputs.add('arg', secret.name, word.slice(secret.start));
  return start === '' ? [input] : [start, input];
}

/** Replaces literal values of variables or headers. */
function hideValues(
  texts: Readonly<Record<string, TextTemplate>>,
  givenBy: 'env' | 'header',
  isHidden: (name: string, value: string) => boolean,
  inputs: InputsOfSecrets,
): Readonly<Record<string, TextTemplate>> {
  const hidden = Object.entries(texts).map(([name, text]): readonly [string, TextTemplate] => {
    const [value, ...others] = text;
    const isLiteral = isString(value) && others.length === 0;
    return [name, isLiteral && isHidden(name, value) ? [inputs.add(givenBy, name, value)] : text];
  });
  return Object.fromEntries(hidden);
}
