import { visibleText } from '../../../engine/base/visible-text.js';
import type { Deletion } from '../../../engine/installation/delete-server.js';
import type { MadeServer } from '../../../engine/user-servers/create.js';
import { renderDiff } from '../../shared/text/diff.js';
import { shellWord } from '../../shared/text/shell-word.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';
import { uninstallData, uninstallDiff, uninstallLines } from '../../shared/text/uninstallation.js';

/** Report of `create-server`, with the next steps. */
export function renderMadeServer(made: MadeServer, options: ColorOption): string {
  const style = styleFor(options);
  const { name, file, replaced } = made;
  const lists = (['tools', 'prompts', 'resources', 'apps', 'skills'] as const).flatMap((kind) =>
    made[kind].length === 0 ? [] : [`  ${kind.padEnd(9)}  ${made[kind].join(', ')}`],
  );
  const steps = [`agenttools show ${name}`, `agenttools install claude-desktop ${name}`];
  const lines = [
    `${replaced ? 'Replaced' : 'Created'} ${style.bold(name)} in ${shellWord(file)}:`,
    ...lists,
    '',
    ...(replaced
      ? ['Clients that have it serve the new one once they are restarted.']
      : ['Next:', ...steps.map((step) => `  ${style.cyan(step)}`)]),
  ];
  const [head, ...rest] = lines;
  return [head, ...rest.map(visibleText)].map((line) => `${line}\n`).join('');
}

/** JSON output of `create-server`. Notes go to stderr instead. */
export function withoutNotes({ notes: _, ...made }: MadeServer): object {
  return made;
}

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
  const last = deleted
    ? `${verb} "${name}"${where}.`
    : explainNotDeleted(name, { isKnown: notes.length === 0 });
  return entries + visibleText(`${last}\n`);
}

function explainNotDeleted(name: string, { isKnown }: { readonly isKnown: boolean }): string {
  return isKnown
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
