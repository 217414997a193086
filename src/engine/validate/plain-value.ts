import { describeSchema, isSchemaValue } from '../schema/index.js';
import { contextMembersIn } from './context-members.js';

/** Deeper values are cut: no definition is that deep, and schemas are refused long before. */
const maxDepth = 200;

/** Larger values are cut, so that a value without end can be described. */
const maxValues = 500_000;

/** Longer texts are cut; a schema's text is refused long before. */
const maxTextLength = 2 * 1024 * 1024;

/** All texts together. */
const maxTotalLength = 64 * 1024 * 1024;

interface Walk {
  readonly above: Set<object>;
  /** The author's file: what a schema library needs besides itself is looked for from there. */
  readonly file: string;
  values: number;
  length: number;
}

/**
 * A live value as plain data, fit to leave its process. Functions become `{ "@@": "function", name, length, contextMembers? }`, schemas
 * what {@link describeSchema} makes of them, whatever else has no JSON form an object whose `"@@"` says what it was.
 */
export async function describeValue(value: unknown, file: string): Promise<unknown> {
  return await describe(value, { above: new Set(), file, values: 0, length: 0 });
}

async function describe(value: unknown, walk: Walk): Promise<unknown> {
  if (++walk.values > maxValues) return mark('cut');
  if (typeof value === 'string') return cut(value, walk);
  if (typeof value === 'symbol' || typeof value === 'bigint') return mark(typeof value);
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
  if (walk.above.has(value)) return mark('cycle');
  if (walk.above.size >= maxDepth) return mark('cut');
  walk.above.add(value);
  try {
    return await describeObject(value, walk);
  } catch (error) {
    return mark('unreadable', { reason: textOf(error) });
  } finally {
    walk.above.delete(value);
  }
}

async function describeObject(value: object, walk: Walk): Promise<unknown> {
  if (isSchemaValue(value)) return await entriesOf((await describeSchema(value, walk.file)) as object, walk);
  if (typeof value === 'function') return describeFunction(value as () => unknown);
  if (Array.isArray(value)) return await itemsOf(value, walk);
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (opaque.has(tag) || ArrayBuffer.isView(value)) return mark(tag);
  return await entriesOf(value, walk);
}

function describeFunction(value: (...args: never[]) => unknown): Record<string, unknown> {
  const contextMembers = contextMembersIn(value);
  return mark('function', {
    name: String(value.name),
    length: Number(value.length),
    ...(contextMembers.length > 0 && { contextMembers }),
  });
}

/** Built-in objects whose content is not in their keys. */
const opaque = new Set([
  'Date',
  'RegExp',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Promise',
  'Error',
  'ArrayBuffer',
]);

async function itemsOf(list: readonly unknown[], walk: Walk): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let index = 0; index < list.length; index++) {
    if (walk.values > maxValues) break;
    items.push(await describe(list[index], walk));
  }
  return items;
}

async function entriesOf(value: object, walk: Walk): Promise<Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (walk.values > maxValues) break;
    entries.push([key, await describe(read(value, key), walk)]);
  }
  return Object.fromEntries(entries);
}

function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch (error) {
    return mark('unreadable', { reason: textOf(error) });
  }
}

function cut(text: string, walk: Walk): string {
  const room = Math.min(maxTextLength, maxTotalLength - walk.length);
  const kept = text.length <= room ? text : text.slice(0, Math.max(room, 0));
  walk.length += kept.length;
  return kept;
}

function mark(what: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { '@@': what, ...more };
}

/** What an unknown thrown value says, even if it does not want to. */
export function textOf(error: unknown): string {
  try {
    const message = error instanceof Error ? error.message : String(error);
    return (typeof message === 'string' ? message : String(message)).slice(0, 2000);
  } catch {
    return 'something that has no text';
  }
}
