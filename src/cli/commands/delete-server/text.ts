import { visibleText } from '../../../engine/base/visible-text.js';
import type { Deletion } from '../../../engine/installation/delete-server.js';
import { renderDiff } from '../../shared/text/diff.js';
import { uninstallData, uninstallDiff, uninstallLines } from '../../shared/text/uninstallation.js';

interface DeletionRenderOptions {
  readonly dryRun: boolean;
  /** Display name of a client, by id. */
  readonly nameOf: (client: string) => string;
}

/** Report of `delete-server`: one line per entry, then the outcome for the server. */
export function deletionLines(
  { name, results, notes, deleted, files }: Deletion,
  wording: DeletionRenderOptions,
): string {
  const instead = { here: [], elsewhere: [] };
  const entries =
    results.length > 0
      ? uninstallLines({ results, notes, instead }, wording)
      : notes.map((note) => `warning: ${note}\n`).join('');
  const places = files.filter(({ after }) => after === null).map(({ file }) => file);
  const where = places.length === 0 ? '' : ` (${places.join(', ')})`;
  const verb = wording.dryRun ? 'Would delete' : 'Deleted';
  const last = deleted ? `${verb} "${name}"${where}.` : explainNotDeleted({ name, notes });
  return entries + visibleText(`${last}\n`);
}

/** The reason why a server was not deleted. */
export function explainNotDeleted({ name, notes }: Pick<Deletion, 'name' | 'notes'>): string {
  return notes.length === 0
    ? `"${name}" was not deleted: all its entries must go first.`
    : `"${name}" was not deleted: AgentTools cannot check every client that may use it. Use --force to delete it anyway.`;
}

/** Diffs of the planned changes: first files of clients, then files of the server. */
export function deletionDiff({ results, files }: Deletion, wording: DeletionRenderOptions): string {
  return uninstallDiff(results, wording) + files.map(renderDiff).join('');
}

/** JSON output of `delete-server`. */
export function deletionData({ name, results, files }: Deletion, wording: DeletionRenderOptions): object {
  const { dryRun } = wording;
  return {
    name,
    deleted: !dryRun,
    uninstalled: uninstallData(results, wording),
    ...(dryRun && { diff: files.map(renderDiff).join('') }),
  };
}
