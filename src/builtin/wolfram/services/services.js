import { Failure } from './failure.js';
import { parseUrl } from './parse-url.js';

const appId = {
  key: 'an AppID',
  keys: ['WOLFRAM_ALPHA_APPID', 'WOLFRAM_APP_ID', 'WOLFRAM_LLM_APP_ID'],
  keyPage: 'https://developer.wolframalpha.com',
};

const apiKey = {
  variable: 'WOLFRAM_SERVICES_BASE',
  base: 'https://services.wolfram.com',
  key: 'an API key',
  keys: ['WOLFRAM_API_KEY'],
  keyPage: 'https://account.wolfram.com/developer-tools/api-keys',
};

const simpler = 'Ask something simpler, or ask the user to raise the option TimeConstraint.';

/**
 * Known services: names for results and messages, the default URL and its variable, the variables of the key by
 * priority, advice after a timeout, and a flag for services that respond 501 to a query they do not understand.
 */
export const services = {
  llm: {
    backend: 'wolframalpha-llm-api',
    name: 'Wolfram|Alpha',
    variable: 'WOLFRAM_ALPHA_BASE',
    base: 'https://www.wolframalpha.com',
    ...appId,
    keyHint: 'It must be an AppID for the LLM API.',
    whenLate: simpler,
    mayNotUnderstand: true,
  },
  full: {
    backend: 'wolframalpha-full-results-api',
    name: 'Wolfram|Alpha',
    variable: 'WOLFRAM_ALPHA_API_BASE',
    base: 'https://api.wolframalpha.com',
    ...appId,
    keyHint: 'It must be an AppID for the Full Results API.',
    whenLate: simpler,
    mayNotUnderstand: true,
  },
  context: {
    backend: 'wolframalpha-context-api',
    name: 'the Wolfram|Alpha Context API',
    ...apiKey,
    keyHint: 'It must be a key for the Wolfram|Alpha Context API.',
    whenLate: simpler,
    mayNotUnderstand: true,
  },
  compute: {
    backend: 'cloud',
    name: 'the Wolfram Cloud',
    ...apiKey,
    keyHint: 'It must be a key for the Wolfram Language Compute API.',
    whenLate: 'Call again, or simplify the code.',
    mayNotUnderstand: false,
  },
};

export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The URL of a service endpoint. A list repeats its parameter. @throws Failure if the user's base URL must not receive a key */
export function addressAt(service, path, parameters = {}) {
  const url = new URL(path.replace(/^\//, ''), baseOf(service));
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one));
  }
  return url;
}

const thisMachine = new Set(['127.0.0.1', 'localhost', '[::1]']);

function baseOf({ variable, base }) {
  const text = process.env[variable]?.trim() || base;
  const url = parseUrl(text);
  const isUsable = url?.protocol === 'https:' || (url?.protocol === 'http:' && thisMachine.has(url.hostname));
  if (isUsable && !url.username && !url.password) {
    url.pathname = url.pathname.replace(/\/*$/, '/');
    return url;
  }
  // The value can contain a password.
  throw new Failure(
    `The environment variable ${variable} does not hold a usable address. Expected one like ${base}, or http:// on this machine. Default: ${base}`,
  );
}
