import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { findClient } from '../../../engine/clients/locate-config.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { exportSet } from '../../../engine/sync/export-set.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { formatCount } from '../../shared/text/style.js';

export interface ExportInput {
  readonly keys: readonly string[];
  readonly from: readonly string[];
  readonly foreign: boolean;
  readonly project: string | undefined;
  readonly out: string | undefined;
  /** Replaces an existing file. */
  readonly force: boolean;
}

/** Prints the installed servers as a set. Notes go to stderr. */
export async function exportCommand(
  { keys, from, foreign, project, out, force }: ExportInput,
  host: Host,
): Promise<ExitCode> {
  const file = out === undefined ? undefined : path.resolve(host.cwd, out);
  const { set, count, secrets, notes } = await exportSet(
    {
      scope:
        project === undefined
          ? { kind: 'user' }
          : { kind: 'project', folder: path.resolve(host.cwd, project) },
      keys,
      clients: from.length === 0 ? undefined : from.map((name) => findClient(name).id),
      foreign,
      folder: file === undefined ? host.cwd : path.dirname(file),
    },
    installationFolders(host),
  );
  const text = `${JSON.stringify(set, undefined, 2)}\n`;
  if (file === undefined) host.stdout.write(text);
  else await writeSet(file, text, force);
  const asked = secrets.length === 0 ? [] : [`sync needs the values of: ${secrets.join(', ')}`];
  const done = file === undefined ? [] : [`Wrote ${formatCount(count, 'server')} to ${file}.`];
  host.stderr.write(visibleText([...notes, ...done, ...asked].map((line) => `${line}\n`).join('')));
  return ExitCode.Ok;
}

async function writeSet(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const message = isThere
      ? `${file} exists. Name another file, or replace it with --force.`
      : `${file} cannot be written: ${(error as Error).message}`;
    throw new AgentToolsError('refused', message);
  }
}
