import type { Launch } from '../clients/client.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import type { InstalledEntry } from '../installation/installed.js';

/** Options of npx and its relatives that take a value. */
const withValue = new Set(['-p', '--package', '-c', '--call', '--prefix', '--registry']);

/** The package that a launch by npx, bunx or pnpm dlx runs; undefined for other launches. */
export function npxPackage({
  command,
  args,
}: Pick<Launch, 'command' | 'args'>): { readonly name: string; readonly version?: string } | undefined {
  const words = [command, ...args];
  const start = words.findIndex((word) => /(?:^|[\\/])(?:npx|bunx|pnpx)(?:\.cmd|\.exe)?$/i.test(word));
  // On Windows, `cmd /c npx`.
  if (start !== 0 && !(start === 2 && /^cmd(?:\.exe)?$/i.test(command))) return undefined;
  const rest = words.slice(start + 1);
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index]!;
    if (word === '-p' || word === '--package') return parse(rest[index + 1] ?? '');
    if (word.startsWith('--package=')) return parse(word.slice('--package='.length));
    if (withValue.has(word)) index++;
    else if (!word.startsWith('-')) return parse(word);
  }
  return undefined;
}

function parse(text: string): { readonly name: string; readonly version?: string } | undefined {
  const [, name, version] = /^((?:@[\w.-]+\/)?[\w.-]+)(?:@(.+))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(version !== undefined && { version }) };
}

/** The package of an installed npm server. */
export function npmOf({
  receipt,
}: Pick<InstalledEntry, 'receipt'>):
  | { readonly name: string; readonly version: string; readonly bin?: string }
  | undefined {
  const reference = readServerReference(receipt.server);
  if (reference.kind !== 'npm' || reference.version === undefined) return undefined;
  const { name, version, bin } = reference;
  return { name, version, ...(bin !== undefined && { bin }) };
}
