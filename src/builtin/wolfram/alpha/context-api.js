import { acceptsJson, ask } from '../services/ask.js';
import { Failure } from '../services/failure.js';
import { parseAnswer, requireKey } from '../services/keys.js';
import { addressAt, services } from '../services/services.js';

/** Default limit of an answer, in characters. */
const usualLength = 50_000;

/**
 * Wolfram|Alpha's facts about a subject, as text for models.
 * @throws Failure @see https://www.wolfram.com/apis/documentation/cag/wolfram-alpha-context-api
 */
export async function askForContext(context, { options, signal }) {
  const service = services.context;
  const { backend } = service;
  const key = requireKey(service);
  const { text, isCut } = await ask(service, addressAt(service, 'api/apis/v1/WolframAlphaContext'), {
    key,
    method: 'POST',
    headers: { authorization: key.value, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ context }),
    seconds: options.TimeConstraint,
    signal,
    accepts: acceptsJson,
  });
  const answer = isCut ? undefined : parseAnswer(text, key);
  if (typeof answer?.result !== 'string') {
    const why = isCut ? 'too much data' : 'an invalid result';
    throw new Failure(
      `The Wolfram|Alpha Context API answered with ${why}. Try again, or rephrase the question.`,
      {
        backend,
      },
    );
  }
  const result = answer.result.trim();
  if (answer.success === false) {
    throw new Failure(`The Wolfram|Alpha Context API failed. Its message: ${result.slice(0, 300)}`, {
      backend,
    });
  }
  return cut(firstItems(result, options.MaxItems), options.MaxCharacters ?? usualLength);
}

/** The beginning of a text, with at most this number of results. */
function firstItems(text, most) {
  if (most === undefined) return text;
  const end = '</result>';
  let at = 0;
  for (let count = 0; count < most; count += 1) {
    const next = text.indexOf(end, at);
    if (next === -1) return text;
    at = next + end.length;
  }
  return text.slice(0, at);
}

function cut(text, longest) {
  return text.length > longest ? `${text.slice(0, longest)}\n… (cut: the answer is longer than this)` : text;
}
