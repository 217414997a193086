import { visibleText } from '../../../engine/base/visible-text.js';
import { failedActions, type SyncRow, settledActions } from '../../../engine/sync/sync-row.js';
import { renderDiff } from '../../shared/text/diff.js';
import { type ColorOption, formatCount, styleFor } from '../../shared/text/style.js';

type Action = SyncRow['action'];

/** Words of the table. */
const words: Readonly<Record<Action, string>> = {
  add: 'add',
  update: 'update',
  remove: 'remove',
  adopt: 'adopt',
  none: 'same',
  keep: 'kept',
  conflict: 'conflict',
  skipped: 'skipped',
  refused: 'refused',
  failed: 'failed',
};

interface SyncRenderOptions extends ColorOption {
  readonly dryRun: boolean;
  /** Client that the servers come from; undefined: a set. */
  readonly from: string | undefined;
}

/** Report of `sync`: a table of servers and clients, and a line for each entry that needs one. */
export function syncLines(rows: readonly SyncRow[], { dryRun, color, from }: SyncRenderOptions): string {
  if (rows.length === 0) return 'There are no servers to synchronise.\n';
  const changes = rows.filter(({ action }) => ['add', 'update', 'remove', 'adopt'].includes(action));
  const count = formatCount(changes.length, 'entry').replace('entrys', 'entries');
  const summary =
    changes.length === 0 ? 'Nothing to change.' : `${dryRun ? 'Would change' : 'Changed'} ${count}.`;
  const lines = [renderTable(rows, { color }), ...explain(rows, from), summary];
  return visibleText(`${lines.join('\n')}\n`);
}

function renderTable(rows: readonly SyncRow[], options: ColorOption): string {
  const style = styleFor(options);
  const clients = [...new Set(rows.map(({ client }) => client))];
  const keys = [...new Set(rows.map(({ key }) => key))];
  const cell = (key: string, client: SyncRow['client']): Action | undefined =>
    rows.find((row) => row.key === key && row.client === client)?.action;
  const head = ['', ...clients.map(({ id }) => id)];
  const body = keys.map((key) => [
    key,
    ...clients.map((client) => {
      const action = cell(key, client);
      return action === undefined ? '-' : words[action];
    }),
  ]);
  const widths = head.map((_, index) => Math.max(...[head, ...body].map((row) => row[index]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => text.padEnd(widths[index]!))
      .join('  ')
      .trimEnd();
  return [style.bold(line(head)), ...body.map(line)].join('\n');
}

/** One line for each reason, and the notes. */
function explain(rows: readonly SyncRow[], from: string | undefined): readonly string[] {
  const told = rows.flatMap((row, index) => {
    const { key, action, reason } = row;
    const isSame = (one: SyncRow) => one.key === key && one.action === action && one.reason === reason;
    if (reason === undefined || rows.findIndex(isSame) !== index) return [];
    const alike = rows.filter(isSame).map(({ client }) => client);
    const names = alike.map(({ name }) => name).join(', ');
    const fault = failedActions.includes(action) ? 'error: ' : '';
    return [`${fault}"${key}" in ${names}: ${reason}${adviceFor(row, alike, from)}`];
  });
  const notes = rows.flatMap(({ key, client, notes: own = [] }) =>
    own.map((note) => `  "${key}" in ${client.name}: ${note}`),
  );
  return [...told, ...notes];
}

function adviceFor(
  { action, key, reason = '' }: SyncRow,
  clients: readonly SyncRow['client'][],
  from: string | undefined,
): string {
  if (reason.includes('--') || (action !== 'keep' && action !== 'conflict')) return '';
  const source = from === undefined ? '' : ` --from ${from}`;
  const ids = clients.map(({ id }) => id).join(',');
  return ` Overwrite it with: agenttools sync ${key}${source} --to ${ids} --force`;
}

/** Differences, one line for each entry, for `--check`. */
export function driftLines(rows: readonly SyncRow[], options: ColorOption): string {
  const style = styleFor(options);
  const drift = rows.filter(({ action }) => !settledActions.includes(action));
  if (drift.length === 0)
    return `In sync: ${rows.filter(({ action }) => action === 'none').length} entries.\n`;
  const what: Partial<Record<Action, string>> = {
    add: 'is missing',
    update: 'differs from the set',
    remove: 'is not in the set any more',
  };
  const groups = new Map<string, readonly SyncRow[]>();
  for (const row of drift) {
    const { key, action, file, reason } = row;
    const name = JSON.stringify([key, action, file, reason]);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const lines = [...groups.values()].map((rows) => {
    const { key, action, file, reason } = rows[0]!;
    const names = rows.map(({ client }) => client.name).join(', ');
    const place = file === undefined ? names : `${names} (${file})`;
    return `${style.yellow(words[action])}  "${key}" in ${place}: ${reason ?? what[action] ?? words[action]}`;
  });
  return visibleText(`${lines.join('\n')}\n`);
}

/** One diff for each file. */
export function syncDiff(rows: readonly SyncRow[]): string {
  const files = new Map<string, { file: string; before: string | null; after: string | null }>();
  for (const { file, before, after } of rows) {
    if (file === undefined || before === undefined || after === undefined) continue;
    files.set(file, { file, before: files.get(file) ? files.get(file)!.before : before, after });
  }
  return [...files.values()].map(renderDiff).join('');
}

/** JSON output of `sync`. */
export function syncData(
  { client, key, server, action, file, reason, before, after }: SyncRow,
  { dryRun }: { readonly dryRun: boolean },
): object {
  return {
    client: client.id,
    key,
    server,
    action: words[action],
    ...(file !== undefined && { file }),
    ...(reason !== undefined && { reason }),
    changed: before !== after,
    ...(dryRun &&
      file !== undefined &&
      before !== undefined &&
      after !== undefined && { diff: renderDiff({ file, before, after }) }),
  };
}
