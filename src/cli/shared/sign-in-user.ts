import { once } from 'node:events';
import { AgentToolsError } from '../../engine/base/errors.js';
import type { SignInUser } from '../../engine/sign-in/authorize.js';
import { loginCommand } from '../../engine/sign-in/login-command.js';
import { signInUser } from '../../engine/sign-in/sign-in.js';
import type { SignInFor } from '../../engine/upstream/remote-sign-in.js';
import type { Host } from '../../host.js';
import { askLine, askYesNo, isInteractive } from './ask-question.js';
import { openBrowser } from './open-browser.js';
import { openSignIns } from './sign-ins.js';
import { writeNote } from './write-note.js';

/** The user at the terminal, with a browser on this machine or on another one. */
export function createSignInUser(host: Host, { useBrowser }: { readonly useBrowser: boolean }): SignInUser {
  return {
    visit: async (address, signal) => {
      const isOpen = useBrowser && (await openBrowser(address, host));
      const advice = isOpen
        ? 'The browser opens the page for the sign-in. If it does not, open this address:'
        : 'Open this address in a browser to sign in:';
      host.stderr.write(`${advice}\n\n  ${address.href}\n\n`);
      if (!isInteractive(host)) return undefined;
      const question =
        'If the browser runs on another machine, its last page does not load. Then paste the address of that page here: ';
      const line = await askLine(question, host, signal);
      host.stderr.write('\n');
      return line || undefined;
    },
  };
}

/** Signs the user in to a server, as `login` does. A failure is a note. */
export async function logInNow(url: string, host: Host): Promise<void> {
  const { logIn } = await import('../../engine/preflight/log-in.js');
  const user = createSignInUser(host, { useBrowser: true });
  const account = openSignIns(host).account(url);
  const { signal } = new AbortController();
  const choices = { account, user, isMachine: false, signal };
  try {
    await logIn({ url, headers: {}, transport: undefined }, choices);
    host.stderr.write(`Signed in to ${url}.\n`);
  } catch (error) {
    if (!(error instanceof AgentToolsError) || error.code === 'interrupted') throw error;
    writeNote(host, `${error.message} Try again with: ${loginCommand(url)}`);
  }
}

/**
 * Runs work that asks the user at the terminal to sign in where a server wants it. Without a terminal, `signIn` is
 * undefined. Ctrl-C at the question ends the work.
 * @throws AgentToolsError `interrupted`
 */
export async function offeringSignIn<T>(
  host: Host,
  work: (signIn: SignInFor | undefined, left: AbortSignal) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController();
  if (!isInteractive(host)) return await work(undefined, leaving.signal);
  const user = createSignInUser(host, { useBrowser: true });
  const { signal } = new AbortController();
  const offer: SignInFor = async (account, challenge) => {
    const rights = challenge.isScopeTooSmall ? ' with more rights' : '';
    const question = `${account.server} wants a sign-in${rights}. Sign in now?`;
    if (await askYesNo(question, host)) return await signInUser(account, { user, signal }, challenge);
    throw new AgentToolsError(
      'refused',
      `Not signed in. To sign in later, run: ${loginCommand(account.server, challenge)}`,
    );
  };
  const signIn: SignInFor = async (account, challenge) =>
    await offer(account, challenge).catch((error: unknown) => {
      if (error instanceof AgentToolsError && error.code === 'interrupted') leaving.abort(error);
      throw error;
    });
  return await Promise.race([work(signIn, leaving.signal), rejectOnAbort(leaving.signal)]);
}

/** Rejects with the reason when a signal aborts. */
export async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
