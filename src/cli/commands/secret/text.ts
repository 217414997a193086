import path from 'node:path';
import { visibleText } from '../../../engine/base/visible-text.js';
import type { SecretUse } from '../../../engine/installation/secret-uses.js';
import type { StoredSecret } from '../../../engine/secrets/secret-store.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

type NameOf = (client: string) => string;

/** Report of `secret set`. */
export function setText(name: string, stored: Pick<StoredSecret, 'isEncrypted'>): string {
  const lines = [
    `Set ${name}, ${placeOf(stored)}.`,
    `Refer to it: agenttools install <client> <server> --env ${name}=secret:${name}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Report of `secret remove`. */
export function removalText(
  name: string,
  { wasThere, uses, nameOf }: { wasThere: boolean; uses: readonly SecretUse[]; nameOf: NameOf },
): string {
  const first = wasThere ? `Removed ${name}.` : `There is no secret ${name}.`;
  const users = uses.map((use) => describeUse(use, nameOf)).join(', ');
  const still =
    uses.length === 0
      ? ''
      : `Still used by ${users}: it does not start before you run "agenttools secret set ${name}".\n`;
  return visibleText(`${first}\n${still}`);
}

interface SecretRenderOptions extends ColorOption {
  readonly uses: readonly SecretUse[];
  readonly dataFolder: string;
  readonly nameOf: NameOf;
}

/** Secrets for people: set ones first, then those that are only referred to. */
export function renderSecrets(
  stored: readonly StoredSecret[],
  { uses, dataFolder, nameOf, ...options }: SecretRenderOptions,
): string {
  const style = styleFor(options);
  const usersOf = (name: string) => {
    const users = uses.filter(({ secret }) => secret === name).map((use) => describeUse(use, nameOf));
    return users.length === 0 ? 'not used by any entry' : `used by ${users.join(', ')}`;
  };
  const lines = stored.map(
    (one) =>
      `${style.bold(one.name)}: set ${one.changed.slice(0, 10)}, ${placeOf(one)}\n  ${usersOf(one.name)}\n`,
  );
  const open = missingNames(stored, uses).map(
    (name) => `${style.bold(name)}: ${style.yellow('not set')}\n  ${usersOf(name)}\n`,
  );
  if (lines.length + open.length === 0)
    return 'There are no secrets. Set one with: agenttools secret set <name>\n';
  const file = path.join(dataFolder, 'secrets', 'secrets.json');
  return visibleText([...lines, ...open, ...(stored.length > 0 ? [`File: ${file}\n`] : [])].join(''));
}

/** JSON output of `secret list`. */
export function secretData(stored: readonly StoredSecret[], uses: readonly SecretUse[]): readonly object[] {
  const usedBy = (name: string) => uses.filter(({ secret }) => secret === name).map(useData);
  const rows = stored.map(({ name, changed, isEncrypted }) => ({
    name,
    kept: isEncrypted ? 'encrypted file' : 'file',
    changed,
    usedBy: usedBy(name),
  }));
  const open = missingNames(stored, uses).map((name) => ({
    name,
    kept: null,
    changed: null,
    usedBy: usedBy(name),
  }));
  return [...rows, ...open];
}

/** Secrets that something refers to, and that are not set. */
function missingNames(stored: readonly StoredSecret[], uses: readonly SecretUse[]): readonly string[] {
  const names = new Set(uses.map(({ secret }) => secret));
  return [...names].filter((name) => !stored.some((one) => one.name === name)).sort();
}

function placeOf({ isEncrypted }: Pick<StoredSecret, 'isEncrypted'>): string {
  return isEncrypted
    ? 'encrypted with a key in the keychain of the system'
    : 'in a file that only you can read';
}

function describeUse(use: SecretUse, nameOf: NameOf): string {
  if ('server' in use) return `your server ${use.server}`;
  const { client, key } = use.receipt;
  return `"${key}" in ${nameOf(client)}`;
}

function useData(use: SecretUse): object {
  if ('server' in use) return { server: use.server };
  const { client, file, key } = use.receipt;
  return { client, file, key };
}
