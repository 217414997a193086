import { readBounded } from './body.js';
import { servicesBase } from './services.js';

/** How long an answer may take beyond the evaluation's own limit. */
const standardGraceMs = 15_000;

/** Larger answers are refused: the service was asked for far less. */
const mostBytes = 8 * 1024 * 1024;

const pauseMs = 500;
const longestPauseMs = 5000;

/** The cloud gave no result. The message says why and what to do, and holds no key. */
export class CloudFailure extends Error {
  name = 'CloudFailure';
}

const gettingAKey = 'Keys are made at https://account.wolfram.com/developer-tools/api-keys.';

/**
 * Evaluates code in the Wolfram Cloud.
 * @returns {Promise<{ result: string, isSuccess: boolean }>}
 * @throws {CloudFailure}
 */
export async function evaluateInCloud(
  { code, seconds, maxCharacters },
  { env, signal, graceMs = standardGraceMs },
) {
  const key = env.WOLFRAM_API_KEY?.trim();
  if (!key) {
    throw new CloudFailure(
      `Evaluating in the Wolfram Cloud needs a key: set the environment variable WOLFRAM_API_KEY. ${gettingAKey}`,
    );
  }
  // fetch would say the key in its complaint.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new CloudFailure('WOLFRAM_API_KEY holds characters that no key has. Set it to the key alone.');
  }
  const base = servicesBase(env);
  if (!base) {
    throw new CloudFailure(
      'WOLFRAM_SERVICES_BASE is not an address that may be used. Expected one that begins with https://.',
    );
  }
  const address = `${base}/api/apis/v1/WolframLanguageCompute`;
  const request = {
    method: 'POST',
    // Elsewhere the key would be for others to see.
    redirect: 'manual',
    headers: { Authorization: key, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ code, line: 1, maxChars: Math.round(maxCharacters), timeConstraint: seconds }),
  };
  const timeoutMs = seconds * 1000 + graceMs;
  let answer = await post(address, request, { timeoutMs, signal });
  if (answer.status >= 500) {
    await pause(answer.retryAfterMs, signal);
    answer = await post(address, request, { timeoutMs, signal });
  }
  return resultOf(answer, { key, maxCharacters });
}

async function post(address, request, { timeoutMs, signal }) {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, {
      ...request,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const text = await readBounded(response, mostBytes);
    return { status: response.status, text, retryAfterMs: retryAfterOf(response) };
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) {
      throw new CloudFailure(
        `The Wolfram Cloud gave no answer within ${Math.round(timeoutMs / 1000)} s. Call again, or let the code do less.`,
      );
    }
    // What fetch says may hold what it was given; the code of the cause does not.
    const code = error?.cause?.code;
    throw new CloudFailure(
      `The Wolfram Cloud cannot be reached at ${new URL(address).host}${typeof code === 'string' ? ` (${code})` : ''}. Look whether this machine has a connection.`,
    );
  }
}

function resultOf({ status, text }, { key, maxCharacters }) {
  if (status === 401 || status === 403) {
    throw new CloudFailure(
      `The Wolfram Cloud refuses the key in WOLFRAM_API_KEY (status ${status}). Look whether it is whole, has not expired and is for this service. ${gettingAKey}`,
    );
  }
  if (status === 429) {
    throw new CloudFailure(
      'The Wolfram Cloud has had too many requests with this key (status 429). Call again later, or look at the limits of the account.',
    );
  }
  if (status >= 500) {
    throw new CloudFailure(
      `The Wolfram Cloud is out of order (status ${status}, asked twice). Call again later.`,
    );
  }
  if (text === undefined) {
    throw new CloudFailure(
      'The Wolfram Cloud answered far more than it was asked for. Let the code give less.',
    );
  }
  if (status < 200 || status >= 300) {
    throw new CloudFailure(
      `The Wolfram Cloud refused the request (status ${status})${quoted(text, key)}. Look at the code, and at WOLFRAM_SERVICES_BASE if it is set.`,
    );
  }
  const answer = parsed(text);
  if (typeof answer?.result !== 'string') {
    throw new CloudFailure(
      'The Wolfram Cloud answered something else than a result. Call again later; look at WOLFRAM_SERVICES_BASE if it is set.',
    );
  }
  // Without what terminals obey.
  const plain = answer.result.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\t\n]/gu, '');
  const result = withoutKey(plain, key).toWellFormed();
  return { result: shortened(result, maxCharacters) || 'No output.', isSuccess: answer.success !== false };
}

/** The beginning of what the service says, where it says it in words. */
function quoted(text, key) {
  const words = parsed(text)?.message ?? (/^\s*[<{[]/.test(text) ? '' : text);
  if (typeof words !== 'string' || words.trim() === '') return '';
  const plain = words.replace(/\p{Cc}+/gu, ' ').trim();
  return `: "${withoutKey(plain, key).slice(0, 200).toWellFormed()}"`;
}

function withoutKey(text, key) {
  return text.replaceAll(key, '…');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The service was asked to heed this; what did not is cut in the middle. */
function shortened(text, most) {
  // Labels and notes come on top of what it counts.
  if (text.length <= most + 1000) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n… ${left} characters left out …\n${text.slice(-half)}`.toWellFormed();
}

function retryAfterOf({ headers }) {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds * 1000, longestPauseMs) : pauseMs;
}

async function pause(ms, signal) {
  await new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
