import { shortenText } from '../base/visible-text.js';
import { isRecord } from '../extension/definition-shapes.js';
import { isPublishedName } from '../extension/names.js';
import { RegistryError } from '../npm/registry.js';
import type { RegistryEndpoint } from '../npm/settings.js';
import { type Registries, registryFor } from './registries.js';

/** The keyword by which extensions are found. */
export const searchKeyword = 'agenttools-extension';

/** A package that a search came up with. */
export interface SearchHit {
  readonly name: string;
  readonly publisher: string | null;
  readonly published: string | null;
  /** Undefined where the search does not tell keywords. */
  readonly hasKeyword: boolean | undefined;
}

export interface SearchOptions {
  readonly registries: Registries;
  readonly place: RegistryEndpoint;
  /** Hits per page; registries give 250 at most. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

/** What a search came up with. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** Whether there may be extensions that this registry's search does not find. */
  readonly isPartial: boolean;
}

/**
 * Everything in a registry that has the keyword, of names that come from this registry; also things that have not, where
 * its search is not that exact.
 * @throws RegistryError
 */
export async function searchExtensions(search: SearchOptions): Promise<SearchResult> {
  const exact = await fetchHits(`keywords:${searchKeyword}`, { limit: maxHits }, search).catch(
    emptyIfAnswered,
  );
  if (exact.hits.length > 0) return { hits: keepOwnHits(search, exact.hits), isPartial: !exact.isWhole };
  // Some registries do not know what stands before the colon, and some of those look only into names and descriptions.
  const few = { limit: maxPackages, isAllOrNothing: true };
  const everything = await fetchHits('', few, search).catch(emptyIfAnswered);
  if (everything.isWhole) return { hits: keepOwnHits(search, everything.hits), isPartial: false };
  if (everything.hits.some(({ hasKeyword }) => hasKeyword !== undefined))
    return { hits: [], isPartial: false };
  const { hits, isWhole } = await fetchHits(searchKeyword, { limit: maxInexactHits }, search);
  return { hits: keepOwnHits(search, hits), isPartial: !isWhole || everything.hits.length > 0 };
}

interface SearchHits {
  readonly hits: readonly SearchHit[];
  /** Whether there are no more. */
  readonly isWhole: boolean;
}

/** A registry that refuses one question is there; another question may suit it better. */
function emptyIfAnswered(error: unknown): SearchHits {
  const isAnswer = error instanceof RegistryError && answers.includes(error.fault);
  if (isAnswer) return { hits: [], isWhole: false };
  throw error;
}

const answers: readonly string[] = ['not-found', 'unsupported', 'malformed', 'failed'];

/** What is found beyond these is not read. */
const maxHits = 5000;

/** A registry of so few packages is looked through one by one. */
const maxPackages = 500;

/** What comes further down in a search for words has less and less to do with them. */
const maxInexactHits = 250;

const maxPageBytes = 20 * 1024 * 1024;

interface HitReadOptions {
  /** Hits beyond these are not read. */
  readonly limit: number;
  /** Of more than that not even the first are wanted. */
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
    // Some registries give the same page again, whatever they are asked.
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
    throw new RegistryError('malformed', 'The search answered with something that is no list of packages.');
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

/** What a person is called on a registry. Nobody has a longer name than could be read. */
export function personName(person: unknown): string | null {
  const { username, name } = isRecord(person) ? person : {};
  const found = [username, name].find((one) => typeof one === 'string' && one !== '');
  return typeof found === 'string' ? shortenText(found, 100) : null;
}

/** A time that can be read, as everybody writes it. */
export function normalizeTime(text: unknown): string | null {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
