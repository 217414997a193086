import { visibleText } from '../../../engine/base/visible-text.js';
import type { CommandChanges } from '../../../engine/clients/command-history.js';
import { changedEntries, commandTime, entryNames } from '../../shared/text/history.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** JSON output of `history`. */
export function historyData({ number, time, command, changes, open, undoes }: CommandChanges): object {
  return {
    change: number,
    time,
    command,
    undone: open.length === 0,
    ...(undoes !== undefined && { undoes }),
    files: changes.flatMap((change) =>
      changedEntries(change).map((entry) => ({ ...entry, file: change.file, outcome: change.outcome })),
    ),
  };
}

/** Renders the commands, and a line for each file. */
export function renderHistory(commands: readonly CommandChanges[], options: ColorOption): string {
  if (commands.length === 0) return 'AgentTools has changed no config file yet.\n';
  const style = styleFor(options);
  const lines = commands.flatMap((one) => {
    const { number, command, changes, open, undoes } = one;
    const of = undoes === undefined ? '' : ` of ${undoes}`;
    const state = open.length === 0 ? style.dim(' (taken back)') : '';
    return [
      `${style.bold(String(number))}  ${commandTime(one)}  ${command}${of}${state}`,
      ...changes.map((change) => {
        const { keys, client } = entryNames(change);
        return visibleText(`   ${change.outcome} ${keys} in ${client}: ${change.file}`);
      }),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}
