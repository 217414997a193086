import { readHistory } from './config-change.js';
import type { RecordedChange } from './file-change.js';
import { commandId } from './history.js';
import type { Receipts } from './receipts.js';

/** The changes that one command made. */
export interface CommandChanges {
  /** Number by which users name the command. */
  readonly number: number;
  readonly command: string;
  /** Time of the first change, as ISO 8601. */
  readonly time: string;
  /** In their order; at least one. */
  readonly changes: readonly RecordedChange[];
  /** The {@link changes} that were not taken back. */
  readonly open: readonly RecordedChange[];
  /** Number of the command that this one took back; undefined if it took back none. */
  readonly undoes?: number;
}

/** False if a command only renewed records: the config files were as it wanted them. */
export function changesFiles({ changes }: CommandChanges): boolean {
  return changes.some(({ outcome }) => outcome !== 'unchanged');
}

/** Returns the commands that changed config files or records, the oldest first. */
export async function listCommands(
  receipts: Receipts,
): Promise<{ readonly commands: readonly CommandChanges[]; readonly notes: readonly string[] }> {
  const { changes, notes } = await readHistory(receipts);
  const isTakenBack = (name: string): boolean =>
    changes.some((one) => one.undoes === name && !isTakenBack(one.name));
  const groups = new Map<string, RecordedChange[]>();
  for (const change of changes) {
    const id = commandId(change.name);
    groups.set(id, [...(groups.get(id) ?? []), change]);
  }
  const commands = [...groups.values()].map((own): CommandChanges => {
    const [{ command, time, name, undoes }] = own as [RecordedChange];
    return {
      number: numberOf(name),
      command,
      time,
      changes: own,
      open: own.filter((one) => !isTakenBack(one.name)),
      ...(undoes !== undefined && { undoes: numberOf(firstOf(undoes, groups)) }),
    };
  });
  return { commands, notes };
}

/** Name of the first change of the same command. */
function firstOf(name: string, groups: ReadonlyMap<string, readonly RecordedChange[]>): string {
  return groups.get(commandId(name))?.[0]?.name ?? name;
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}
