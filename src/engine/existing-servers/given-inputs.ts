import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { hasSecretReference } from '../base/secret-reference.js';
import { visibleLine } from '../base/visible-text.js';
import type { ExistingServer, InputValues, ServerInput } from './existing-server.js';

/** A name with its value. Its value may be a secret. */
export interface GivenPair {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** Values that the user has given by options. */
export interface GivenOptions {
  /** By `--env`. */
  readonly env: readonly GivenPair[];
  /** By `--arg`: `name=value` for a declared input, else an argument. */
  readonly args: readonly string[];
  /** By `--header`. */
  readonly headers: readonly GivenPair[];
}

/** Given values, by declared inputs, and those that no input declares. */
export interface GivenValues {
  readonly values: InputValues;
  readonly extra: GivenOptions;
}

/** Reads the words of `--header`: `Name: value`. @throws AgentToolsError `usage` */
export function readHeaders(words: readonly string[]): readonly GivenPair[] {
  return words.map((word) => {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
      const message = `${JSON.stringify(word.slice(0, 20))} is not a header. Expected: --header "Name: value"`;
      throw new AgentToolsError('usage', message);
    }
    return { name, value, isSecret: isSecretHeader(name) && !hasSecretReference(value) };
  });
}

/** Headers with credentials. */
export function isSecretHeader(name: string): boolean {
  return /^(?:authorization|proxy-authorization|cookie)$|key|token|secret|passw|credential/i.test(name);
}

/** Folders that relative paths start from. */
export interface PathBase {
  /** Folder of relative paths. */
  readonly cwd: string;
  /** Folder of `~`. */
  readonly home: string;
}

/** Assigns given values to the inputs of a server. Paths become absolute, since clients start programs in other folders. */
export function assignInputs(
  { inputs }: Pick<ExistingServer, 'inputs'>,
  given: GivenOptions,
  base: PathBase,
): GivenValues {
  const values = new Map<string, string | readonly string[]>();
  const set = (input: ServerInput, text: string): void => {
    const value = toInputValue(input, text, base);
    const held = values.get(input.id);
    values.set(input.id, input.isRepeated ? [...[held ?? []].flat(), value] : value);
  };
  const take = (givenBy: 'env' | 'header', pairs: readonly GivenPair[]) =>
    pairs.filter(({ name, value }) => {
      const input = inputs.find((one) => one.givenBy === givenBy && isSameName(one, name));
      if (input) set(input, value);
      return !input;
    });
  const positional = inputs.filter((one) => one.givenBy === 'arg' && !one.name.startsWith('-'));
  const args = given.args.filter((word) => {
    const named = readNamed(word, inputs);
    const next = named ? undefined : positional.find((one) => one.isRepeated || !values.has(one.id));
    if (named) set(named.input, named.value);
    else if (next) set(next, word);
    return !named && !next;
  });
  const extra = { env: take('env', given.env), headers: take('header', given.headers), args };
  return { values: Object.fromEntries(values), extra };
}

/** A given text as the value of an input. Paths become absolute. */
export function toInputValue({ format }: ServerInput, text: string, { cwd, home }: PathBase): string {
  if ((format !== 'file' && format !== 'folder') || text === '') return text;
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text) || hasSecretReference(text)) return text;
  return /^~(?=$|[\\/])/.test(text) ? path.join(home, text.slice(1)) : path.resolve(cwd, text);
}

/** Names of headers are not case-sensitive. */
function isSameName({ name, givenBy }: ServerInput, given: string): boolean {
  return givenBy === 'header' ? name.toLowerCase() === given.toLowerCase() : name === given;
}

/** `name=value` of a declared argument, with or without the dashes of the name. */
function readNamed(
  word: string,
  inputs: readonly ServerInput[],
): { readonly input: ServerInput; readonly value: string } | undefined {
  const equals = word.indexOf('=');
  if (equals === -1) return undefined;
  const name = word.slice(0, equals);
  const input = inputs.find(
    (one) => one.givenBy === 'arg' && (one.name === name || one.name.replace(/^-+/, '') === name),
  );
  return input && { input, value: word.slice(equals + 1) };
}

/**
 * Adds defaults to given values.
 * @throws AgentToolsError with all missing and invalid values, each with its option
 */
export function completeInputs({ inputs }: Pick<ExistingServer, 'inputs'>, given: InputValues): InputValues {
  const faults: string[] = [];
  const values = new Map<string, string | readonly string[]>();
  for (const input of inputs) {
    const value = Object.hasOwn(given, input.id) ? given[input.id] : input.default;
    const texts = [value ?? []].flat().filter((text) => text !== '');
    if (texts.length === 0) {
      if (input.isRequired) faults.push(`${describeMissing(input)}`);
      continue;
    }
    for (const text of texts) {
      const fault = findFault(input, text);
      if (fault !== undefined) faults.push(`${optionOf(input)}: ${fault}`);
    }
    values.set(input.id, input.isRepeated ? texts : texts[0]!);
  }
  if (faults.length === 0) return Object.fromEntries(values);
  throw new AgentToolsError(
    'refused',
    `The server needs other inputs:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
  );
}

/** The option that gives an input: `--env API_KEY`. */
export function optionOf({ givenBy, name }: Pick<ServerInput, 'givenBy' | 'name'>): string {
  return `--${givenBy} ${visibleLine(name)}`;
}

function describeMissing(input: ServerInput): string {
  const { givenBy, description, choices, placeholder } = input;
  const value = choices ? choices.join('|') : (placeholder ?? 'value');
  const example = givenBy === 'header' ? `: <${value}>"` : `=<${value}>`;
  const option = givenBy === 'header' ? `--header "${visibleLine(input.name)}` : optionOf(input);
  const why = description === undefined ? '' : `  ${visibleLine(description)}`;
  return `${option}${visibleLine(example)} is missing.${why}`;
}

/** Reason against a value; undefined if it fits. Contains the value only if it cannot be a secret. */
export function findFault(
  { choices, format, min, max, isSecret }: ServerInput,
  value: string,
): string | undefined {
  const shown = isSecret ? 'its value' : JSON.stringify(value);
  if (choices && !choices.includes(value)) return `${shown} is not one of ${choices.join(', ')}.`;
  if (format === 'boolean' && !['true', 'false'].includes(value))
    return `${shown} is neither true nor false.`;
  if (format !== 'number') return undefined;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return `${shown} is not a number.`;
  if (min !== undefined && number < min) return `${shown} is below ${min}.`;
  return max !== undefined && number > max ? `${shown} is above ${max}.` : undefined;
}
