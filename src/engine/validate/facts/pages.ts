import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { positionAt } from '../../base/files/json-text.js';
import { isInside } from '../../base/files/path-containment.js';
import { errorMessage } from '../../base/thrown-value.js';
import type { Location } from '../../extension/diagnostics.js';
import type { Extension } from '../../extension/extension.js';
import type { CspList } from '../page/page-findings.js';

/** The page of an app. */
export interface PageSnapshot {
  readonly file: string;
  readonly bytes: number;
  /** The reasons why the page cannot be shown, or is incomplete. */
  readonly faults: readonly { readonly reason: string; readonly location: Location }[];
  readonly reaches: readonly LocatedRequest[];
  readonly evaluations: readonly { readonly by: string; readonly location: Location }[];
  /** The `href` of `<base>`, which relative URLs resolve against. */
  readonly base?: string;
  /** Strings of the handshake that no script contains. */
  readonly unsaid: readonly string[];
}

/** A URL outside the page that the page requests. */
export interface LocatedRequest {
  /** As written, or the start that is known before the page runs. */
  readonly url: string;
  /** The lists of which one must name the origin; empty if hosts never allow the request. */
  readonly lists: readonly CspList[];
  readonly by: string;
  readonly location: Location;
}

/** Larger files are not read: no author writes such a page. */
const maxAppPageBytes = 16 * 1024 * 1024;

/** Reads the page of an app. Undefined if it is missing or outside the package, which other rules report. */
export async function gatherPage(file: string, extension: Extension): Promise<PageSnapshot | undefined> {
  const { directory } = extension.manifest;
  const target = path.join(directory, file);
  if (!(await isInside(directory, target))) return undefined;
  const read = await readPageText(target);
  const nothing = { file, faults: [], reaches: [], evaluations: [], unsaid: [] };
  if ('reason' in read) {
    return { ...nothing, bytes: read.bytes, faults: [{ reason: read.reason, location: { file } }] };
  }
  const { text, bytes } = read;
  const { readPage } = await import('../page/analyze-page.js');
  const { hasDoctype, reaches, evaluations, faults, base, unsaid } = readPage(text);
  const placed = <T extends { readonly offset: number }>({ offset, ...rest }: T) => ({
    ...rest,
    location: { file, position: positionAt(text, offset) },
  });
  const doctype = { reason: 'does not begin with <!doctype html>', location: { file } };
  return {
    file,
    bytes,
    faults: [
      ...(hasDoctype ? [] : [doctype]),
      ...faults.map(({ reason, offset }) => ({
        ...placed({ offset }),
        reason: `has a script that no browser runs: ${reason}`,
      })),
    ],
    reaches: reaches.map(placed),
    evaluations: evaluations.map(placed),
    ...(base !== undefined && { base }),
    unsaid,
  };
}

type PageReadResult =
  | { readonly text: string; readonly bytes: number }
  | { readonly reason: string; readonly bytes: number };

async function readPageText(target: string): Promise<PageReadResult> {
  let bytes = 0;
  try {
    const info = await stat(target);
    bytes = info.size;
    if (!info.isFile()) return { bytes: 0, reason: 'is not a file' };
    if (bytes > maxAppPageBytes)
      return { bytes, reason: `is larger than ${maxAppPageBytes / 1024 / 1024} MB` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(target));
    return text.trim() === '' ? { bytes, reason: 'is empty' } : { bytes, text };
  } catch (error) {
    if (error instanceof TypeError) return { bytes, reason: 'is not UTF-8' };
    return { bytes, reason: `cannot be read: ${errorMessage(error)}` };
  }
}
