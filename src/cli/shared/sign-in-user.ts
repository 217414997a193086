import type { SignInUser } from '../../engine/sign-in/authorize.js';
import type { Host } from '../../host.js';
import { askLine, isInteractive } from './ask-question.js';
import { openBrowser } from './open-browser.js';

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
