import { findHarmedTools, type HarmedTools } from '../adaptation/harmed-tools.js';
import type { Client } from '../clients/client.js';
import { limitSubjects } from '../compatibility/client-limits.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import type { ListedItem } from '../preflight/read-record.js';
import { adaptVariable } from '../runtime/adapt.js';
import type { InstallRequest } from './install-request.js';
import type { InstallSource } from './install-source.js';

interface EntryFacts {
  readonly client: Client;
  readonly key: string;
  /** Everything that the server lists. */
  readonly items: Iterable<ListedItem>;
  readonly source: Pick<InstallSource, 'isOurs' | 'adapt'>;
  readonly request: Pick<InstallRequest, 'adapt' | 'variables'>;
}

/** Tools of a new entry that its client loses or damages. Empty if the user has chosen the adaptation. */
export function harmedBy({ client, key, items, source, request }: EntryFacts): readonly HarmedTools[] {
  const isChosen = request.variables.some(({ name }) => name === adaptVariable);
  if (request.adapt !== undefined || isChosen) return [];
  const tools = [...items].flatMap(({ kind, value }) => (kind === 'tool' ? [value as ListedTool] : []));
  const adapt = source.isOurs ? (source.adapt ?? 'auto') : 'off';
  return findHarmedTools(tools, client.id, { serverKey: key, adapt });
}

/** Most names in a sentence. */
const maxNames = 5;

/** The tools in sentences, and the way to have them whole. */
export function harmNotes(
  harmed: readonly HarmedTools[],
  { name }: Client,
  { isOurs, adapt }: Pick<InstallSource, 'isOurs' | 'adapt'>,
): readonly string[] {
  if (harmed.length === 0) return [];
  const lines = harmed.map(({ limit: { subject, does, limit, unit }, tools }) => {
    const who = limitSubjects.find(({ id }) => id === subject)?.name ?? subject;
    const over = limit === undefined ? '' : ` (limit: ${limit.toLocaleString('en-US')} ${unit})`;
    const rest = tools.length > maxNames ? ` and ${tools.length - maxNames} more` : '';
    return `${who} ${does}${over}: ${tools.slice(0, maxNames).join(', ')}${rest}.`;
  });
  return [
    ...lines,
    ...(adapt === 'on'
      ? []
      : [
          `For tools that ${name} can use whole, repeat the command with --adapt${isOurs ? '' : ': the entry then starts the server through AgentTools'}.`,
        ]),
  ];
}
