import { Failure } from './failure.js';
import { capitalized, services } from './services.js';

/** The key of a service and its variable. @throws Failure for a missing or invalid key */
export function requireKey(service) {
  const variable = service.keys.find((name) => process.env[name]?.trim());
  if (variable === undefined) throw new Failure(missingKey(service));
  const value = process.env[variable].trim();
  // `fetch` errors would contain the value of a key that no header can hold.
  if (/^[\x21-\x7e]{1,1000}$/.test(value)) return { variable, value };
  throw new Failure(
    `The environment variable ${variable} does not hold a valid key: a key has printable characters without spaces. Copy it again from ${service.keyPage}.`,
  );
}

function missingKey({ name, key, keys, keyPage }) {
  const [first, ...others] = keys;
  const more = others.length > 0 ? ` ${others.join(' and ')} work, too.` : '';
  const set = `Get one at ${keyPage} and start this server with it in the environment variable ${first}.${more}`;
  const isNotTheirs =
    name !== services.llm.name && services.llm.keys.some((variable) => process.env[variable]?.trim());
  const hint = isNotTheirs
    ? ' An AppID of Wolfram|Alpha is set, but this service does not accept it. The tool WolframAlpha works with it.'
    : '';
  return `${capitalized(name)} needs ${key}, and none is set. ${set}${hint}`;
}

/** Removes a key from a text, also in its URL-encoded form. */
export function withoutKey(text, { value }) {
  if (value.length < 4) return text;
  const forms = [new URLSearchParams({ '': value }).toString().slice(1), encodeURIComponent(value), value];
  return forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
}

/** Removes terminal control characters. */
export function withoutControls(text) {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\t\n]/gu, '');
}

/** Parses a JSON response, or returns undefined. Removes the key, which can be escaped in JSON. */
export function parseAnswer(text, key) {
  try {
    return JSON.parse(text, (_, value) =>
      typeof value === 'string' ? withoutKey(withoutControls(value).toWellFormed(), key) : value,
    );
  } catch {
    return undefined;
  }
}
