import { isRecord } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';
import { isPublishedName } from '../extension/names.js';
import { RegistryError } from '../npm/registry.js';
import type { RegistryEndpoint } from '../npm/settings.js';
import { type Registries, registryFor } from './registries.js';

/** The npm keyword that marks extensions. */
export const searchKeyword = 'agenttools-extension';

/** A package found by a search. */
export interface SearchHit {
  readonly name: string;
  readonly publisher: string | null;
  readonly published: string | null;
  /** Undefined if the search returns no keywords. */
  readonly hasKeyword: boolean | undefined;
}

export interface SearchOptions {
  readonly registries: Registries;
  readonly place: RegistryEndpoint;
  /** Results per page; registries return at most 250. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

/** Result of a search. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** True if this registry may have extensions that its search does not find. */
  readonly isPartial: boolean;
}

/**
 * Finds all packages of a registry with the keyword, limited to names that belong to this registry. Includes
 * packages without it if the search is not exact.
 * @throws RegistryError
 */
export async function searchExtensions(search: SearchOptions): Promise<SearchResult> {
  const exact = await fetchHits(`keywords:${searchKeyword}`, { limit: maxHits }, search).catch(
    emptyIfRejected,
  );
  if (exact.hits.length > 0) return { hits: keepOwnHits(search, exact.hits), isPartial: !exact.isWhole };
  // Some registries ignore the prefix before the colon, and some of those search only names and descriptions.
  const few = { limit: maxPackages, isAllOrNothing: true };
  const everything = await fetchHits('', few, search).catch(emptyIfRejected);
  if (everything.isWhole) return { hits: keepOwnHits(search, everything.hits), isPartial: false };
  if (everything.hits.some(({ hasKeyword }) => hasKeyword !== undefined))
    return { hits: [], isPartial: false };
  const { hits, isWhole } = await fetchHits(searchKeyword, { limit: maxInexactHits }, search);
  return { hits: keepOwnHits(search, hits), isPartial: !isWhole || everything.hits.length > 0 };
}

interface SearchHits {
  readonly hits: readonly SearchHit[];
  /** True if there are no more results. */
  readonly isWhole: boolean;
}

/** A registry that rejects one query is reachable, and may accept another query. */
function emptyIfRejected(error: unknown): SearchHits {
  const isAnswer = error instanceof RegistryError && queryFaults.includes(error.fault);
  if (isAnswer) return { hits: [], isWhole: false };
  throw error;
}

const queryFaults: readonly string[] = ['not-found', 'unsupported', 'malformed', 'failed'];

/** Results beyond this number are ignored. */
const maxHits = 5000;

/** Largest registry, in packages, that is searched by reading all packages. */
const maxPackages = 500;

/** Limit of results for an inexact search, which become less relevant. */
const maxInexactHits = 250;

const maxPageBytes = 20 * 1024 * 1024;

interface HitReadOptions {
  /** Results beyond this number are not read. */
  readonly limit: number;
  /** Stops after the first page if there are more results than `limit`. */
  readonly isAllOrNothing?: boolean;
}

async function fetchHits(
  text: string,
  { limit, isAllOrNothing = false }: HitReadOptions,
  { registries, place, pageSize, signal }: SearchOptions,
): Promise<SearchHits> {
  const hits = new Map<string, SearchHit>();
  for (let from = 0; from < limit; ) {
    const query = { text, size: pageSize, from };
    const page = readPage(
      await registries.json({ place, path: '/-/v1/search', query, maxBytes: maxPageBytes, signal }),
    );
    const before = hits.size;
    for (const hit of page.hits) hits.set(hit.name, hit);
    from += page.length;
    const isLast = page.length < pageSize && from >= page.total;
    // Some registries return the same page for every query.
    const isRepeated = page.hits.length > 0 && hits.size === before;
    if (isLast || isRepeated || page.length === 0) return { hits: [...hits.values()], isWhole: true };
    if (isAllOrNothing && page.total > limit) break;
  }
  return { hits: [...hits.values()], isWhole: false };
}

function keepOwnHits({ registries, place }: SearchOptions, hits: readonly SearchHit[]): readonly SearchHit[] {
  return hits.filter(
    ({ name, hasKeyword }) => hasKeyword !== false && registryFor(name, registries).url === place.url,
  );
}

interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly length: number;
  readonly total: number;
}

function readPage(answer: unknown): SearchPage {
  const { objects, total } = isRecord(answer) ? answer : {};
  if (!Array.isArray(objects)) {
    throw new RegistryError('malformed', 'The search did not return a list of packages.');
  }
  return {
    hits: objects.flatMap((entry) => readHit(isRecord(entry) ? entry.package : undefined)),
    length: objects.length,
    total: typeof total === 'number' ? total : 0,
  };
}

function readHit(found: unknown): readonly SearchHit[] {
  if (!isRecord(found) || !isPublishedName(found.name)) return [];
  const { name, publisher, date, keywords } = found;
  const hasKeyword = Array.isArray(keywords) ? keywords.includes(searchKeyword) : undefined;
  return [{ name, publisher: personName(publisher), published: normalizeTime(date), hasKeyword }];
}

/** Name of a user in a registry, shortened. Null if there is no name. */
export function personName(person: unknown): string | null {
  const { username, name } = isRecord(person) ? person : {};
  const found = [username, name].find((one) => typeof one === 'string' && one !== '');
  return typeof found === 'string' ? shortenText(found, 100) : null;
}

/** Normalises a time to ISO 8601; null if it is invalid. */
export function normalizeTime(text: unknown): string | null {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
