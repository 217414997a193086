import { looksSecret } from '../base/looks-secret.js';
import { hasSecretReference } from '../base/secret-reference.js';
import type { UnknownRecord } from '../base/value-checks.js';
import { visibleLine } from '../base/visible-text.js';
import { textsIn } from './check-upstream.js';
import { withoutVariables } from './variables.js';

/** Returns the name of an endpoint for messages: its command or URL without apparent secrets. */
export function endpointName(place: UnknownRecord): string {
  const { command, package: name, url } = place;
  if (typeof url === 'string') return visibleLine(shownAddress(url));
  const args = argumentTexts(place);
  const shown = args.map((one, index) => shownArgument(one, args[index - 1]));
  return visibleLine([String(command ?? name), ...shown].join(' '));
}

/** Returns the paths of an endpoint's literal texts that look like secrets. */
export function findLiteralSecrets(place: UnknownRecord): readonly (readonly (string | number)[])[] {
  const args = argumentTexts(place);
  const found = [...textsIn(place)].filter(({ path: [key, name], text }) => {
    if (key === 'args') return shownArgument(text, args[Number(name) - 1]) !== text;
    if (key === 'env') return isSecret(String(name), text);
    if (key === 'headers') return isSecretHeader(String(name), text);
    return key === 'url' && isSecret('', text);
  });
  return found.map(({ path }) => path);
}

function argumentTexts({ args }: UnknownRecord): readonly string[] {
  return (Array.isArray(args) ? args : []).map(String);
}

/** `--token=…`, `API_KEY=…` */
const secretFlag = /^(--?[\w-]+=|[A-Z_][A-Z\d_]*=)(.*)$/s;

/** `Authorization: …`. Without a space, only names that are almost certainly headers. */
const headerArgument =
  /^((?:-H)?([\w-]+?)\s*:\s+|(?:-H)?((?:proxy-)?authorization|cookie|x-[\w-]+|[\w-]+[_-]key):)(.*)$/is;

/** Replaces the secret in an argument. Returns an argument without a secret unchanged. */
function shownArgument(argument: string, before: string | undefined): string {
  const secret = findSecretEnding(argument, before);
  return secret ? `${argument.slice(0, secret.start)}…` : argument;
}

/** A secret at the end of an argument. */
interface SecretEnding {
  /** Name of the flag, variable or header that holds it; empty if it has none. */
  readonly name: string;
  readonly start: number;
}

/** The secret in an argument; undefined without one. `before`: the previous argument. */
export function findSecretEnding(argument: string, before: string | undefined): SecretEnding | undefined {
  const [, flag] = argument.match(secretFlag) ?? [];
  if (flag !== undefined) {
    const secret = findInValue(flag.slice(0, -1), argument.slice(flag.length));
    return secret && { ...secret, start: secret.start + flag.length };
  }
  const isValue = before?.startsWith('-') && !before.includes('=') && !argument.startsWith('-');
  return findInValue(isValue ? before! : '', argument);
}

function findInValue(name: string, value: string): SecretEnding | undefined {
  if (isSecret(name, value)) return { name: name.replace(/^-+/, ''), start: 0 };
  const [, beginning, spaced, tight, content] = value.match(headerArgument) ?? [];
  const header = spaced ?? tight;
  if (beginning === undefined || header === undefined || content === undefined) return undefined;
  return isSecretHeader(header, content) ? { name: header, start: beginning.length } : undefined;
}

/** True if the literal value of a header is a secret. */
export function isSecretHeader(name: string, text: string): boolean {
  const value = text.replace(/^(?:Basic|Bearer|Token)\s+/i, '');
  const isCredential = /^(?:(?:proxy-)?authorization|cookie)$/i.test(name);
  return isSecret(isCredential ? 'token' : name, value);
}

/** Values that are never secret under any name: switches, numbers, paths. */
const harmlessValue = /^(?:true|false|on|off|yes|no|\d{1,8}|(?:~|\.{1,2})?[\\/][\w./\\ -]*)$/i;

/** Bearer token as in an HTTP header. */
const bearerToken = /^Bearer\s+\S+$/i;

/** A secret in a text. */
export interface SecretPart {
  /** Name of the parameter that holds it; empty if it has none. */
  readonly name: string;
  readonly value: string;
}

/** True if the value with a name is a secret. */
type IsSecret = (name: string, value: string) => boolean;

/**
 * Parts of an address: its texts and its secrets, which are a password, segments of the path, and parameters. `isHidden`
 * decides about segments and parameters.
 */
export function splitAddress(url: string, isHidden: IsSecret = isSecret): readonly (string | SecretPart)[] {
  const [, beginning = '', userInfo = '', rest = ''] =
    url.match(/^([a-z][\w+.-]*:\/\/)([^/?#]*@)?(.*)$/is) ?? [];
  if (beginning === '') return [url];
  const colon = userInfo.indexOf(':');
  const user = userInfo.slice(0, -1);
  // The only name in an address of the web is a token.
  const isToken = colon === -1 && user !== '' && isHidden(/^http/i.test(beginning) ? 'token' : '', user);
  const start: readonly (string | SecretPart)[] = isToken
    ? [beginning, { name: 'token', value: user }, '@']
    : colon === -1
      ? [beginning + userInfo]
      : [
          beginning + userInfo.slice(0, colon + 1),
          { name: 'password', value: userInfo.slice(colon + 1, -1) },
          '@',
        ];
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const segments = path
    .split(/(\/)/)
    .map((part, index) => (index > 0 && isHidden('', part) ? { name: '', value: part } : part));
  const query =
    end === -1
      ? []
      : rest
          .slice(end)
          .split(/([?#&])/)
          .flatMap((part) => splitParameter(part, isHidden));
  return [...start, ...segments, ...query].filter((part) => part !== '');
}

function splitParameter(text: string, isHidden: IsSecret): readonly (string | SecretPart)[] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    return isHidden('', text) ? [{ name: '', value: text }] : [text];
  return isHidden(/sig/i.test(name) ? 'token' : name, value) ? [`${name}=`, { name, value }] : [text];
}

/** Places of inputs in commands and URLs: `{arg:token}`. */
const inputPlaces = /\{arg:[\w.-]+\}/g;

/** Checks the literal text only. Variables and inputs come from the user. */
export function isSecret(name: string, text: string): boolean {
  const literal = withoutVariables(text).replace(inputPlaces, '').trim();
  if (harmlessValue.test(literal) || hasSecretReference(literal)) return false;
  return bearerToken.test(literal) || looksSecret(name, literal);
}

function shownAddress(url: string): string {
  const [address = ''] = url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1').split(/[?#]/);
  const [, origin = '', rest = ''] = address.match(/^([a-z]+:\/\/[^/]*)?(.*)$/is) ?? [];
  return origin + rest.replace(/[^/]+/g, (part) => (isSecret('', part) ? '…' : part));
}
