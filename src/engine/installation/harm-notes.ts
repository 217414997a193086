import { findHarmedTools, type HarmedTools } from '../adaptation/harmed-tools.js';
import { isRecord } from '../base/value-checks.js';
import type { Client } from '../clients/client.js';
import { limitSubjects } from '../compatibility/client-limits.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import type { ListedItem } from '../preflight/read-record.js';
import { adaptVariable } from '../runtime/adapt.js';
import type { InstallRequest } from './install-request.js';
import type { InstallSource } from './install-source.js';

interface EntryFacts {
  /** Values that names of tools may contain, and no message. */
  readonly secrets: readonly string[];
  readonly client: Client;
  readonly key: string;
  /** Everything that the server lists. */
  readonly items: Iterable<ListedItem>;
  readonly source: Pick<InstallSource, 'isOurs' | 'adapt'>;
  readonly request: Pick<InstallRequest, 'adapt' | 'variables'>;
}

/** Tools of a new entry that its client loses or damages. Empty if the user has chosen the adaptation. */
export function harmedBy({
  client,
  key,
  items,
  source,
  request,
  secrets,
}: EntryFacts): readonly HarmedTools[] {
  const isChosen = request.variables.some(({ name }) => name === adaptVariable);
  if (request.adapt !== undefined || isChosen) return [];
  const tools = [...items].flatMap(({ kind, value }) => (kind === 'tool' ? [value as ListedTool] : []));
  const adapt = source.isOurs ? (source.adapt ?? 'auto') : 'off';
  const harmed = findHarmedTools(tools, client.id, { serverKey: key, adapt });
  const hide = (name: string) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), name);
  return harmed.map(({ limit, tools: names }) => ({ limit, tools: names.map(hide) }));
}

/** Fields of a tool that may be absent, but not null. */
const optionalFields = ['title', 'description', 'annotations', 'outputSchema', 'icons', 'execution', '_meta'];

/**
 * Tools by which most clients refuse the whole list, in sentences. Empty for entries through AgentTools, which repairs tools
 * or leaves them out.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
 */
export function refusalNotes({ items, source }: Pick<EntryFacts, 'items' | 'source'>): readonly string[] {
  if (source.isOurs) return [];
  const faults = [...items].flatMap(({ kind, name, value }) => {
    const fault = kind === 'tool' && isRecord(value) ? toolFault(value) : undefined;
    return fault === undefined ? [] : `${name}: ${fault}`;
  });
  if (faults.length === 0) return [];
  const rest = faults.length > maxNames ? ` and ${faults.length - maxNames} more` : '';
  return [
    `Most clients refuse all tools of this server, because some are invalid: ${faults.slice(0, maxNames).join('; ')}${rest}.`,
    'For an entry that repairs them or leaves them out, repeat the command with --adapt.',
  ];
}

function toolFault(tool: Readonly<Record<string, unknown>>): string | undefined {
  const { inputSchema } = tool;
  if (!isRecord(inputSchema) || inputSchema.type !== 'object')
    return 'inputSchema is not a schema with "type": "object"';
  const field = optionalFields.find((key) => tool[key] === null);
  return field === undefined ? undefined : `${field} is null`;
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
