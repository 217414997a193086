import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.js';
import { request } from './request.js';
import { capitalized } from './services.js';

/** Before a second try, unless the service says how long; longer than `longestPauseMs` is not waited. */
const usualPauseMs = 300;
const longestPauseMs = 3000;

/** What a service says of a refusal is told up to here. */
const longestSaid = 300;

/**
 * Asks a service, a second time if it is out of order. Nothing it answers with holds the key.
 *
 * @param {object} what
 * @param what.key what {@link import('./services.js').requireKey} gave
 * @param {number} what.seconds the longest wait for everything
 * @returns the answer as text. @throws Failure unless it is one; what `signal` was aborted with
 */
export async function ask(service, url, { key, headers, method, body, longest, seconds, signal, accepts }) {
  const clock = startClock(signal, seconds);
  const send = async () => {
    const answer = await request(url, { method, headers, body, longest, signal: clock.signal });
    const text = withoutControls(new TextDecoder().decode(answer.bytes));
    return { ...answer, text: withoutKey(text, key.value) };
  };
  try {
    const answer = await insisting(send, clock.signal);
    return requireText(service, answer, { key, accepts });
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    const { backend } = service;
    if (clock.isOver()) throw new Failure(describeDelay(service, seconds), { backend });
    throw new Failure(describeFault(service, error), { backend });
  } finally {
    clock.stop();
  }
}

/** A signal that aborts with another one, or when the time is over. */
function startClock(outer, seconds) {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer.reason);
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, seconds * 1000);
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    stop() {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}

async function insisting(send, signal) {
  const first = await send();
  // 501 is how Wolfram|Alpha says that it did not understand.
  if (first.status < 500 || first.status === 501) return first;
  const waitMs = retryAfterMs(first.headers) ?? usualPauseMs;
  if (waitMs > longestPauseMs) return first;
  await pause(waitMs, undefined, { signal });
  return await send();
}

/** What `Retry-After` says, as milliseconds from now: it holds seconds or a date. */
function retryAfterMs(headers) {
  const told = headers.get('retry-after')?.trim();
  if (!told) return undefined;
  const ms = /^\d+$/.test(told) ? Number(told) * 1000 : Date.parse(told) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}

/** A text without a key, also where it stands as part of an address. */
function withoutKey(text, key) {
  if (key.length < 4) return text;
  return text.replaceAll(key, '…').replaceAll(encodeURIComponent(key), '…');
}

/** A text without what terminals obey. */
function withoutControls(text) {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\t\n]/gu, '');
}

/** What an answer holds as JSON, where characters may be written by their numbers. @throws SyntaxError if it is none */
export function parseAnswer(text, key) {
  return JSON.parse(text, (_, value) =>
    typeof value === 'string' ? withoutKey(withoutControls(value).toWellFormed(), key.value) : value,
  );
}

const isPage = (text) => /^\s*<(?:!doctype|html|head|body)\b/i.test(text);

function requireText(service, answer, { key, accepts }) {
  const { status, type, text, isCut } = answer;
  const { backend } = service;
  const said = type === 'text/html' || isPage(text) ? '' : text.trim();
  if (status === 200) {
    if (said === '' && text.trim() === '') {
      throw new Failure(`${capitalized(service.name)} answered with nothing. Try again, or ask otherwise.`, {
        backend,
        status,
      });
    }
    if (said !== '' && (type === '' || accepts(type))) return { text, isCut };
    throw new Failure(
      `${capitalized(service.name)} answered with ${type || 'a page'} instead of ${accepts.wanted}. Something between may have answered for it, such as a proxy or a login page. ${reach(service)}`,
      { backend, status },
    );
  }
  const describe = refusals[status] ?? (status >= 500 ? describeOutage : describeOther);
  throw new Failure(describe({ service, key, said, answer }), { backend, status });
}

/** What answers without an answer mean, by status. */
const refusals = {
  400: ({ service, said }) => `${capitalized(service.name)} refused the request as it is.${quoted(said)}`,
  401: describeKey,
  402: describeLimit,
  403: describeKey,
  429: describeLimit,
  501: ({ service, said }) =>
    `${capitalized(service.name)} did not understand this. Ask again with fewer and plainer words, in English.${said ? `\n\n${said.slice(0, 4000)}` : ''}`,
};

function describeKey({ service, key, said }) {
  return `${capitalized(service.name)} does not accept the key in the environment variable ${key.variable}. ${service.keyHint} Look at ${service.keyPage}.${quoted(said)}`;
}

function describeLimit({ service, key, said, answer }) {
  const waitMs = retryAfterMs(answer.headers);
  const when = waitMs === undefined ? 'later' : `in ${Math.ceil(waitMs / 1000)} s`;
  return `The key in the environment variable ${key.variable} has no calls left for now, or calls come too fast. Try again ${when}; what it is good for stands at ${service.keyPage}.${quoted(said)}`;
}

function describeOutage({ service, answer, said }) {
  return `${capitalized(service.name)} is out of order for now (HTTP ${answer.status}). Try again later.${quoted(said)}`;
}

function describeOther({ service, answer, said }) {
  return `${capitalized(service.name)} gave no answer (HTTP ${answer.status}). ${reach(service)}${quoted(said)}`;
}

function describeDelay({ name }, seconds) {
  return `${capitalized(name)} gave no answer within ${seconds} s. Ask something simpler, or let the user raise the option TimeConstraint.`;
}

function describeFault(service, error) {
  const code = error?.cause?.code ?? error?.code;
  const why = typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` (${code})` : '';
  return `${capitalized(service.name)} cannot be reached${why}. ${reach(service)}`;
}

function reach({ base, variable }) {
  return `Expected is ${base}, or what the environment variable ${variable} says.`;
}

function quoted(said) {
  const line = said.replace(/\s+/g, ' ');
  return line === '' ? '' : ` It says: ${line.slice(0, longestSaid)}`;
}
