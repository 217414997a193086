import { parseAnswer } from './keys.js';
import { capitalized } from './services.js';

/** Limit of quoted error text of a service. */
const longestSaid = 300;

/** Describes an error response of a service. */
export function describeRefusal(refusal) {
  const { status } = refusal.answer;
  const describe = refusals[status] ?? (status >= 500 ? describeOutage : describeOther);
  return describe(refusal);
}

/** Descriptions by HTTP status. */
const refusals = {
  400: ({ service, key, said }) =>
    `${capitalized(service.name)} refused the request as invalid.${quoted(said, key)}`,
  401: describeKey,
  402: describeLimit,
  403: describeKey,
  429: describeLimit,
  501: describeQuery,
};

function describeQuery(refusal) {
  const { service, said } = refusal;
  if (!service.mayNotUnderstand) return describeOther(refusal);
  return `${capitalized(service.name)} did not understand this. Ask again with fewer and plainer words, in English.${said ? `\n\n${said.slice(0, 4000)}` : ''}`;
}

function describeKey({ service, key, said }) {
  return `${capitalized(service.name)} does not accept the key in the environment variable ${key.variable}. ${service.keyHint} Look at ${service.keyPage}.${quoted(said, key)}`;
}

function describeLimit({ service, key, said, answer }) {
  const waitMs = retryAfterMs(answer.headers);
  const when = waitMs === undefined ? 'later' : `in ${Math.ceil(waitMs / 1000)} s`;
  return `The key in the environment variable ${key.variable} has no calls left for now, or calls come too fast. Try again ${when}, and see its limits at ${service.keyPage}.${quoted(said, key)}`;
}

function describeOutage({ service, key, answer, said }) {
  return `${capitalized(service.name)} is unavailable (HTTP ${answer.status}). Try again later.${quoted(said, key)}`;
}

function describeOther({ service, key, answer, said }) {
  return `${capitalized(service.name)} gave no answer (HTTP ${answer.status}). ${reach(service)}${quoted(said, key)}`;
}

export function describeDelay({ name, whenLate }, seconds) {
  return `${capitalized(name)} gave no answer within ${seconds} s. ${whenLate}`;
}

export function describeFault(service, error) {
  const code = error?.cause?.code ?? error?.code;
  const why = typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` (${code})` : '';
  return `${capitalized(service.name)} cannot be reached${why}. ${reach(service)}`;
}

/** The expected URL of the service. */
export function reach({ base, variable }) {
  return `Expected ${base}, or the address in the environment variable ${variable}.`;
}

/** The beginning of an error text: the message of an object, otherwise the text. */
function quoted(said, key) {
  const message = parseAnswer(said, key)?.message;
  const line = (typeof message === 'string' ? message : said).replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line === '' ? '' : ` Its message: ${line.slice(0, longestSaid).toWellFormed()}`;
}

/** The value of `Retry-After`, seconds or a date, as milliseconds from now. */
export function retryAfterMs(headers) {
  const told = headers.get('retry-after')?.trim();
  if (!told) return undefined;
  const ms = /^\d+$/.test(told) ? Number(told) * 1000 : Date.parse(told) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}
