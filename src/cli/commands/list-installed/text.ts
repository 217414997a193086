import { visibleTexts } from '../../../engine/base/visible-text.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import type { InstalledEntry, InstalledState } from '../../../engine/installation/installed.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';
import { uninstallCommand } from '../../shared/text/uninstall-command.js';

/** JSON output of `list-installed`. */
export function installedData({ receipt, state }: InstalledEntry): object {
  const { client, scope, file, key, server, version, time } = receipt;
  return { client, scope, file, key, server, state, version, time };
}

/** Advice for each state. */
const stateAdvice: Readonly<Record<InstalledState, (receipt: Receipt) => string>> = {
  intact: () => '',
  edited: () => 'It was edited by hand. Write it again with install --force, or leave it.',
  gone: (receipt) =>
    `It is not in the file any more. Write it again with install, or forget it with: ${uninstallCommand(receipt)}`,
  'server missing': () => 'It would not start.',
};

/** Renders the installed entries, one by one. */
export function renderInstalled(
  installed: readonly InstalledEntry[],
  options: ColorOption & { readonly nameOf: (client: string) => string },
): string {
  if (installed.length === 0)
    return 'Nothing is installed. Install a server with: agenttools install <client> <server>\n';
  const style = styleFor(options);
  const lines = visibleTexts(installed).map(({ receipt, state, reason }) => {
    const { client, key, server, file } = receipt;
    const shown = state === 'intact' ? style.green(state) : style.yellow(state);
    const why = [reason, stateAdvice[state](receipt)].filter(Boolean).join(' ');
    return `${style.bold(server)} in ${options.nameOf(client)} as "${key}": ${shown}\n  ${file}${why && `\n  ${why}`}\n`;
  });
  return lines.join('');
}
