import { visibleTexts } from '../../../engine/base/visible-text.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import type { InstalledEntry, InstalledState } from '../../../engine/installation/installed.js';
import { secretsOf } from '../../../engine/installation/secret-uses.js';
import type { SignInFacts } from '../../../engine/sign-in/sign-in-record.js';
import { signInLine } from '../../shared/text/sign-in.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';
import { uninstallCommand } from '../../shared/text/uninstall-command.js';

/** An entry, and the sign-in to its server. */
export interface ListedEntry extends InstalledEntry {
  readonly signIn?: SignInFacts;
}

/** JSON output of `list-installed`. */
export function installedData({ receipt, state, reason, apps, signIn }: ListedEntry): object {
  const { client, scope, file, key, server, reference, version, time } = receipt;
  return {
    client,
    scope,
    file,
    key,
    server,
    reference,
    kind: kindOf(receipt),
    serverVersion: receipt.serverVersion ?? null,
    options: optionsOf(receipt),
    apps,
    state,
    ...(reason !== undefined && { reason }),
    ...(secretsOf(receipt).length > 0 && { secrets: secretsOf(receipt) }),
    ...(signIn && { signIn }),
    version,
    time,
  };
}

/** Options of `install`, without secrets. Older records have none. */
function optionsOf({ declared = {} }: Receipt): object {
  const { server: _, command: __, ...options } = declared;
  return options;
}

/** Records of earlier versions have no kind. */
function kindOf({ kind, existing }: Receipt): string {
  return kind ?? (existing ? 'existing' : 'extension');
}

/** Names for people of kinds of existing servers. */
const kindNames: Readonly<Record<string, string>> = {
  npm: 'npm package',
  pypi: 'PyPI package',
  docker: 'container image',
  nuget: 'NuGet package',
  registry: 'MCP Registry entry',
  url: 'remote server',
  bundle: 'bundle',
  'server-json': 'server.json',
  'client-config': 'entry of a config file',
  command: 'command',
};

/** Kind and version of an existing server, and its reference if it was installed under another one. */
function existingLine(receipt: Receipt): string {
  const { existing, server, serverVersion, reference } = receipt;
  if (!existing) return '';
  const kind = kindOf(receipt);
  const name = Object.hasOwn(kindNames, kind) ? kindNames[kind]! : 'existing server';
  const version = serverVersion === undefined ? '' : `, version ${serverVersion}`;
  const given = reference === server ? '' : `, installed as ${reference}`;
  return `\n  ${name}${version}${given}`;
}

/** Names of the secrets that the entry refers to. */
function secretsLine(receipt: Receipt): string {
  const names = secretsOf(receipt);
  return names.length === 0 ? '' : `\n  secrets: ${names.join(', ')}`;
}

/** Advice for each state. */
const stateAdvice: Readonly<Record<InstalledState, (receipt: Receipt) => string>> = {
  intact: () => '',
  edited: () => 'It was edited by hand. Write it again with install --force, or leave it.',
  gone: (receipt) =>
    `It is not in the file any more. Write it again with install, or forget it with: ${uninstallCommand(receipt)}`,
  'server missing': () => 'It would not start. Repair it with: agenttools doctor --fix',
};

/** Renders the installed entries, one by one. */
export function renderInstalled(
  installed: readonly ListedEntry[],
  options: ColorOption & { readonly nameOf: (client: string) => string },
): string {
  if (installed.length === 0)
    return 'Nothing is installed. Install a server with: agenttools install <client> <server>\n';
  const style = styleFor(options);
  const lines = visibleTexts(installed).map(({ receipt, state, reason, apps, signIn }) => {
    const { client, key, server, file } = receipt;
    const shown = state === 'intact' ? style.green(state) : style.yellow(state);
    // A file that cannot be read has its own advice.
    const isUnread = state === 'edited' && reason !== undefined;
    const why = [reason, isUnread ? '' : stateAdvice[state](receipt)].filter(Boolean).join(' ');
    return `${style.bold(server)} in ${options.nameOf(client)} as "${key}": ${shown}${existingLine(receipt)}${apps === false ? '\n  UI apps are off.' : ''}${secretsLine(receipt)}${signIn ? `\n  ${signInLine(signIn)}` : ''}\n  ${file}${why && `\n  ${why}`}\n`;
  });
  return lines.join('');
}
