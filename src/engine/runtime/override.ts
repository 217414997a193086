import { isRecord } from '../base/value-checks.js';
import { checkShape } from '../extension/check-shape.js';
import { overrideShapes } from '../extension/definition-shapes.js';
import { describeFault } from '../extension/describe-fault.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { wantsConfirmation } from './confirm-call.js';
import type { AcceptedArguments, EntryOverrideFault } from './override-faults.js';
import { definitionLabel, locate, requireWireName } from './read-definition.js';
import type { AppSpec, PromptSpec, ResourceSpec, SuggestionSource, ToolSpec } from './specs.js';
import { readUi } from './ui.js';
import { changedWire, isHiddenBy } from './wire-item.js';

/** A server's list entry that changes the item it names. */
export interface Override {
  readonly use: string;
  readonly [key: string]: unknown;
}

export function isOverride(entry: unknown): entry is Override {
  return isRecord(entry) && typeof entry.use === 'string';
}

/**
 * Applies a server's override to an item: a new name, description, visibility, fixed options and arguments, arguments
 * that clients know by other names or not at all.
 * @throws DefinitionError if the override is invalid.
 */
export async function applyOverride<S extends ToolSpec | PromptSpec | ResourceSpec | AppSpec>(
  spec: S,
  override: Override,
  { server, path }: { readonly server: Definition; readonly path: readonly (string | number)[] },
): Promise<S> {
  const what = `${definitionLabel(server)}, entry "${override.use}",`;
  for (const fault of checkShape(override, overrideShapes[spec.kind])) {
    const message = describeFault(what, fault);
    throw new DefinitionError('invalid-server', message, locate(server, [...path, ...fault.path]));
  }
  for (const fault of await findOverrideFaults(spec, override)) {
    const location = locate(server, [...path, ...fault.path]);
    throw new DefinitionError('invalid-server', `${what} ${fault.reason}`, location);
  }
  const { name = spec.name, timeoutMs = spec.timeoutMs, options } = override;
  const nameLocation = locate(server, [...path, 'name']);
  if (spec.kind === 'tools') requireWireName(name, what, nameLocation);
  if (name === '') throw new DefinitionError('invalid-wire-name', `${what} has an empty name.`, nameLocation);
  const next = {
    ...spec,
    name: String(name),
    hidden: isHiddenBy(override, spec.hidden),
    timeoutMs: Number(timeoutMs),
    wire: changedWire<S['wire']>(spec.wire, override),
  };
  if (next.kind === 'prompts' && isRecord(override.arguments)) {
    return { ...next, ...pinPrompt(next as PromptSpec, override.arguments) };
  }
  if (next.kind !== 'tools') return next;
  return {
    ...next,
    ...(isRecord(options) && { options: { ...next.options, ...options } }),
    ...(wantsConfirmation(override.confirm) && { isConfirmed: true }),
    ...(override.ui !== undefined && { ui: readUi(override.ui, server, [...path, 'ui']) }),
    ...((override.arguments ?? override.parameters) !== undefined &&
      (await withChangedInput(next as ToolSpec, override))),
  };
}

/** Checks are loaded on demand, because few entries fix or change arguments or options. */
async function findOverrideFaults(
  spec: ToolSpec | PromptSpec | ResourceSpec | AppSpec,
  override: Override,
): Promise<readonly EntryOverrideFault[]> {
  if ([override.arguments, override.parameters, override.options].every((one) => one === undefined))
    return [];
  const { findFixFaults } = await import('./override-faults.js');
  return await findFixFaults(override, overridableArguments(spec));
}

function overridableArguments(spec: ToolSpec | PromptSpec | ResourceSpec | AppSpec): AcceptedArguments {
  if (spec.kind === 'tools') return { input: spec.input, options: Object.keys(spec.options) };
  return spec.kind === 'prompts' ? { arguments: spec.argumentNames } : {};
}

/** Fixes arguments of a prompt: removes them from the list that clients see and adds them to each get. */
function pinPrompt(spec: PromptSpec, pinned: Readonly<Record<string, unknown>>): Partial<PromptSpec> {
  const values = Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, String(value)]));
  const stays = (name: unknown) => !Object.hasOwn(values, String(name));
  const listed = (spec.wire.arguments ?? []) as readonly { readonly name: string }[];
  return {
    required: spec.required.filter(stays),
    argumentNames: spec.argumentNames.filter(stays),
    complete: new Map(
      [...spec.complete]
        .filter(([name]) => stays(name))
        .map(([name, one]) => [name, withKnownValues(values, one)]),
    ),
    render: (args, ctx) => spec.render({ ...args, ...values }, ctx),
    wire: { ...spec.wire, arguments: listed.filter(({ name }) => stays(name)) },
  };
}

/** Adds the fixed values to the known arguments of suggestions. */
function withKnownValues(
  values: Readonly<Record<string, string>>,
  suggesting: SuggestionSource,
): SuggestionSource {
  if (typeof suggesting !== 'function') return suggesting;
  return async () => {
    const complete = await suggesting();
    return (typed, ctx) => complete(typed, { ...ctx, arguments: { ...ctx.arguments, ...values } });
  };
}

/** Applies fixed and changed arguments to the schema that clients see, and restores them at each call. */
async function withChangedInput(
  spec: ToolSpec,
  override: Override,
): Promise<Pick<ToolSpec, 'input' | 'wire'>> {
  const [{ changeInput }, { argumentOverrides }] = await Promise.all([
    import('../schema/parameter-overrides.js'),
    import('./override-faults.js'),
  ]);
  const input = changeInput(spec.input, argumentOverrides(override));
  return { input, wire: { ...spec.wire, inputSchema: input.wire } };
}
