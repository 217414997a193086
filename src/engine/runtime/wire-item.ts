import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import type { SchemaSide } from '../schema/compiled-schema.js';
import type { JsonSchema } from '../schema/json-schema.js';

/** An object as it goes over the wire. */
export type WireItem = UnknownRecord & { readonly name: string };

/** The fields of a list entry that all kinds of items share. Absent fields are omitted. */
export function commonWire(
  { value, item }: { readonly value: UnknownRecord; readonly item: string },
  name: string = toWireName(value, item),
): WireItem & { readonly title: string } {
  const { category } = value;
  const meta = isRecord(value.meta) ? value.meta : undefined;
  const _meta = typeof category === 'string' ? { ...meta, category } : meta;
  return {
    name,
    title: typeof value.title === 'string' ? value.title : item,
    ...(typeof value.description === 'string' && { description: value.description }),
    ...(Array.isArray(value.icons) && { icons: value.icons }),
    ...(_meta && Object.keys(_meta).length > 0 && { _meta }),
  };
}

function toWireName(value: UnknownRecord, item: string): string {
  return typeof value.name === 'string' ? value.name : item;
}

/** A tool as `tools/list` shows it. */
export function toolWire(
  definition: { readonly value: UnknownRecord; readonly item: string },
  { input, output }: { readonly input: JsonSchema; readonly output?: JsonSchema | undefined },
): WireItem {
  const { annotations } = definition.value;
  return {
    ...commonWire(definition),
    inputSchema: input,
    ...(output && { outputSchema: output }),
    ...(isRecord(annotations) && { annotations }),
  };
}

/** Keys of a side's schema, by priority. */
const schemaKeys = {
  input: ['inputSchema', 'input'],
  output: ['outputSchema', 'output'],
} as const satisfies Record<SchemaSide, readonly string[]>;

/** The schema of one side of a tool, with its key. */
export interface AuthoredSchema {
  readonly key: string;
  readonly schema: unknown;
  /** The key takes JSON Schema only. */
  readonly rawOnly: boolean;
}

/** Finds the schema of one side of a tool. */
export function findAuthoredSchema(value: UnknownRecord, side: SchemaSide): AuthoredSchema | undefined {
  const key = schemaKeys[side].find((name) => value[name] !== undefined);
  return key === undefined ? undefined : { key, schema: value[key], rawOnly: key !== side };
}

/** True if an item is omitted from lists: `hidden` wins over `visible`, and `visible` wins over `otherwise`. */
export function isHiddenBy({ hidden, visible }: UnknownRecord, otherwise: boolean): boolean {
  if (typeof hidden === 'boolean') return hidden;
  return typeof visible === 'boolean' ? !visible : otherwise;
}

/** A list entry with the overrides of its registration. */
export function changedWire<W extends WireItem>(wire: W, change: UnknownRecord): W {
  const changed: Record<string, unknown> = {};
  for (const key of ['name', 'title', 'description', 'icons', 'annotations']) {
    if (change[key] !== undefined) changed[key] = change[key];
  }
  const { _meta: own, ...others } = wire;
  const _meta = mergedMeta(own, change);
  return { ...others, ...changed, ...(_meta && { _meta }) } as unknown as W;
}

function mergedMeta(own: unknown, { meta, category }: UnknownRecord): Record<string, unknown> | undefined {
  const merged = { ...(isRecord(own) ? own : {}), ...(isRecord(meta) ? meta : {}) };
  if (typeof category === 'string') merged.category = category;
  if (category === null) delete merged.category;
  return Object.keys(merged).length > 0 ? merged : undefined;
}
