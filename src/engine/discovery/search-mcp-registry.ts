import type { McpRegistry } from '../mcp-registry/open-registry.js';
import type { RegistryEntry } from '../mcp-registry/registry-entry.js';
import type { ReportFound } from './discovery-source.js';
import { readPattern } from './server-pattern.js';

export interface McpRegistrySearch {
  readonly registry: McpRegistry;
  /** Pattern of `list-servers`. Default: all servers. */
  readonly pattern: string | undefined;
  readonly report: ReportFound;
  readonly signal: AbortSignal;
  /** Receives progress messages. */
  readonly tell: (text: string) => void;
}

/** Reports the servers of an MCP registry. */
export async function searchMcpRegistry({
  registry,
  pattern,
  report,
  signal,
  tell,
}: McpRegistrySearch): Promise<void> {
  const { entries, notes } = await registry.search(searchText(pattern), { signal, tell });
  for (const note of notes) report.note(note);
  for (const entry of entries.filter(matcher(pattern))) {
    const { name, version, description, published, status, statusMessage, npmPackages } = entry;
    report.found({
      name,
      sameAs: npmPackages,
      notes: [],
      servers: [
        {
          name,
          version,
          description,
          tools: [],
          prompts: [],
          source: 'mcp-registry',
          location: null,
          publisher: name.slice(0, name.indexOf('/')),
          published,
          provenance: false,
          deprecated: status === 'deprecated' ? (statusMessage ?? 'no reason is given') : null,
        },
      ],
    });
  }
}

/** Registries search for a text; the longest one of the pattern. */
function searchText(pattern = ''): string | undefined {
  const [longest = ''] = pattern.split('*').sort((a, b) => b.length - a.length);
  return longest === '' ? undefined : longest;
}

/**
 * Matches the whole name, or the part after the namespace. A word without `*` and `/` also matches within names and
 * descriptions, as on the website of the registry.
 */
function matcher(pattern: string | undefined): (entry: RegistryEntry) => boolean {
  if (pattern === undefined) return () => true;
  const matches = readPattern(pattern);
  const word = /[*/]/.test(pattern) ? undefined : pattern.toLowerCase();
  return ({ name, description }) => {
    if (matches({ name, package: name.slice(name.indexOf('/') + 1) })) return true;
    return word !== undefined && `${name}\n${description ?? ''}`.toLowerCase().includes(word);
  };
}
