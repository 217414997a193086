import { hasSecretReference } from './secret-reference.js';

/** Wolfram calls its keys AppIDs. */
const secretName = /key|token|secret|passw|credential|app_?id$/i;

/** Prefixes of the credentials of well-known services. */
const secretValue =
  /^(?:gh[opusr]_|github_pat_|glpat-|sk-|[sr]k_(?:live|test)_|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|hf_|gsk_|xai-|shp(?:at|ss|ca|pa)_|dop_v1_|SG\.)[\w.-]{6,}$/;

const jsonWebToken = /^eyJ[\w-]{6,}(?:\.[\w-]+)*\.?$/;

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** A password among other settings, as in connection strings. */
const namedInside = /(?:passw(?:or)?d|pwd|secret|token|api_?key)\s*[=:]\s*[^\s;]/i;

/** True if the name or the value of a variable looks like a secret. References to stored secrets do not. */
export function looksSecret(name: string, value: string): boolean {
  if (value === '' || hasSecretReference(value)) return false;
  if (secretName.test(name)) return true;
  if (secretValue.test(value) || jsonWebToken.test(value) || privateKey.test(value)) return true;
  if (isAddress(value)) return hasCredentials(value);
  return namedInside.test(value) || (!isPath(value) && isRandom(value));
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
}

/** True if an address has a password before the host, or a parameter with a secret-like name. */
function hasCredentials(address: string): boolean {
  return (
    /^[^/]+:\/\/[^/?#@]*:[^/?#@]+@/.test(address) ||
    /[?&#][^=&#]*(?:key|token|secret|passw|sig)[^=&#]*=[^&#]/i.test(address)
  );
}

/** A value that begins with a slash may also be base64, but then it contains no words. */
function isPath(value: string): boolean {
  if (/^(?:~|\.{1,2})[/\\]|^\\|^[A-Za-z]:[/\\]/.test(value)) return true;
  if (!value.startsWith('/')) return false;
  const segments = value.slice(1).split(/[/\\]/);
  const words = segments.filter((segment) =>
    /^\.?[A-Za-z]?[a-z]{2,20}(?:[._ -][a-z]+)*\d{0,2}$/.test(segment),
  );
  return words.length > 1 || words.some((word) => word === segments[0] && word.length > 2);
}

const shortestRandom = 24;

/** True if the value contains no words. Entropy per letter would misjudge long names made of words. */
function isRandom(value: string): boolean {
  if (value.length < shortestRandom || new Set(value).size < 8 || /\s/.test(value)) return false;
  return isMixed(value) || switchesKinds(value) || value.split(/[^A-Za-z]+/).some(lacksWords);
}

/** Least total length of parts that mix letters and digits. Versions, dates and paths have less. */
const shortestMixed = 16;

function isMixed(value: string): boolean {
  if (!/^[\w+/=.~:@!#$%^*-]+$/.test(value)) return false;
  const parts = value.split(/[^A-Za-z0-9]+/);
  const mixed = parts.filter((part) => /\d/.test(part) && /[A-Za-z]/.test(part));
  return mixed.join('').length >= shortestMixed;
}

/** True if most characters differ in kind from the previous one, as in generated passwords. */
function switchesKinds(value: string): boolean {
  if (![/[a-z]/, /[A-Z]/, /[^A-Za-z]/].every((kind) => kind.test(value))) return false;
  const runs = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+/g) ?? [];
  return runs.length > value.length * 0.45;
}

/**
 * True if capital and small letters form no words: parts between capitals are short and often lack vowels.
 */
function lacksWords(letters: string): boolean {
  if (letters.length < shortestRandom) return false;
  const words = letters.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  const dumb = words.filter((word) => !/[aeiouy]/i.test(word));
  return words.length > letters.length / 4 && dumb.length > words.length / 5;
}
