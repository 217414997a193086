import { describeFault } from '../extension/check.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { checkShape, isRecord, overrideShape } from '../extension/shapes.js';
import { locate, nameOf, requireWireName } from './read.js';
import type { PromptSpec, ResourceSpec, ToolSpec } from './specs.js';

/** A server's list entry that changes the item it names. */
export interface Override {
  readonly use: string;
  readonly [key: string]: unknown;
}

export function isOverride(entry: unknown): entry is Override {
  return isRecord(entry) && typeof entry.use === 'string';
}

/**
 * An item as a server wants it: renamed, described otherwise, hidden, with options or arguments fixed.
 * @throws DefinitionError if the entry says something that cannot be changed.
 */
export function applyOverride<S extends ToolSpec | PromptSpec | ResourceSpec>(
  spec: S,
  override: Override,
  { server, path }: { readonly server: Definition; readonly path: readonly (string | number)[] },
): S {
  const what = `${nameOf(server)}, entry "${override.use}",`;
  for (const fault of checkShape(override, overrideShape)) {
    const message = describeFault(what, fault);
    throw new DefinitionError('invalid-server', message, locate(server, [...path, ...fault.path]));
  }
  const { name = spec.name, hidden, visible, timeoutMs = spec.timeoutMs, meta, category, options } = override;
  const nameLocation = locate(server, [...path, 'name']);
  if (spec.kind === 'tools') requireWireName(name, what, nameLocation);
  if (name === '') throw new DefinitionError('invalid-wire-name', `${what} has an empty name.`, nameLocation);
  const isHidden =
    typeof hidden === 'boolean' ? hidden : typeof visible === 'boolean' ? !visible : spec.hidden;
  const changed: Record<string, unknown> = { name };
  for (const key of ['title', 'description', 'icons', 'annotations']) {
    if (override[key] !== undefined) changed[key] = override[key];
  }
  const _meta = mergedMeta(spec.wire._meta, meta, category);
  const { _meta: _, ...withoutMeta } = spec.wire;
  const next = {
    ...spec,
    name: String(name),
    hidden: isHidden,
    timeoutMs: Number(timeoutMs),
    wire: { ...withoutMeta, ...changed, ...(_meta && { _meta }) } as S['wire'],
  };
  if (next.kind === 'prompts' && isRecord(override.arguments)) {
    return { ...next, ...pinPrompt(next as PromptSpec, override.arguments) };
  }
  if (next.kind !== 'tools') return next;
  return {
    ...next,
    ...(isRecord(options) && { options: { ...next.options, ...options } }),
    ...(isRecord(override.arguments) && pin(next as ToolSpec, override.arguments)),
  };
}

function mergedMeta(own: unknown, meta: unknown, category: unknown): Record<string, unknown> | undefined {
  const merged = { ...(isRecord(own) ? own : {}), ...(isRecord(meta) ? meta : {}) };
  if (typeof category === 'string') merged.category = category;
  if (category === null) delete merged.category;
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** Fixes arguments of a prompt: they leave the list that clients see and are put back at each get. */
function pinPrompt(spec: PromptSpec, pinned: Readonly<Record<string, unknown>>): Partial<PromptSpec> {
  const values = Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, String(value)]));
  const stays = (name: unknown) => !Object.hasOwn(values, String(name));
  const listed = (spec.wire.arguments ?? []) as readonly { readonly name: string }[];
  return {
    required: spec.required.filter(stays),
    argumentNames: spec.argumentNames.filter(stays),
    render: (args, ctx) => spec.render({ ...args, ...values }, ctx),
    wire: { ...spec.wire, arguments: listed.filter(({ name }) => stays(name)) },
  };
}

/** Fixes arguments: they leave the schema that clients see and are put back at each call. */
function pin(spec: ToolSpec, pinned: Readonly<Record<string, unknown>>): Pick<ToolSpec, 'pinned' | 'wire'> {
  const schema = spec.wire.inputSchema as Readonly<Record<string, unknown>>;
  const { required, properties, ...rest } = schema;
  const stays = (name: unknown) => !Object.hasOwn(pinned, String(name));
  const left = Array.isArray(required) ? required.filter(stays) : [];
  return {
    pinned: { ...spec.pinned, ...pinned },
    wire: {
      ...spec.wire,
      inputSchema: {
        ...rest,
        properties: Object.fromEntries(
          Object.entries(isRecord(properties) ? properties : {}).filter(([name]) => stays(name)),
        ),
        ...(left.length > 0 && { required: left }),
      },
    },
  };
}
