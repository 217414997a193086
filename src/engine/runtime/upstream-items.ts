import type { Servable } from './compose-server.js';
import { joinInstructions } from './instructions.js';
import { Registry } from './registry.js';
import type { PromptSpec, ResourceSpec, ToolSpec } from './specs.js';
import { hasUi, isUiResource } from './ui.js';
import type { UpstreamEntry, UpstreamInfo, UpstreamSkills } from './upstream.js';

/** The items that one entry takes from its upstream server. */
export interface UpstreamItems {
  readonly tools: readonly ToolSpec[];
  readonly prompts: readonly PromptSpec[];
  readonly resources: readonly ResourceSpec[];
  /** Entries of skills, by URI. Absent without any. */
  readonly skills?: UpstreamSkills;
  readonly instructions?: { readonly title: string; readonly text: string };
  /** serverInfo of the upstream server. */
  readonly info?: UpstreamInfo;
}

const none: UpstreamItems = { tools: [], prompts: [], resources: [] };

/**
 * Adds upstream items to a server. Tools are added at the position of their entry: an entry's `position` counts the
 * server's own tools before it, and entries with the same position follow each other. Prompts and resources follow the
 * server's own. Names become distinct again, and the catalog is rebuilt if the server has one. Can be repeated with the
 * same composed server.
 */
export function withUpstreamItems<S extends Servable>(
  server: S,
  itemsByEntry: ReadonlyMap<UpstreamEntry, UpstreamItems>,
): S {
  const { registry, upstreams, baseItems } = server;
  const own = baseItems?.tools ?? registry.all('tools');
  const taken = upstreams.map((entry) => itemsByEntry.get(entry) ?? none);
  const tools = own.flatMap((tool, index) => [...toolsAt(index), tool]).concat(toolsAt(own.length));
  const catalog = baseItems?.catalog?.(tools);
  const resources = [...registry.all('resources'), ...taken.flatMap((items) => items.resources)];
  const skills = new Map(taken.toReversed().flatMap((items) => [...(items.skills ?? [])]));
  const info = upstreams.flatMap((entry, index) => (entry.lendsInfo && taken[index]!.info) || [])[0];
  return {
    ...server,
    ...(info && { info: { ...server.info, ...info } }),
    ...(skills.size > 0 && { upstreamSkills: skills }),
    ...(baseItems && {
      instructions: joinInstructions([baseItems.instructions, catalog?.instructions].flat(), {
        title: titleOf(server),
        others: taken.flatMap(({ instructions }) => instructions ?? []),
      }),
    }),
    hasUi: server.hasUi || tools.some(hasUi) || resources.some(isUiResource),
    registry: new Registry(
      {
        tools: catalog?.tools ?? tools,
        prompts: withoutTwins([...registry.all('prompts'), ...taken.flatMap((items) => items.prompts)]),
        resources,
      },
      { pageSize: registry.pageSize, fronts: catalog?.catalogTools },
    ),
  };

  function toolsAt(position: number): readonly ToolSpec[] {
    return upstreams.flatMap((entry, index) => (entry.position === position ? taken[index]!.tools : []));
  }
}

function titleOf({ info }: Servable): string {
  return typeof info.title === 'string' ? info.title : info.name;
}

/** Drops prompts that two entries take from one upstream server under one name. */
function withoutTwins(prompts: readonly PromptSpec[]): readonly PromptSpec[] {
  const seen = new Set<string>();
  return prompts.filter(({ name, upstream }) => {
    if (!upstream) return true;
    const key = JSON.stringify([upstream.upstream.key, upstream.theirs, name]);
    return !seen.has(key) && seen.add(key);
  });
}
