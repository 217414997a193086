import { isPackageName } from '../extension/names.js';
import { isRecord } from '../extension/shapes.js';
import { RegistryError } from '../npm/registry.js';
import type { RegistryPlace } from '../npm/settings.js';
import { placeOf, type Registries } from './registries.js';

/** The keyword by which extensions are found. */
export const keyword = 'agenttools-extension';

/** A package that a search came up with. */
export interface Hit {
  readonly name: string;
  readonly publisher: string | null;
  readonly published: string | null;
}

export interface Search {
  readonly registries: Registries;
  readonly place: RegistryPlace;
  /** Hits per page; registries give 250 at most. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

/**
 * Everything a registry finds by the keyword, all pages, of names that come from this registry. A search may well find
 * more than was meant.
 * @throws RegistryError
 */
export async function searchExtensions(search: Search): Promise<readonly Hit[]> {
  const exact = await searchText(`keywords:${keyword}`, search).catch((error: unknown) => {
    const isAnswer = error instanceof RegistryError && answers.includes(error.fault);
    if (isAnswer) return [];
    throw error;
  });
  // Not every registry knows what stands before the colon.
  return exact.length > 0 ? exact : await searchText(keyword, search);
}

/** A registry that gives one of these is there; another question may suit it better. */
const answers: readonly string[] = ['not-found', 'unsupported', 'malformed', 'failed'];

/** A registry with more than this is not listed whole. */
const maxHits = 5000;
const maxPageBytes = 20 * 1024 * 1024;

async function searchText(
  text: string,
  { registries, place, pageSize, signal }: Search,
): Promise<readonly Hit[]> {
  const hits = new Map<string, Hit>();
  for (let from = 0; from < maxHits; ) {
    const query = { text, size: pageSize, from };
    const page = readPage(
      await registries.json({ place, path: '/-/v1/search', query, maxBytes: maxPageBytes, signal }),
    );
    const before = hits.size;
    for (const hit of page.hits) hits.set(hit.name, hit);
    from += page.length;
    const isLast = page.length < pageSize && from >= page.total;
    // Some registries give the same page again, whatever they are asked.
    if (isLast || page.length === 0 || (page.hits.length > 0 && hits.size === before)) break;
  }
  return [...hits.values()].filter(({ name }) => placeOf(name, registries).url === place.url);
}

interface Page {
  readonly hits: readonly Hit[];
  readonly length: number;
  readonly total: number;
}

function readPage(answer: unknown): Page {
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

function readHit(found: unknown): readonly Hit[] {
  if (!isRecord(found) || !isPublishedName(found.name)) return [];
  const { name, publisher, date } = found;
  return [{ name, publisher: nameOf(publisher), published: timeOf(date) }];
}

/** Registries refuse longer names. */
export function isPublishedName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 214 && isPackageName(name);
}

/** What a person is called on a registry. */
export function nameOf(person: unknown): string | null {
  const { username, name } = isRecord(person) ? person : {};
  const found = [username, name].find((one) => typeof one === 'string' && one !== '');
  return typeof found === 'string' ? found : null;
}

/** A time that can be read, as everybody writes it. */
export function timeOf(text: unknown): string | null {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
