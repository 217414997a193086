import { describeFault } from '../extension/check.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { checkShape, isRecord, overrideShapes } from '../extension/shapes.js';
import { type CompiledSchema, formatIssues } from '../schema/index.js';
import type { PinFault } from '../schema/pin.js';
import { didYouMean } from '../spelling.js';
import { locate, nameOf, requireWireName } from './read.js';
import type { AppSpec, PromptSpec, ResourceSpec, ToolSpec } from './specs.js';
import { readUi } from './ui.js';

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
export async function applyOverride<S extends ToolSpec | PromptSpec | ResourceSpec | AppSpec>(
  spec: S,
  override: Override,
  { server, path }: { readonly server: Definition; readonly path: readonly (string | number)[] },
): Promise<S> {
  const what = `${nameOf(server)}, entry "${override.use}",`;
  for (const fault of checkShape(override, overrideShapes[spec.kind])) {
    const message = describeFault(what, fault);
    throw new DefinitionError('invalid-server', message, locate(server, [...path, ...fault.path]));
  }
  for (const fault of await findFixFaults(override, takenBy(spec))) {
    const location = locate(server, [...path, ...fault.path]);
    throw new DefinitionError('invalid-server', `${what} ${fault.reason}`, location);
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
    ...(override.ui !== undefined && { ui: readUi(override.ui, server, [...path, 'ui']) }),
    ...(isRecord(override.arguments) && (await pin(next as ToolSpec, override.arguments))),
  };
}

function mergedMeta(own: unknown, meta: unknown, category: unknown): Record<string, unknown> | undefined {
  const merged = { ...(isRecord(own) ? own : {}), ...(isRecord(meta) ? meta : {}) };
  if (typeof category === 'string') merged.category = category;
  if (category === null) delete merged.category;
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** What an item takes that a server may fix. */
export interface Taken {
  /** Of a tool; absent where its schema cannot be used, which is told of the tool. */
  readonly input?: CompiledSchema | undefined;
  /** Names of the options of a tool. */
  readonly options?: readonly string[];
  /** Names of the arguments of a prompt. */
  readonly arguments?: readonly string[];
}

/** Something that an entry fixes and the item does not take, or not like this. */
export interface FixFault {
  /** Where it stands in the entry. */
  readonly path: readonly string[];
  readonly reason: string;
}

/** Everything that an entry fixes in vain. */
export async function findFixFaults(
  { arguments: pinned, options }: Readonly<Record<string, unknown>>,
  taken: Taken,
): Promise<readonly FixFault[]> {
  const args = isRecord(pinned) ? pinned : {};
  const ofTool = taken.input && isRecord(pinned) ? await pinFaults(taken.input, args) : [];
  return [
    ...ofTool.map(describePinFault),
    ...(taken.arguments ? promptFaults(args, taken.arguments) : []),
    ...(taken.options && isRecord(options) ? optionFaults(options, taken.options) : []),
  ];
}

/** Few entries fix arguments, so what it takes is loaded for those. */
async function pinFaults(
  input: CompiledSchema,
  pinned: Readonly<Record<string, unknown>>,
): Promise<readonly PinFault[]> {
  const { findPinFaults } = await import('../schema/pin.js');
  return await findPinFaults(input, pinned);
}

function describePinFault(fault: PinFault): FixFault {
  if (fault.problem === 'together') {
    return { path: ['arguments'], reason: 'fixes arguments that the tool does not take together.' };
  }
  if (fault.problem === 'excessive') {
    const reason = `fixes arguments of a tool whose schema cannot do without them: ${fault.reason}`;
    return { path: ['arguments'], reason };
  }
  const { name } = fault;
  const reason =
    fault.problem === 'unknown'
      ? unknownName('argument', name, fault.known, 'tool')
      : `fixes "${name}" to what it cannot be: ${formatIssues(fault.issues)}.`;
  return { path: ['arguments', name], reason };
}

function promptFaults(pinned: Readonly<Record<string, unknown>>, known: readonly string[]): FixFault[] {
  return Object.entries(pinned).flatMap(([name, value]) => {
    const path = ['arguments', name];
    if (!known.includes(name)) return [{ path, reason: unknownName('argument', name, known, 'prompt') }];
    if (['string', 'number', 'boolean'].includes(typeof value)) return [];
    return [{ path, reason: `fixes "${name}" to what it cannot be: the arguments of prompts are texts.` }];
  });
}

function optionFaults(options: Readonly<Record<string, unknown>>, known: readonly string[]): FixFault[] {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    path: ['options', name],
    reason: unknownName('option', name, known, 'tool'),
  }));
}

function unknownName(what: string, name: string, known: readonly string[], owner: string): string {
  const meant = didYouMean(name, known);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return `fixes the ${what} "${name}", which the ${owner} does not have.${hint} It has: ${known.join(', ') || 'none'}.`;
}

function takenBy(spec: ToolSpec | PromptSpec | ResourceSpec | AppSpec): Taken {
  if (spec.kind === 'tools') return { input: spec.input, options: Object.keys(spec.options) };
  return spec.kind === 'prompts' ? { arguments: spec.argumentNames } : {};
}

/** Fixes arguments of a prompt: they leave the list that clients see and are put back at each get. */
function pinPrompt(spec: PromptSpec, pinned: Readonly<Record<string, unknown>>): Partial<PromptSpec> {
  const values = Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, String(value)]));
  const stays = (name: unknown) => !Object.hasOwn(values, String(name));
  const listed = (spec.wire.arguments ?? []) as readonly { readonly name: string }[];
  return {
    required: spec.required.filter(stays),
    argumentNames: spec.argumentNames.filter(stays),
    complete: new Map([...spec.complete].filter(([name]) => stays(name))),
    render: (args, ctx) => spec.render({ ...args, ...values }, ctx),
    wire: { ...spec.wire, arguments: listed.filter(({ name }) => stays(name)) },
  };
}

/** Fixes arguments: they leave the schema that clients see and are put back at each call. */
async function pin(
  spec: ToolSpec,
  pinned: Readonly<Record<string, unknown>>,
): Promise<Pick<ToolSpec, 'pinned' | 'wire'>> {
  const { withoutPinned } = await import('../schema/pin.js');
  const inputSchema = withoutPinned(spec.input.wire, pinned);
  return { pinned: { ...spec.pinned, ...pinned }, wire: { ...spec.wire, inputSchema } };
}
