import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.js';
import { withoutControls, withoutKey } from './keys.js';
import { describeDelay, describeFault, describeRefusal, reach, retryAfterMs } from './refusals.js';
import { request } from './request.js';
import { capitalized } from './services.js';

/** Default pause before the second attempt. A `Retry-After` above `longestPauseMs` ends the attempts. */
const usualPauseMs = 300;
const longestPauseMs = 3000;

/** Detects media types of JSON. Some services send other types. */
export const acceptsJson = Object.assign((type) => type === 'application/json' || type.startsWith('text/'), {
  wanted: 'JSON',
});

/**
 * Sends a request to a service, and repeats it once if the service fails. Removes the key from all results.
 *
 * @param {object} options
 * @param options.key result of {@link import('./keys.js').requireKey}
 * @param {number} options.seconds time limit of all attempts
 * @returns the response text. @throws Failure for other responses; the reason of `signal` if aborted
 */
export async function ask(service, url, { key, headers, method, body, longest, seconds, signal, accepts }) {
  const clock = startClock(signal, seconds);
  const send = async () => {
    const answer = await request(url, { method, headers, body, longest, signal: clock.signal });
    return { ...answer, text: withoutKey(withoutControls(new TextDecoder().decode(answer.bytes)), key) };
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

/** A signal that aborts with another signal or at a time limit. */
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
  if (first.status < 500 || first.status === 501) return first;
  const waitMs = retryAfterMs(first.headers) ?? usualPauseMs;
  if (waitMs > longestPauseMs) return first;
  await pause(waitMs, undefined, { signal });
  return await send();
}

const isPage = (text) => /^\s*<(?:!doctype|html|head|body)\b/i.test(text);

function requireText(service, answer, { key, accepts }) {
  const { status, type, text, isCut } = answer;
  const { backend } = service;
  const said = type === 'text/html' || isPage(text) ? '' : text.trim();
  if (status === 200) {
    if (said === '' && text.trim() === '') {
      throw new Failure(
        `${capitalized(service.name)} returned an empty answer. Try again, or rephrase the question.`,
        {
          backend,
          status,
        },
      );
    }
    if (said !== '' && (type === '' || accepts(type))) return { text, isCut };
    throw new Failure(
      `${capitalized(service.name)} answered with ${type || 'a page'} instead of ${accepts.wanted}. A proxy or a login page may have answered instead. ${reach(service)}`,
      { backend, status },
    );
  }
  throw new Failure(describeRefusal({ service, key, said, answer }), { backend, status });
}
