import { acceptsJson, ask } from '../services/ask.js';
import { Failure } from '../services/failure.js';
import { parseAnswer, requireKey } from '../services/keys.js';
import { addressAt, services } from '../services/services.js';

/** Default wait for the response beyond the time limit of the evaluation, in seconds. */
const standardGrace = 15;

/** Limit of a response. The requested limit is far below it. */
const longest = 8 * 1024 * 1024;

/**
 * Evaluates code in the Wolfram Cloud.
 * @returns {Promise<{ result: string, isSuccess: boolean }>}
 * @throws Failure
 */
export async function evaluateInCloud({ code, seconds, maxCharacters }, { signal, grace = standardGrace }) {
  const service = services.compute;
  const { backend } = service;
  const key = requireKey(service);
  const { text, isCut } = await ask(service, addressAt(service, 'api/apis/v1/WolframLanguageCompute'), {
    key,
    method: 'POST',
    headers: { authorization: key.value, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ code, line: 1, maxChars: Math.round(maxCharacters), timeConstraint: seconds }),
    longest,
    seconds: seconds + grace,
    signal,
    accepts: acceptsJson,
  });
  if (isCut) {
    const message =
      'The Wolfram Cloud returned more than the requested limit. Reduce the output of the code.';
    throw new Failure(message, { backend });
  }
  const answer = parseAnswer(text, key);
  if (typeof answer?.result !== 'string') {
    const message =
      'The Wolfram Cloud returned an invalid result. Try again later, and check WOLFRAM_SERVICES_BASE if it is set.';
    throw new Failure(message, { backend });
  }
  const result = shortened(answer.result.toWellFormed(), maxCharacters);
  return { result: result || 'No output.', isSuccess: answer.success !== false };
}

/** Cuts a text in the middle if the service ignored the requested limit. */
function shortened(text, most) {
  // The service does not count labels and notes.
  if (text.length <= most + 1000) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n… ${left} characters left out …\n${text.slice(-half)}`.toWellFormed();
}
