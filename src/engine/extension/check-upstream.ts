import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import { checkShape, isFunctionLike, type ShapeFault } from './check-shape.js';
import { upstreamEntryShape } from './keys/entry-keys.js';
import { isWireName } from './names.js';
import { findInvalidVariable } from './variables.js';

/** Keys that locate a server, each with the keys that it allows. */
const sources = {
  command: ['args', 'env', 'cwd'],
  package: ['bin', 'args', 'env', 'cwd'],
  url: ['headers'],
  place: [],
} as const satisfies Record<string, readonly string[]>;

type EndpointSource = keyof typeof sources;

const sourceKeys = Object.keys(sources) as readonly EndpointSource[];
const partKeys = [...new Set<string>(Object.values(sources).flat())];

/** Returns the key that locates a server. The endpoint must have passed {@link checkEndpoint}. */
export function endpointSource(place: UnknownRecord): EndpointSource | undefined {
  return sourceKeys.find((key) => place[key] !== undefined);
}

/**
 * Checks the rules between the keys of an endpoint. The shape of the definition checks their types. Skips
 * functions.
 */
export function* checkEndpoint(place: unknown, at: readonly string[] = []): Generator<ShapeFault> {
  if (!isRecord(place) || isFunctionLike(place)) return;
  const given = sourceKeys.filter((key) => place[key] !== undefined);
  const [source, second] = given;
  if (source === undefined) {
    yield {
      path: [...at, 'command'],
      problem: 'missing',
      expected: 'a program, or "url", "package" or "place"',
    };
    return;
  }
  if (second !== undefined) {
    const expected = `only one of ${sourceKeys.map((key) => `"${key}"`).join(', ')}`;
    yield { path: [...at, second], problem: 'value', expected };
    return;
  }
  const fitting: readonly string[] = sources[source];
  for (const key of partKeys) {
    if (place[key] === undefined || fitting.includes(key)) continue;
    const others = sourceKeys.filter((one) => (sources[one] as readonly string[]).includes(key));
    const expected = `no value: it is for ${others.map((one) => `"${one}"`).join(' or ')}, not for "${source}"`;
    yield { path: [...at, key], problem: 'value', expected };
  }
  yield* checkType(place.type, source, at);
  for (const { path, text } of textsIn(place)) {
    const odd = findInvalidVariable(text);
    if (odd === undefined) continue;
    const expected = `variables as \${NAME} or \${NAME:-default}, which "${odd}" is not; write $\${ for a literal \${`;
    yield { path: [...at, ...path], problem: 'value', expected };
  }
  yield* checkTexts(place, at);
}

function* checkType(type: unknown, source: EndpointSource, at: readonly string[]): Generator<ShapeFault> {
  if (typeof type !== 'string' || source === 'place') return;
  if ((type === 'stdio') === (source !== 'url')) return;
  const expected = source === 'url' ? '"http" or "sse" for a "url"' : `"stdio" for a "${source}"`;
  yield { path: [...at, 'type'], problem: 'value', expected };
}

function* checkTexts(
  { command, url, headers, cwd }: UnknownRecord,
  at: readonly string[],
): Generator<ShapeFault> {
  if (typeof command === 'string' && !isCommand(command)) {
    const expected = 'a name on the PATH, an absolute path, or a file of the package that begins with "./"';
    yield { path: [...at, 'command'], problem: 'value', expected };
  }
  if (typeof url === 'string' && !/^(?:https?:\/\/.|\$\{)/i.test(url)) {
    yield { path: [...at, 'url'], problem: 'value', expected: 'an http: or https: address' };
  }
  if (cwd === '') yield { path: [...at, 'cwd'], problem: 'value', expected: 'a folder of the package' };
  for (const [name, value] of Object.entries(isRecord(headers) ? headers : {})) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !(typeof value === 'string' && /[\r\n\0]/.test(value)))
      continue;
    yield { path: [...at, 'headers', name], problem: 'value', expected: 'a header of HTTP, in one line' };
  }
}

function isCommand(text: string): boolean {
  if (text.trim() === '' || text.includes('\0')) return false;
  return /^(?:\.\.?[\\/]|[\\/]|[A-Za-z]:[\\/]|\$\{)/.test(text) || !/[\\/]/.test(text);
}

/** Yields the texts of an endpoint that may contain variables, with their paths. */
export function* textsIn(
  place: UnknownRecord,
): Generator<{ readonly path: readonly (string | number)[]; readonly text: string }> {
  for (const key of ['command', 'args', 'env', 'cwd', 'url', 'headers']) {
    const held = place[key];
    if (typeof held === 'string') yield { path: [key], text: held };
    const entries = Array.isArray(held) ? held.entries() : isRecord(held) ? Object.entries(held) : [];
    for (const [name, text] of entries) if (typeof text === 'string') yield { path: [key, name], text };
  }
}

/**
 * True if an entry of a server's list adds items of an existing server. An entry with a name is a single
 * tool.
 */
export function isUpstreamEntry(entry: unknown): entry is UnknownRecord & { readonly upstream: unknown } {
  if (!isRecord(entry) || isFunctionLike(entry) || entry.upstream === undefined) return false;
  return ['name', 'use', 'handler', 'toolkit'].every((key) => entry[key] === undefined);
}

/** Checks an entry without contacting the server. */
export function* checkUpstreamEntry(entry: UnknownRecord): Generator<ShapeFault> {
  yield* checkShape(entry, upstreamEntryShape);
  yield* checkEndpoint(entry.upstream, ['upstream']);
  for (const kind of ['prompts', 'resources', 'apps']) {
    if (entry[kind] === true) {
      const expected = 'false, or an object; without the key, all are included';
      yield { path: [kind], problem: 'value', expected };
    }
  }
  const { prefix, rename } = entry;
  if (typeof prefix === 'string' && !/^[A-Za-z0-9_.-]{0,127}$/.test(prefix)) {
    yield { path: ['prefix'], problem: 'value', expected: 'at most 127 of A-Z a-z 0-9 _ . -' };
  }
  for (const [theirs, ours] of Object.entries(isRecord(rename) ? rename : {})) {
    if (typeof ours !== 'string' || isWireName(ours)) continue;
    yield { path: ['rename', theirs], problem: 'value', expected: 'a name of 1 to 128 of A-Z a-z 0-9 _ . -' };
  }
}
