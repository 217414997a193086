import { createHash } from 'node:crypto';
import { KernelEnded } from './process.js';

/** Time limit of the client side. The kernel gives up earlier. */
const deployMs = 45_000;

/**
 * Deploys an evaluation to the cloud as a notebook, for clients that show notebooks. Optional: the first failure
 * disables it for the life of the kernel, without an error in the result.
 */
export class Deployment {
  #isOff = false;
  /** False after the account refused the option that hides the footer. */
  #appearance = true;

  /**
   * @param {KernelProcess} kernel
   * @param {{ identity: string, query?: string }} content `identity`: key of the content, so that equal content replaces
   *   the same notebook. `query`: the notebook has the answer of Wolfram|Alpha. Default: the last evaluation.
   * @returns {Promise<string | undefined>} the URL of the notebook
   */
  async deploy(kernel, { identity, query }, signal) {
    if (this.#isOff) return undefined;
    const name = `${createHash('sha256').update(identity).digest('hex').slice(0, 40)}.nb`;
    try {
      const { url, failure } = await this.#attempt(
        kernel,
        { name, ...(query !== undefined && { query }) },
        signal,
      );
      if (isCloudAddress(url)) return url;
      // The user may connect later, and another query may have an answer.
      if (failure === 'not connected' || failure === 'no answer') return undefined;
    } catch (error) {
      // After a cancellation, deployment stays enabled.
      if (!(error instanceof KernelEnded)) throw error;
      if (error.reason === 'cancelled') return undefined;
    }
    this.#isOff = true;
    return undefined;
  }

  async #attempt(kernel, content, signal) {
    const ask = async () =>
      await kernel.ask(
        { op: 'deploy', ...content, hideFooter: this.#appearance, seconds: 20 },
        { timeoutMs: deployMs, signal },
      );
    let answer = await ask();
    if (this.#appearance && answer.failure === 'appearancenotsup') {
      this.#appearance = false;
      answer = await ask();
    }
    return answer;
  }
}

/** Detects URLs that viewers may embed. */
function isCloudAddress(url) {
  return typeof url === 'string' && /^https:\/\/www\.wolframcloud\.com\/obj\/[^\s"<>]{1,500}$/.test(url);
}

/** The URL that viewers embed. */
export function embedAddress(url) {
  return `${url}${url.includes('?') ? '&' : '?'}syntaxMethod=editor`;
}

/** Id of the notebook for clients that pass on content only. */
export function notebookId(url) {
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(url)?.[0];
  return uuid ?? /\/obj\/([\w-]+)(?:[?#]|$)/.exec(url)?.[1];
}

/** Adds the mark by which a viewer finds the notebook if its client passes on content only. */
export function markedContent(content, url) {
  const id = notebookId(url);
  if (id === undefined) return content;
  return [
    { type: 'text', text: `<result uuid="${id}">\n` },
    ...content,
    { type: 'text', text: '\n</result>' },
  ];
}
