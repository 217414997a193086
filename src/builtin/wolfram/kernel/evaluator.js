import process from 'node:process';
import { evaluateInCloud } from '../cloud/compute.js';
import { Failure } from '../services/failure.js';
import { withText } from './content.js';
import { evaluateLocally } from './evaluate-locally.js';
import { localKernel, NoKernel, TooManyCalls } from './kernel.js';
import { gettingAnEngine, MissingProgram } from './programs.js';
import { NoTemporaryFolder } from './temporary-folder.js';

const methods = ['Automatic', 'Local', 'Cloud'];

/** Wolfram's tool uses "Session" for the kernel of its server, which is the local kernel here. */
const otherNames = { Session: 'Local' };

/** Limit of the evaluation time, in seconds. The tool's `timeoutMs` is larger. */
const longestSeconds = 3600;

const dayMs = 24 * 60 * 60_000;

/** Evaluates Wolfram Language code in the local kernel or, without one, in the cloud. */
export default async function evaluateWolframLanguage({ code, timeConstraint, session }, ctx) {
  const { options, signal } = ctx;
  const method = otherNames[options.Method] ?? options.Method;
  if (!methods.includes(method)) {
    return failure(
      `The option Method of the tool is set to ${JSON.stringify(options.Method)}. Expected ${methods.join(', ')}.`,
    );
  }
  const request = {
    // JSON and kernels reject lone surrogates.
    code: code.toWellFormed(),
    session,
    seconds: Math.min(positive(timeConstraint ?? options.TimeConstraint, 60), longestSeconds),
    // The kernel requires an integer.
    maxCharacters: Math.max(200, Math.floor(positive(options.MaxCharacterCount, 10_000))),
    directory: ctx.root,
    wantsNotebook: ctx.ui === true && options.DeployNotebooks !== false,
    limits: {
      maxCount: positive(options.MaxSessionCount, 100),
      maxBytes: positive(options.MaxSessionBytes, 2 ** 30),
      maxAgeMs: positive(options.MaxSessionAge, 30) * dayMs,
    },
  };
  if (method === 'Cloud') return await inCloud(request, signal);

  const missing = await locally(request, signal);
  if (!(missing instanceof Missing)) return missing;
  if (method === 'Local') return failure(`${missing.message} ${missing.wayOut}`, missing.backend);
  if (!hasKey()) {
    return failure(
      `${missing.message} ${missing.wayOut} Or set WOLFRAM_API_KEY to evaluate in the Wolfram Cloud.`,
      missing.backend,
    );
  }
  return await inCloud(
    request,
    signal,
    missing.backend && `${missing.message} The Wolfram Cloud was used instead.`,
  );
}

/** Explains why no local kernel is available, and the fix. */
class Missing {
  constructor(message, wayOut, backend) {
    Object.assign(this, { message, wayOut, backend });
  }
}

async function locally(request, signal) {
  try {
    const kernel = await localKernel(process.env);
    if (!kernel) {
      return new Missing(
        'No Wolfram kernel was found: there is no wolframscript on the PATH or in the usual folders.',
        `${gettingAnEngine} If wolframscript is in another folder, set WOLFRAMSCRIPT to its path.`,
      );
    }
    return await evaluateLocally(kernel, request, signal);
  } catch (error) {
    if (error instanceof TooManyCalls || error instanceof NoTemporaryFolder)
      return failure(error.message, 'kernel');
    if (error instanceof MissingProgram) return new Missing(error.message, gettingAnEngine, 'kernel');
    if (error instanceof NoKernel) {
      return new Missing(
        `The Wolfram kernel could not be started: ${sentence(error.message)}`,
        'Run `wolframscript -code 1+1` in a terminal to check that it works, and `wolframscript -activate` if it needs activation.',
        'kernel',
      );
    }
    throw error;
  }
}

async function inCloud(request, signal, notice) {
  try {
    const text = await evaluateInCloud(request, { signal });
    const notes = [
      notice,
      request.session !== undefined &&
        'The cloud keeps no sessions: this call did not see definitions of earlier calls.',
    ].filter(Boolean);
    const content = [{ type: 'text', text: text.result }];
    return {
      content:
        notes.length === 0
          ? content
          : withText(content, `<system-reminder>${notes.join(' ')}</system-reminder>`),
      ...(!text.isSuccess && { isError: true }),
      _meta: { backend: 'cloud' },
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return failure(notice ? `${notice} ${error.message}` : error.message, 'cloud');
  }
}

function hasKey() {
  return Boolean(process.env.WOLFRAM_API_KEY?.trim());
}

/** A positive number of an untrusted option or argument; otherwise the default. */
function positive(value, otherwise) {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : otherwise;
}

function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function failure(text, backend) {
  return { content: [{ type: 'text', text }], isError: true, ...(backend && { _meta: { backend } }) };
}
