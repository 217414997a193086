import { blocksOf, withText } from './content.js';
import { embedAddress, markedContent } from './deployment.js';
import { asciiCode } from './lines.js';
import { KernelEnded } from './process.js';
import { contextOf, isSessionId, newSessionId } from './sessions.js';
import { inTemporaryFolder } from './temporary-folder.js';
import { Transcript } from './transcript.js';

/** Time between the time limit of an evaluation and the end of the kernel. */
const graceMs = 5000;

/** Time limit of the steps after the evaluation: pictures, which start a front end, and saving the session. */
const afterMs = 150_000;

/** Time limit for loading a saved session. */
const beforeMs = 90_000;

/** Limit of printed bytes. A kernel that prints more is ended. */
const mostPrinted = 64 * 1024 * 1024;

/** Most sessions in the kernel. Others are loaded from their files. */
const mostLive = 20;

/**
 * Evaluates code in a session of the local kernel.
 *
 * @param {Kernel} kernel
 * @param {{ code: string, session?: string, seconds: number, maxCharacters: number, directory?: string, wantsNotebook: boolean, limits: object }} request
 * @returns the result for the client
 * @throws {NoKernel | TooManyCalls} when nothing was evaluated
 */
export async function evaluateLocally(kernel, request, signal) {
  const id = isSessionId(request.session ?? '') ? request.session : newSessionId();
  return await kernel.use(
    async (running) =>
      await inTemporaryFolder(async (folder) => {
        const evaluation = new Evaluation({ kernel, running, request, id, folder, signal });
        return await evaluation.result();
      }),
    signal,
  );
}

class Evaluation {
  constructor({ kernel, running, request, id, folder, signal }) {
    Object.assign(this, { kernel, running, request, id, signal });
    this.transcript = new Transcript(folder);
  }

  async result() {
    const { kernel, running, request, id } = this;
    const { saved, live } = kernel;
    const isThere = await this.#prepare();
    const isKnown = live.has(id);
    const wasKept = isThere && (await saved.has(id));
    await this.transcript.create();
    let answer;
    try {
      answer = await running.ask(
        {
          op: 'evaluate',
          code: asciiCode(request.code),
          source: request.code,
          notebook: request.wantsNotebook,
          context: contextOf(id),
          load: wasKept ? saved.file(id) : '',
          save: isThere ? saved.draft(id) : '',
          forget: this.#surplus(),
          seconds: request.seconds,
          maxCharacters: request.maxCharacters,
          transcript: this.transcript.file,
          mark: this.transcript.mark,
          directory: request.directory ?? '',
        },
        this.#bounds(),
      );
    } catch (error) {
      if (!(error instanceof KernelEnded)) throw error;
      await saved.dropDraft(id);
      return await this.#endedResult(error, wasKept);
    }
    const isSaved = answer.saved === true && (await saved.keep(id));
    // Moves the id to the end of the set.
    live.delete(id);
    if (isSaved || isKnown) live.add(id);
    await saved.tidy({ current: id, ...request.limits });
    return await this.#answeredResult(answer, isSaved);
  }

  /** Reports if sessions can be stored. */
  async #prepare() {
    try {
      await this.kernel.saved.prepare();
      return true;
    } catch {
      return false;
    }
  }

  /** Contexts of the least recently used sessions above the limit. All of them are saved. */
  #surplus() {
    const { live } = this.kernel;
    const ids = [...live].filter((id) => id !== this.id).slice(0, Math.max(0, live.size - mostLive));
    for (const id of ids) live.delete(id);
    return ids.map(contextOf);
  }

  #bounds() {
    const evaluationMs = this.request.seconds * 1000 + graceMs;
    let printed = 0;
    return {
      signal: this.signal,
      timeoutMs: beforeMs,
      onNews: ({ phase }, { extend }) => {
        if (phase === 'evaluating') extend(evaluationMs);
        if (phase === 'evaluated') extend(afterMs);
      },
      check: () => {
        this.transcript.size().then((size) => {
          printed = size;
        });
        if (printed > mostPrinted) throw new KernelEnded('flood', 'it printed too much');
      },
    };
  }

  async #answeredResult(answer, isSaved) {
    const { kernel, running, request, id } = this;
    const outputs = outputsOf(answer);
    const prints = await this.#prints();
    const blocks = blocksOf({ outputs, prints, maxCharacters: request.maxCharacters });
    const isError = answer.outcome !== 'done';
    const told = isError ? withText(blocks, troubleOf(answer)(request.seconds)) : blocks;
    const content = withText(
      told.length === 0 ? [{ type: 'text', text: 'No output.' }] : told,
      this.#reminder(answer, isSaved),
    );
    const url =
      request.wantsNotebook && answer.cloud === true && !isError
        ? await kernel.deployment.deploy(
            running,
            { identity: JSON.stringify([id, request.code, blocks]) },
            this.signal,
          )
        : undefined;
    return {
      content: url === undefined ? content : markedContent(content, url),
      ...(isError && { isError }),
      _meta: { backend: 'kernel', ...(url !== undefined && { notebookUrl: embedAddress(url) }) },
    };
  }

  /** The result after the kernel has ended: it keeps printed text and loses definitions since the last call. */
  async #endedResult({ reason, message }, wasKept) {
    const { request, id, kernel } = this;
    kernel.live.clear();
    const blocks = blocksOf({
      outputs: [],
      prints: await this.#prints(),
      maxCharacters: request.maxCharacters,
    });
    const why =
      endings[reason]?.(request.seconds) ?? `The Wolfram kernel ended during the evaluation: ${message}.`;
    const rest = wasKept
      ? 'The next call starts it again and continues the session from the state saved after the previous call.'
      : 'The next call starts it again. This session had no saved state.';
    return {
      content: withText(withText(blocks, `${why} ${rest}`), reminderText(id)),
      isError: true,
      _meta: { backend: 'kernel' },
    };
  }

  /** Printed text of each expression. Output that bypasses the kernel is added to the last one. */
  async #prints() {
    const prints = await this.transcript.prints();
    const stray = this.running.takeWords();
    return stray.trim() === '' ? prints : [...prints.slice(0, -1), `${prints.at(-1)}\n${stray}`];
  }

  #reminder(answer, isSaved) {
    const { session } = this.request;
    const notices = [];
    if (session !== undefined && !isSessionId(session)) {
      notices.push('The given session ID is invalid, so a new session was started.');
    } else if (session !== undefined && answer.session === 'new') {
      notices.push(
        'No saved state was found for the requested session ID, so a new empty session was started.',
      );
    } else if (answer.session === 'unreadable') {
      notices.push('The saved state of the session could not be read by this kernel, so it starts empty.');
    } else if (answer.session === 'resumed') {
      notices.push('A new kernel was started; the session was restored from its saved state.');
    }
    if (!isSaved) notices.push('The session could not be saved: it is lost when the kernel ends.');
    return reminderText(this.id, notices);
  }
}

const troubles = {
  late: (seconds) =>
    `The evaluation was stopped after ${seconds} s, its time limit. Give a larger timeConstraint, or simplify the code.`,
  aborted: () => 'The evaluation was aborted.',
  syntax: () => 'The code is not syntactically correct. Nothing was evaluated.',
  failed: () => 'The kernel could not convert the result to text.',
};

function troubleOf({ outcome }) {
  return Object.hasOwn(troubles, outcome) ? troubles[outcome] : troubles.failed;
}

const endings = {
  late: (seconds) =>
    `The evaluation did not stop at its time limit of ${seconds} s, so the Wolfram kernel was ended.`,
  flood: () => 'The evaluation printed too much, so the Wolfram kernel was ended.',
  cancelled: () => 'The evaluation was cancelled, so the Wolfram kernel was ended.',
};

function reminderText(id, notices = []) {
  const how = `Pass session="${id}" in future calls to this tool to continue this session.`;
  return `<system-reminder>${[...notices, how].join(' ')}</system-reminder>`;
}

/** The valid outputs of a response. */
function outputsOf({ outputs }) {
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(
    (output) =>
      typeof output === 'object' &&
      output !== null &&
      Number.isInteger(output.line) &&
      Number.isInteger(output.index) &&
      (output.tail === undefined || typeof output.tail === 'string') &&
      (output.image === undefined || isPicture(output.image)),
  );
}

/** Limit of a picture in Base64, above the size that a kernel sends. */
const longestPicture = 8 * 1024 * 1024;

function isPicture(image) {
  return typeof image === 'string' && image.length <= longestPicture && /^[A-Za-z0-9+/=]+$/.test(image);
}
