import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { followLinks } from '../base/files/text-file.js';
import type { Receipt } from '../clients/receipt.js';
import { shownUrl } from '../existing-servers/hide-secrets.js';
import { imageWithoutTag } from '../existing-servers/server-name.js';
import { readServerReference, type ServerReference } from '../existing-servers/server-reference.js';
import { isPathArgument } from '../extension/workspace.js';

/** Folders that relative paths start from. */
interface PathFolders {
  readonly cwd: string;
  readonly home: string;
}

/** True for receipts of the server that a reference names, in any spelling: with or without version, or by its key. */
export async function receiptMatcher(
  reference: string,
  { cwd, home }: PathFolders,
): Promise<(receipt: Receipt) => boolean> {
  const resolvePlace = (place: string): string => path.resolve(cwd, place.replace(/^~(?=$|[\\/])/, home));
  const wanted = readExisting(reference, resolvePlace);
  const isExisting = (receipt: Receipt): boolean => {
    if (!receipt.existing || !wanted) return false;
    const held = readExisting(receipt.server, (place) => place);
    return held !== undefined && isSameServer(wanted, held);
  };
  if (isPathArgument(reference)) {
    const spelled = resolvePlace(reference);
    const targets = [spelled, await followLinks(spelled)];
    const isAt = ({ argument, existing }: Receipt): boolean => {
      const folder = path.isAbsolute(argument) && !existing ? path.dirname(argument) : '';
      return [argument, folder].some((one) => targets.includes(one));
    };
    return (receipt) => isAt(receipt) || isExisting(receipt);
  }
  const hasBareScope = reference.split('/').length === 3 && !reference.startsWith('@');
  const spellings = hasBareScope ? [reference, `@${reference}`] : [reference];
  return (receipt) =>
    [receipt.reference, receipt.server, receipt.key].some((one) => spellings.includes(one)) ||
    isExisting(receipt);
}

/** The existing server that a text names; undefined if it names none. */
function readExisting(text: string, resolvePlace: (place: string) => string): ServerReference | undefined {
  try {
    const reference = readServerReference(text);
    if (reference.kind === 'name') return reference.isBare ? undefined : reference.npm;
    if (reference.kind === 'bundle' || reference.kind === 'document')
      return reference.isRemote ? reference : { ...reference, place: resolvePlace(reference.place) };
    return reference;
  } catch (error) {
    if (error instanceof AgentToolsError) return undefined;
    throw error;
  }
}

/** Parts without a value in the wanted reference match any. */
function isSameServer(wanted: ServerReference, held: ServerReference): boolean {
  if (wanted.kind === 'url' && held.kind === 'url')
    return new URL(shownUrl(wanted.url)).href === new URL(shownUrl(held.url)).href;
  if (wanted.kind === 'docker' && held.kind === 'docker')
    return wanted.image === held.image || wanted.image === imageWithoutTag(held.image);
  const parts = new Map<string, unknown>(Object.entries(held));
  return Object.entries(wanted).every(([name, value]) => value === undefined || parts.get(name) === value);
}
