import { adaptTools, type ListedAdaptation } from '../../../engine/adaptation/adapt-list.js';
import { adaptationTargetOf } from '../../../engine/adaptation/adaptation-target.js';
import { addedTools } from '../../../engine/adaptation/read-result.js';
import { didYouMean } from '../../../engine/base/did-you-mean.js';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { limitSubjects } from '../../../engine/compatibility/client-limits.js';
import type { Adapt } from '../../../engine/runtime/adapt.js';
import type { ListedTools } from './listed-tools.js';

/** The tools of a server in the form that a client gets. */
export interface AdaptedFacts {
  readonly client: string;
  readonly mode: 'auto' | 'on' | 'off';
  readonly tools: readonly AdaptedToolFacts[];
  /** Entries that AgentTools adds to the list of the client. */
  readonly added: readonly Tool[];
}

interface AdaptedToolFacts {
  /** Name of the tool at the server. */
  readonly original: string;
  /** Codes of the rules that the tool was changed for. */
  readonly changes: readonly string[];
  /** Entry in the list of the client. */
  readonly tool: Tool;
}

/**
 * Adapts the tools of a server to a client.
 * @param given mode of the user. Default: the mode of the server
 * @throws AgentToolsError `usage` if the client has no known limits
 */
export function adaptListed(
  { key, tools, adapt }: ListedTools,
  client: string,
  given?: Adapt | undefined,
): AdaptedFacts {
  const mode = given ?? adapt ?? 'auto';
  const target = adaptationTargetOf(client, { mode: mode === 'on' ? 'on' : 'auto', serverKey: key });
  if (!target) throw new AgentToolsError('usage', unknownClient(client));
  if (mode === 'off') return { client, mode, tools: tools.map(unchanged), added: [] };
  const adapted = adaptTools(tools, target);
  const added = addedTools(
    adapted.map(({ tool }) => tool),
    target,
  );
  return { client, mode, tools: adapted.map(toFacts), added };
}

type Tool = Readonly<Record<string, unknown>> & { readonly name: string };

function unchanged(tool: Tool): AdaptedToolFacts {
  return { original: tool.name, changes: [], tool };
}

function toFacts({ original, changes, tool }: ListedAdaptation): AdaptedToolFacts {
  return { original, changes, tool };
}

function unknownClient(client: string): string {
  const ids = limitSubjects.filter(({ kind }) => kind === 'client').map(({ id }) => id);
  const meant = didYouMean(client, ids);
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `No limits of "${client}" are known.${guess} Clients with known limits: ${ids.join(', ')}.`;
}

/** Renders the tools of a server for a client. */
export function renderAdapted({ client, mode, tools, added }: AdaptedFacts): string {
  const changed = tools.filter(({ changes }) => changes.length > 0);
  const head = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} for ${client} (adapt: ${mode}), ${changed.length} changed`;
  const lines = tools.map(({ original, changes, tool }) => {
    const name = tool.name === original ? original : `${original} → ${String(tool.name)}`;
    return changes.length === 0 ? `  ${name}` : `  ${name}  ${changes.join(', ')}`;
  });
  const more = added.map(({ name }) => `  ${name}  added by AgentTools`);
  return visibleText(`${[head, ...lines, ...more].join('\n')}\n`);
}
