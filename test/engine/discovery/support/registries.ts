import type { Registries } from '../../../../src/engine/discovery/registries.js';
import { RegistryError, type RegistryFault } from '../../../../src/engine/npm/registry.js';
import type { RegistryEndpoint } from '../../../../src/engine/npm/settings.js';

/** Answers by what is asked for: a value, a fault, or how the answer is made. */
export type Answers = Readonly<
  Record<string, unknown | RegistryError | ((query: Readonly<Record<string, string | number>>) => unknown)>
>;

/** A registry that does not give what it is asked for. */
export function fault(kind: RegistryFault, message = 'it says no'): RegistryError {
  return new RegistryError(kind, message);
}

/** Registries that answer as a table says, and remember what they were asked. */
export function fakeRegistries(
  tables: Readonly<Record<string, Answers>>,
  places: Registries['places'] = [{ url: Object.keys(tables)[0]! }],
): Registries & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer = async (place: RegistryEndpoint, path: string, query = {}) => {
    asked.push(`${place.url}${path}`);
    const held = tables[place.url]?.[path] ?? fault('not-found');
    if (held instanceof RegistryError) throw held;
    return typeof held === 'function' ? await held(query) : held;
  };
  return {
    asked,
    places,
    identityOf: ({ url, scope }) => Buffer.from(`${url} ${scope ?? ''}`).toString('hex'),
    json: ({ place, path, query }) => answer(place, path, query),
    tarball: async ({ place, path }) => (await answer(place, path)) as Buffer,
  };
}

/** What a search answers, page by page. */
export function searchOf(
  packages: readonly object[],
  { knowsKeywords = true }: { readonly knowsKeywords?: boolean } = {},
): Answers {
  return {
    '/-/v1/search': ({ text, from, size }: Record<string, string | number>) => {
      const isFound = knowsKeywords ? text === 'keywords:agenttools-extension' : text === '';
      const all = isFound ? packages : [];
      const objects = all.slice(Number(from), Number(from) + Number(size)).map((one) => ({ package: one }));
      return { objects, total: all.length };
    },
  };
}

/** The latest version of a package, as a registry gives it. */
export function versionOf(name: string, agenttools: unknown, fields: object = {}): object {
  return { name, version: '1.0.0', keywords: ['agenttools-extension'], agenttools, ...fields };
}

/** A registry of packages that all are found by search. */
export function registryOf(versions: readonly object[], options = {}): Answers {
  const entries = versions as readonly { readonly name: string }[];
  const date = '2026-01-02T03:04:05.000Z';
  return {
    ...searchOf(
      entries.map(({ name }) => ({ name, date, publisher: { username: 'ada' } })),
      options,
    ),
    ...Object.fromEntries(entries.map((one) => [`/${one.name.replace('/', '%2F')}/latest`, one])),
  };
}
