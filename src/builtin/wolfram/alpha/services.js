import { Failure } from './failure.js';

const developers = 'https://developer.wolframalpha.com';

/**
 * The services there are: what they are called in results and messages, where they are unless a variable says otherwise,
 * and which variables may hold the key, of which the first that is set counts.
 */
export const services = {
  llm: {
    backend: 'wolframalpha-llm-api',
    name: 'Wolfram|Alpha',
    variable: 'WOLFRAM_ALPHA_BASE',
    base: 'https://www.wolframalpha.com',
    key: 'an AppID',
    keys: ['WOLFRAM_ALPHA_APPID', 'WOLFRAM_APP_ID', 'WOLFRAM_LLM_APP_ID'],
    keyPage: developers,
    keyHint: 'The AppID has to be one for the LLM API.',
  },
  full: {
    backend: 'wolframalpha-full-results-api',
    name: 'Wolfram|Alpha',
    variable: 'WOLFRAM_ALPHA_API_BASE',
    base: 'https://api.wolframalpha.com',
    key: 'an AppID',
    keys: ['WOLFRAM_ALPHA_APPID', 'WOLFRAM_APP_ID', 'WOLFRAM_LLM_APP_ID'],
    keyPage: developers,
    keyHint: 'The AppID has to be one for the Full Results API.',
  },
  context: {
    backend: 'wolframalpha-context-api',
    name: 'the Wolfram|Alpha Context API',
    variable: 'WOLFRAM_SERVICES_BASE',
    base: 'https://services.wolfram.com',
    key: 'an API key',
    keys: ['WOLFRAM_API_KEY'],
    keyPage: 'https://account.wolfram.com/developer-tools/api-keys',
    keyHint: 'The key has to be one for the Wolfram|Alpha Context API.',
  },
};

/** The key of a service and the variable it stands in. @throws Failure if there is none, or none that could be sent */
export function requireKey(service) {
  const variable = service.keys.find((name) => process.env[name]?.trim());
  if (variable === undefined) throw new Failure(missingKey(service));
  const value = process.env[variable].trim();
  // What no header can hold would be told with its value by whoever is to send it.
  if (/^[\x21-\x7e]{1,1000}$/.test(value)) return { variable, value };
  throw new Failure(
    `The environment variable ${variable} holds something that is no key: keys are printable characters without spaces. Copy it again from ${service.keyPage}.`,
  );
}

function missingKey({ name, key, keys, keyPage }) {
  const [first, ...others] = keys;
  const more = others.length > 0 ? ` ${others.join(' and ')} will do, too.` : '';
  const set = `Get one at ${keyPage} and start this server with it in the environment variable ${first}.${more}`;
  const isNotTheirs =
    name !== services.llm.name && services.llm.keys.some((variable) => process.env[variable]?.trim());
  const hint = isNotTheirs
    ? ' There is an AppID of Wolfram|Alpha, which this service does not take; the tool WolframAlpha works with it.'
    : '';
  return `${capitalized(name)} needs ${key}, and none is set. ${set}${hint}`;
}

export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The address of something at a service. @throws Failure if the user's own base is none that a key may be sent to */
export function addressAt(service, path, parameters = {}) {
  const url = new URL(path.replace(/^\//, ''), baseOf(service));
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  return url;
}

const thisMachine = new Set(['127.0.0.1', 'localhost', '[::1]']);

function baseOf({ variable, base }) {
  const text = process.env[variable]?.trim() || base;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url?.protocol === 'https:' || (url?.protocol === 'http:' && thisMachine.has(url.hostname));
  if (isUsable && !url.username && !url.password) {
    url.pathname = url.pathname.replace(/\/*$/, '/');
    return url;
  }
  // Its value may hold a password.
  throw new Failure(
    `The environment variable ${variable} holds no usable address. Expected one like ${base}, or http:// on this machine; without it, ${base} is asked.`,
  );
}
