import path from 'node:path';
import { statFile } from '../base/files/disk.js';
import { looksSecret } from '../base/looks-secret.js';
import { isString, type UnknownRecord } from '../base/value-checks.js';
import { toVariableName } from '../base/variable-name.js';
import { textsIn } from '../extension/check-upstream.js';
import { findSecretEnding, isSecret, isSecretHeader, splitAddress } from '../extension/upstream-secrets.js';
import { replaceVariables } from '../extension/variables.js';

interface SecretOptions {
  /** Name of the server, for variables that have no other name. */
  readonly server: string;
  /** True for a definition that is published: every value that may be a secret counts as one. */
  readonly isPublished: boolean;
  /** Returns the reference to a variable with a value. */
  readonly refer: (variable: string, value: string) => string;
}

/** The secret at the end of a text. */
interface SecretText {
  /** Name of a variable for it. */
  readonly name: string;
  readonly start: number;
}

/**
 * Replaces literal secrets of an endpoint by variables. The word before a token of a header, the flag of an argument, and
 * the other parts of an address stay.
 */
export function withoutSecrets(endpoint: UnknownRecord, options: SecretOptions): UnknownRecord {
  const { refer, server } = options;
  const changed = structuredClone(endpoint) as Record<string, Record<string | number, string>>;
  // Variables of the server keep their names.
  const texts = [...textsIn(endpoint)].sort(
    (a, b) => Number(b.path[0] === 'env') - Number(a.path[0] === 'env'),
  );
  for (const { path: place, text } of texts) {
    const [key, name = ''] = place;
    if (key === 'url') Object.assign(changed, { url: withoutAddressSecrets(text, options) });
    const secret = findSecret({ key: String(key), name, text, endpoint }, options);
    if (!secret) continue;
    // One letter is no name.
    const words = secret.name.length > 1 ? secret.name : `${server} ${secret.name || generalName(text)}`;
    const variable = key === 'env' ? String(name) : toVariableName(words);
    changed[String(key)]![name] = text.slice(0, secret.start) + refer(variable, text.slice(secret.start));
  }
  return changed;
}

/** Last part of the name of a variable without another name. */
function generalName(text: string): string {
  return isAddress(text) ? 'url' : 'token';
}

interface EndpointText {
  readonly key: string;
  readonly name: string | number;
  readonly text: string;
  readonly endpoint: UnknownRecord;
}

function findSecret(
  { key, name, text, endpoint }: EndpointText,
  { isPublished }: SecretOptions,
): SecretText | undefined {
  const literal = literalOf(text);
  if (key === 'env') {
    const isFound =
      isSecret(String(name), text) || (isPublished && mayBeSecret(String(name), literal, isWord));
    return isFound ? { name: String(name), start: 0 } : undefined;
  }
  if (key === 'headers') return findInHeader(String(name), text, isPublished);
  if (key !== 'args' || !Array.isArray(endpoint.args) || isExistingPath(text)) return undefined;
  const before: unknown = endpoint.args[Number(name) - 1];
  const found = findSecretEnding(text, isString(before) ? before : undefined);
  return found ?? (isPublished ? findInArgument(text, isString(before) ? before : '') : undefined);
}

/** Paths of caches have random parts. */
function isExistingPath(text: string): boolean {
  return path.isAbsolute(text) && statFile(text) !== undefined;
}

function findInHeader(name: string, text: string, isPublished: boolean): SecretText | undefined {
  const [scheme = ''] = /^(?:Basic|Bearer|Token)\s+/i.exec(text) ?? [];
  const literal = literalOf(text.slice(scheme.length));
  if (!isSecretHeader(name, text) && !(isPublished && mayBeSecret(name, literal, isWord))) return undefined;
  return { name: /^authorization$/i.test(name) ? '' : name, start: scheme.length };
}

/** `--flag=value`, `NAME=value` */
const assignment = /^(-{0,2}[A-Za-z_][\w.-]*)=(?!=)/;

function findInArgument(text: string, before: string): SecretText | undefined {
  const [start = '', flag] = assignment.exec(text) ?? [];
  const isValue = /^--?[\w-]+$/.test(before) && !text.startsWith('-');
  const name = flag ?? (isValue ? before : '');
  const value = literalOf(text.slice(start.length));
  const isFound = /^-[pP]$/.test(name)
    ? !isNumber(value) && value !== ''
    : mayBeSecret(name, value, /^-?-?us(?:er)?$|^-u$/.test(name) ? isWord : isPlain);
  return isFound ? { name: name.replace(/^-+/, ''), start: start.length } : undefined;
}

/** Replaces the secrets of an address, which may contain variables. */
function withoutAddressSecrets(url: string, { server, isPublished, refer }: SecretOptions): string {
  const references: string[] = [];
  const masked = replaceVariables(url, (reference) => `\ue000${references.push(reference) - 1}\ue001`);
  const unmask = (text: string) =>
    text.replace(/\ue000(\d+)\ue001/g, (_, index) => references[Number(index)]!);
  const literal = (text: string) => text.replace(/\ue000\d+\ue001/g, '');
  const isHidden = (name: string, value: string) =>
    isSecret(name, literal(value)) || (isPublished && mayBeSecretPart(name, literal(value)));
  const parts = splitAddress(masked, isHidden).map((part) => {
    if (isString(part)) return unmask(part);
    if (literal(part.value) === '') return unmask(part.value);
    return refer(toVariableName(`${server} ${part.name || 'token'}`), unmask(part.value));
  });
  return parts.join('');
}

/** An address for people: without parameters, and with `…` in the places of secrets. */
export function publicAddress(url: string): string {
  const shown = splitAddress(url, mayBeSecretPart).map((part) => (isString(part) ? part : '…'));
  return shown.join('').replace(/[?#].*$/s, '');
}

/** The text without its variables. Their defaults are checked where they are written. */
function literalOf(text: string): string {
  return replaceVariables(text, () => '')
    .replaceAll('$${', '${')
    .trim();
}

/** Names of values that are never harmless. */
const secretName = /pass|pwd|pin(?!g)|auth|login|secret|key|token|cred|cookie/i;

/** True unless a value is a switch, a number, a path, an address or a word, under a name that no secret has. */
function mayBeSecret(name: string, text: string, isHarmless: (text: string) => boolean): boolean {
  if (text === '' || /^(?:true|false)$/i.test(text)) return false;
  if (secretName.test(name) || looksSecret(name, text)) return true;
  if (isAddress(text)) return splitAddress(text, mayBeSecretPart).some((part) => !isString(part));
  return !isNumber(text) && !isPath(text) && !isHarmless(text);
}

/** True if the default of a variable may be a secret. */
export function mayBeSecretDefault(name: string, text: string): boolean {
  return mayBeSecret(name, text, isWord);
}

function isNumber(text: string): boolean {
  return /^[\d.,:+-]{1,12}$/.test(text);
}

/** A path without random texts. One part alone must consist of words. */
export function isPath(text: string): boolean {
  if (!/^(?:(?:~|\.{0,2})[/\\]|[A-Za-z]:[/\\])/.test(text)) return false;
  const [first = '', ...others] = text
    .split(/[/\\]+/)
    .filter((part) => !/^(?:~|\.{0,2}|[A-Za-z]:)$/.test(part));
  return others.length === 0 ? isPlain(first) : [first, ...others].every((part) => !looksSecret('', part));
}

export function isAddress(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text);
}

function isWord(text: string): boolean {
  return /^(?:[A-Z]?[a-z]{0,12}|[A-Z]{0,12})$/.test(text);
}

/** True for words with short numbers, such as the name and version of a package. */
export function isPlain(text: string): boolean {
  const parts = text.replace(/@sha256:[0-9a-f]{64}$/, '').split(/[^A-Za-z\d]+/);
  const word = /^(?:[A-Z]{0,12}|[A-Z]?[a-z]{0,15}(?:[A-Z][a-z]{1,15}){0,3})\d{0,4}[a-z]{0,2}$/;
  return !/[{}"'`$%&!?#]/.test(text) && parts.length <= 16 && parts.every((part) => word.test(part));
}

/** Segments of a path and values of parameters: an address without credentials has short words in it. */
function mayBeSecretPart(name: string, text: string): boolean {
  if (text === '' || /^(?:true|false|[/?#&])$/i.test(text)) return false;
  if (secretName.test(name) || looksSecret(name, text)) return true;
  const word = /^(?:[A-Z]{0,5}\d{0,2}|[A-Z]?[a-z]{1,15}(?:[A-Z][a-z]{1,15}){0,3}\d{0,2}|\d{1,4})$/;
  return !text.split(/[^A-Za-z\d]+/).every((part) => word.test(part));
}
