import { createHash } from 'node:crypto';
import { KernelEnded } from './process.js';

/** The kernel gives up before. */
const deployMs = 45_000;

/**
 * Puts what was evaluated into the cloud as a notebook, for clients that show one. Something on top of a finished
 * result: the first failure turns it off for as long as the kernel is used, and nobody else hears of it.
 */
export class Deployment {
  #isOff = false;
  /** Some accounts do not know the option that hides the footer. */
  #appearance = true;

  /**
   * @param {KernelProcess} kernel
   * @param {string} identity What the notebook holds, so that the same one is deployed to the same place.
   * @returns {Promise<string | undefined>} the notebook's address
   */
  async deploy(kernel, identity, signal) {
    if (this.#isOff) return undefined;
    const name = `${createHash('sha256').update(identity).digest('hex').slice(0, 40)}.nb`;
    try {
      const address = await this.#attempt(kernel, name, signal);
      if (address !== undefined) return address;
    } catch (error) {
      // Whoever cancelled says nothing of the cloud.
      if (!(error instanceof KernelEnded)) throw error;
      if (error.reason === 'cancelled') return undefined;
    }
    this.#isOff = true;
    return undefined;
  }

  async #attempt(kernel, name, signal) {
    const ask = async () =>
      await kernel.ask(
        { op: 'deploy', name, hideFooter: this.#appearance, seconds: 20 },
        { timeoutMs: deployMs, signal },
      );
    let answer = await ask();
    if (this.#appearance && answer.failure === 'appearancenotsup') {
      this.#appearance = false;
      answer = await ask();
    }
    return isCloudAddress(answer.url) ? answer.url : undefined;
  }
}

/** What viewers may embed. */
function isCloudAddress(url) {
  return typeof url === 'string' && /^https:\/\/www\.wolframcloud\.com\/obj\/[^\s"<>]{1,500}$/.test(url);
}

/** The address that viewers embed. */
export function embedAddress(url) {
  return `${url}${url.includes('?') ? '&' : '?'}syntaxMethod=editor`;
}

/** What the notebook is known by where a client drops everything but the content. */
export function notebookId(url) {
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(url)?.[0];
  return uuid ?? /\/obj\/([\w-]+)(?:[?#]|$)/.exec(url)?.[1];
}
