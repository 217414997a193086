import { setTimeout as sleep } from 'node:timers/promises';
import { AgentToolsError } from '../base/errors.js';
import { parseUrl } from '../base/parse-url.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { RegistryError, RegistryRequest } from '../npm/registry.js';
import type { NpmSettings } from '../npm/settings.js';
import { officialRegistry } from './addresses.js';
import { type RegistryEntry, readEntry } from './registry-entry.js';
import { TimedCache, type TimedValue } from './timed-cache.js';

export interface McpRegistryOptions {
  /** Source of proxies and certificates: the settings of the user's npm. */
  readonly npm: NpmDeps;
  /** Base URL. Default: the official registry. */
  readonly url?: string | undefined;
  readonly cacheFolder: string;
  /** True to ask again despite a recent answer. Default: false. */
  readonly refresh?: boolean;
  /** Milliseconds since 1970. Default: the present. */
  readonly now?: () => number;
}

/** Result of a search. */
interface RegistrySearch {
  readonly entries: readonly RegistryEntry[];
  /** Skipped parts, and the age of cached results, one sentence each. */
  readonly notes: readonly string[];
}

/** An MCP registry, for read requests. */
export interface McpRegistry {
  readonly host: string;
  /** Latest versions of servers with a text in their name or description; all servers without one. */
  search(text: string | undefined, options: SearchOptions): Promise<RegistrySearch>;
  /**
   * One server; the latest version by default.
   * @throws AgentToolsError `not-found`, `refused` for a deleted one, `failed` if the registry cannot be asked
   */
  find(name: string, version: string | undefined, signal: AbortSignal): Promise<FoundEntry>;
}

interface SearchOptions {
  readonly signal: AbortSignal;
  /** Receives progress messages. */
  readonly tell: (text: string) => void;
}

interface FoundEntry {
  readonly entry: RegistryEntry;
  /** Deprecation, and the age of a cached answer, one sentence each. */
  readonly notes: readonly string[];
}

/** Lists and latest versions are asked again after this time, in milliseconds. */
const freshMs = 10 * 60 * 1000;

/** Longest wait for data, in milliseconds. */
const timeoutMs = 10_000;

const maxPageBytes = 20 * 1024 * 1024;

/** Largest page of the API. */
const pageSize = 100;

/** Later entries of a search are ignored. */
const maxEntries = 20_000;

/** Opens an MCP registry. @throws AgentToolsError for an invalid URL */
export async function openMcpRegistry(options: McpRegistryOptions): Promise<McpRegistry> {
  const { npm, cacheFolder, refresh = false, now = Date.now } = options;
  const url = checkUrl(options.url ?? officialRegistry);
  const [{ readNpmSettings }, registry] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
  ]);
  const settings = await readNpmSettings(npm);
  const cache = new TimedCache(cacheFolder, now);
  const { host } = new URL(url);
  const request = { settings, getJson: registry.getJson, url, cacheFolder };
  const isError = (error: unknown): error is RegistryError => error instanceof registry.RegistryError;
  const isFresh = ({ time }: TimedValue): boolean => !refresh && now() - time < freshMs;
  const age = ({ time }: TimedValue): string => `${Math.max(1, Math.round((now() - time) / 60_000))} minutes`;

  return {
    host,
    async search(text, { signal, tell }) {
      const key = `search ${url} ${text ?? ''}`;
      const kept = await cache.read(key);
      if (kept && isFresh(kept)) return { entries: readEntries(kept.value), notes: [] };
      try {
        const found = await fetchPages(text, { ...request, signal, tell, host });
        if (found.isWhole) await cache.write(key, found.servers);
        return { entries: readEntries(found.servers), notes: found.notes };
      } catch (error) {
        signal.throwIfAborted();
        if (!isError(error) && !(error instanceof AgentToolsError)) throw error;
        const fallback = kept
          ? `Its servers are listed as they were ${age(kept)} ago.`
          : 'Its servers are not listed.';
        const notes = [`The MCP registry ${host} cannot be searched: ${explain(error)}. ${fallback}`];
        return { entries: kept ? readEntries(kept.value) : [], notes };
      }
    },

    async find(name, version, signal) {
      const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version ?? 'latest')}`;
      const key = `entry ${url} ${path}`;
      const kept = await cache.read(key);
      // A published version never changes, except for its status.
      if (kept && isFresh(kept)) return checkEntry(kept.value, { name, host, notes: [] });
      try {
        const answer = await askPolitely(path, {}, { ...request, signal });
        const found = checkEntry(answer, { name, host, notes: [] });
        await cache.write(key, answer);
        return found;
      } catch (error) {
        signal.throwIfAborted();
        if (!isError(error)) throw error;
        if (error.fault === 'not-found') throw unknownEntry(name, version, host, error);
        if (kept) {
          const notes = [
            `The MCP registry ${host} cannot be asked: ${explain(error)}. This is its answer of ${age(kept)} ago.`,
          ];
          return checkEntry(kept.value, { name, host, notes });
        }
        const message = `The MCP registry ${host} cannot be asked for ${name}: ${explain(error)}.`;
        throw new AgentToolsError('failed', message, { cause: error });
      }
    },
  };
}

function checkUrl(text: string): string {
  const url = parseUrl(text);
  const isUsable = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isUsable) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  const message = `The MCP registry "${text.replace(/\/\/[^/@]*@/, '//')}" is not an http or https address without credentials. See --mcp-registry and AGENTTOOLS_MCP_REGISTRY.`;
  throw new AgentToolsError('usage', message);
}

interface Requester {
  readonly settings: NpmSettings;
  readonly getJson: (path: string, request: RegistryRequest) => Promise<unknown>;
  readonly url: string;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
}

/** Longest wait that a registry may demand, and number of repetitions. */
const longestPauseMs = 10_000;
const maxPauses = 3;

/** Asks, and asks again after the pause that a busy registry demands. */
async function askPolitely(
  path: string,
  query: Readonly<Record<string, string | number>>,
  { settings, getJson, url, signal }: Requester,
): Promise<unknown> {
  for (let pauses = 0; ; pauses++) {
    try {
      return await getJson(path, {
        settings,
        registry: url,
        query,
        maxBytes: maxPageBytes,
        timeoutMs,
        signal,
      });
    } catch (error) {
      const pause = pauseOf(error);
      if (pause === undefined || pauses === maxPauses) throw error;
      await sleep(pause, undefined, { signal });
    }
  }
}

/** Pause that status 429 demands, in milliseconds; undefined for other errors. */
function pauseOf(error: unknown): number | undefined {
  const { statusCode, headers } = ((error as Error).cause ?? {}) as {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, unknown>>;
  };
  if (statusCode !== 429) return undefined;
  const seconds = Number([headers?.['retry-after']].flat()[0]);
  return Math.min(Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 1000, longestPauseMs);
}

interface SearchPages {
  readonly servers: readonly unknown[];
  /** False if a later attempt may find more. */
  readonly isWhole: boolean;
  readonly notes: readonly string[];
}

/** Reads all pages. A page that fails after others ends the list with a note. */
async function fetchPages(
  text: string | undefined,
  { tell, host, ...request }: Requester & { readonly tell: SearchOptions['tell']; readonly host: string },
): Promise<SearchPages> {
  const servers: unknown[] = [];
  const cursors = new Set<string>();
  const end = (note: string): SearchPages => ({
    servers,
    isWhole: false,
    notes: [`${note} Some servers of ${host} may be missing.`],
  });
  for (let cursor: string | undefined; ; ) {
    tell(`Searching ${host}${servers.length > 0 ? `: ${servers.length} servers` : ''}`);
    const query = {
      limit: pageSize,
      version: 'latest',
      ...(text !== undefined && { search: text }),
      ...(cursor !== undefined && { cursor }),
    };
    let page: Page;
    try {
      page = readPage(await askPolitely('/v0.1/servers', query, request), host);
    } catch (error) {
      request.signal.throwIfAborted();
      if (servers.length === 0) throw error;
      return end(`The MCP registry ${host} failed during the search: ${explain(error as Error)}.`);
    }
    servers.push(...page.servers);
    cursor = page.nextCursor;
    if (cursor === undefined) return { servers, isWhole: true, notes: [] };
    if (cursors.has(cursor) || page.servers.length === 0)
      return end(`The MCP registry ${host} repeats its pages.`);
    if (servers.length >= maxEntries)
      return end(`The MCP registry ${host} has too many servers for one list.`);
    cursors.add(cursor);
  }
}

interface Page {
  readonly servers: readonly unknown[];
  readonly nextCursor: string | undefined;
}

function readPage(answer: unknown, host: string): Page {
  const { servers, metadata } = isRecord(answer) ? answer : {};
  if (!Array.isArray(servers)) throw new AgentToolsError('failed', `${host} answers with no list of servers`);
  const { nextCursor = undefined, next_cursor: older = undefined } = isRecord(metadata) ? metadata : {};
  const next = nextCursor ?? older;
  return { servers, nextCursor: isString(next) && next !== '' ? next : undefined };
}

/** Entries that are not deleted, one of each name. */
function readEntries(servers: unknown): readonly RegistryEntry[] {
  const entries = new Map<string, RegistryEntry>();
  for (const one of Array.isArray(servers) ? servers : []) {
    const entry = readEntry(one);
    if (entry && entry.status !== 'deleted' && !entries.has(entry.name)) entries.set(entry.name, entry);
  }
  return [...entries.values()];
}

interface EntryContext {
  readonly name: string;
  readonly host: string;
  readonly notes: readonly string[];
}

function checkEntry(answer: unknown, { name, host, notes }: EntryContext): FoundEntry {
  const entry = readEntry(answer);
  if (entry?.name !== name)
    throw new AgentToolsError('failed', `${host} answers with another entry than ${name}.`);
  const { status, statusMessage } = entry;
  const why = statusMessage === null ? '' : `: ${statusMessage.replace(/\.$/, '')}`;
  if (status === 'deleted')
    throw new AgentToolsError('refused', `${name} ${entry.version} was deleted from ${host}${why}.`);
  const deprecation = status === 'deprecated' ? [`${name} ${entry.version} is deprecated${why}.`] : [];
  return { entry, notes: [...notes, ...deprecation] };
}

function unknownEntry(
  name: string,
  version: string | undefined,
  host: string,
  cause: Error,
): AgentToolsError {
  const what = version === undefined ? name : `version ${version} of ${name}`;
  const message = `The MCP registry ${host} has no ${what}. Search it with: agenttools list-servers --remote ${name.split('/')[1]}`;
  return new AgentToolsError('not-found', message, { cause });
}

function explain({ message }: Error): string {
  return message.replace(/\.$/, '');
}
