import { looksSecret } from '../base/looks-secret.js';
import { visibleLine } from '../base/visible-text.js';
import { textsIn } from './check-upstream.js';
import { withoutVariables } from './variables.js';

type Written = Readonly<Record<string, unknown>>;

/** Returns the name of an endpoint for messages: its command or URL without apparent secrets. */
export function endpointName(place: Written): string {
  const { command, package: name, url } = place;
  if (typeof url === 'string') return visibleLine(shownAddress(url));
  const args = argumentTexts(place);
  const shown = args.map((one, index) => shownArgument(one, args[index - 1]));
  return visibleLine([String(command ?? name), ...shown].join(' '));
}

/** Returns the paths of an endpoint's literal texts that look like secrets. */
export function findLiteralSecrets(place: Written): readonly (readonly (string | number)[])[] {
  const args = argumentTexts(place);
  const found = [...textsIn(place)].filter(({ path: [key, name], text }) => {
    if (key === 'args') return shownArgument(text, args[Number(name) - 1]) !== text;
    if (key === 'env') return isSecret(String(name), text);
    if (key === 'headers') return isSecretHeader(String(name), text);
    return key === 'url' && isSecret('', text);
  });
  return found.map(({ path }) => path);
}

function argumentTexts({ args }: Written): readonly string[] {
  return (Array.isArray(args) ? args : []).map(String);
}

/** `--token=…` */
const secretFlag = /^(--?[\w-]+=)(.*)$/s;

/** `Authorization: …`. Without a space, only names that are almost certainly headers. */
const headerArgument =
  /^((?:-H)?([\w-]+?)\s*:\s+|(?:-H)?((?:proxy-)?authorization|cookie|x-[\w-]+|[\w-]+[_-]key):)(.*)$/is;

/** Replaces the secret in an argument. Returns an argument without a secret unchanged. */
function shownArgument(argument: string, before: string | undefined): string {
  const [, flag, value] = argument.match(secretFlag) ?? [];
  if (flag !== undefined && value !== undefined) return flag + shownValue(flag, value);
  const isValue = before?.startsWith('-') && !before.includes('=') && !argument.startsWith('-');
  return shownValue(isValue ? before! : '', argument);
}

function shownValue(name: string, value: string): string {
  if (isSecret(name, value)) return '…';
  const [, beginning, spaced, tight, content] = value.match(headerArgument) ?? [];
  const header = spaced ?? tight;
  if (beginning === undefined || header === undefined || content === undefined) return value;
  return isSecretHeader(header, content) ? `${beginning}…` : value;
}

function isSecretHeader(name: string, text: string): boolean {
  const value = text.replace(/^(?:Basic|Bearer|Token)\s+/i, '');
  const isCredential = /^(?:(?:proxy-)?authorization|cookie)$/i.test(name);
  return isSecret(isCredential ? 'token' : name, value);
}

/** Values that are never secret under any name: switches, numbers, paths. */
const harmlessValue = /^(?:true|false|on|off|yes|no|\d{1,8}|(?:~|\.{1,2})?[\\/][\w./\\ -]*)$/i;

/** Bearer token as in an HTTP header. */
const bearerToken = /^Bearer\s+\S+$/i;

/** Checks the literal text only. Variables come from the user's environment. */
function isSecret(name: string, text: string): boolean {
  const literal = withoutVariables(text).trim();
  if (harmlessValue.test(literal)) return false;
  return bearerToken.test(literal) || looksSecret(name, literal);
}

function shownAddress(url: string): string {
  const [address = ''] = url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1').split(/[?#]/);
  const [, origin = '', rest = ''] = address.match(/^([a-z]+:\/\/[^/]*)?(.*)$/is) ?? [];
  return origin + rest.replace(/[^/]+/g, (part) => (isSecret('', part) ? '…' : part));
}
