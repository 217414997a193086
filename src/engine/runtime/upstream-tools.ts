import type { Servable } from './compose-server.js';
import { joinInstructions } from './instructions.js';
import { Registry } from './registry.js';
import type { ToolSpec } from './specs.js';
import type { UpstreamEntry } from './upstream.js';

/**
 * Adds upstream tools to a server, each at the position of its entry: an entry's `position` counts the server's own
 * tools before it, and entries with the same position follow each other. Names become distinct again, and the catalog
 * is rebuilt if the server has one. Can be repeated with the same composed server.
 */
export function withUpstreamTools<S extends Servable>(
  server: S,
  toolsByEntry: ReadonlyMap<UpstreamEntry, readonly ToolSpec[]>,
): S {
  const { registry, upstreams, baseItems } = server;
  const own = baseItems?.tools ?? registry.all('tools');
  const tools = own.flatMap((tool, index) => [...toolsAt(index), tool]).concat(toolsAt(own.length));
  const catalog = baseItems?.catalog?.(tools);
  const specs = { prompts: registry.all('prompts'), resources: registry.all('resources') };
  return {
    ...server,
    ...(baseItems && {
      instructions: joinInstructions([baseItems.instructions, catalog?.instructions].flat()),
    }),
    registry: new Registry(
      { tools: catalog?.tools ?? tools, ...specs },
      { pageSize: registry.pageSize, fronts: catalog?.catalogTools },
    ),
  };

  function toolsAt(position: number): readonly ToolSpec[] {
    const here = upstreams.filter((entry) => entry.position === position);
    return here.flatMap((entry) => toolsByEntry.get(entry) ?? []);
  }
}
