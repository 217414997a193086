import process from 'node:process';
import { localKernel } from '../kernel/kernel.js';

/** Longest wait of an answer for its notebook. The kernel may have to start. */
const waitMs = 15_000;

/**
 * Deploys the formatted answer to a query as a notebook, if the kernel on this machine is idle and connected to the
 * cloud. Optional: any failure means no notebook.
 * @returns {Promise<string | undefined>} the URL of the notebook
 */
export async function deployAnswer(query) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  try {
    return await Promise.race([deployByKernel(query), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Without a signal: a cancelled kernel would lose the sessions of evaluations. */
async function deployByKernel(query) {
  const kernel = await localKernel(process.env);
  if (!kernel || kernel.isBusy) return undefined;
  return await kernel.use(
    async (running) => await kernel.deployment.deploy(running, { identity: query, query }),
  );
}
