import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { type Definition, DefinitionError, type DerivedPart } from '../extension/extension.js';
import {
  type CompiledSchema,
  compileSchema,
  noInput,
  SchemaError,
  type SchemaSide,
} from '../schema/index.js';
import { wantsConfirmation } from './confirm-call.js';
import { type Lazy, LoadError, lazyFunction } from './lazy-function.js';
import {
  commonParts,
  definitionLabel,
  locate,
  requireModules,
  requireUsable,
  requireWireName,
} from './read-definition.js';
import type { Initializer, ToolHandler, ToolSpec } from './specs.js';
import { readUi } from './ui.js';
import type { ToolUpstream } from './upstream.js';
import { findAuthoredSchema, toolWire } from './wire-item.js';

/** Creates a tool spec from its definition. @throws DefinitionError with the first fault. */
export async function readTool(definition: Definition): Promise<ToolSpec> {
  requireUsable(definition);
  await requireModules(definition);
  const { value, extension } = definition;
  const [written, output] = await Promise.all([readInput(definition), readSchema(definition, 'output')]);
  const upstream = await readUpstream(definition);
  const load = upstream ? upstreamPlaceholder(upstream) : lazyFunction<ToolHandler>(value.handler, extension);
  const { input, handler } = definition.derived
    ? await bindDerived(definition.derived, written, load)
    : { input: written, handler: load };
  const wire = toolWire(definition, { input: input.wire, output: output?.wire });
  requireWireName(wire.name, definitionLabel(definition), locate(definition, ['name']));
  return {
    ...commonParts(definition),
    kind: 'tools',
    name: wire.name,
    wire,
    input,
    output,
    handler,
    upstream,
    initialize:
      value.initialize === undefined ? undefined : lazyFunction<Initializer>(value.initialize, extension),
    options: readOptions(value.options),
    ...readTask(value),
    isConfirmed: wantsConfirmation(value.confirm),
    onOutputMismatch: value.onOutputMismatch === 'warn' ? 'warn' : 'error',
    ui: readUi(value.ui, definition, ['ui']),
  };
}

/** Loaded on demand: few tools have an upstream server. */
async function readUpstream(definition: Definition): Promise<ToolUpstream | undefined> {
  if (definition.value.upstream === undefined) return undefined;
  const { readToolUpstream } = await import('./upstream-spec.js');
  return readToolUpstream(definition);
}

/** Placeholder for a handler that is never called: calls go to the upstream server. */
function upstreamPlaceholder({ upstream, tool }: ToolUpstream): Lazy<ToolHandler> {
  return async () => {
    throw new LoadError(`it is answered by the tool "${tool}" of ${upstream.name}`);
  };
}

/** A handler from any function: its parameters get the arguments by name, in their declared types. */
async function bindDerived(
  derived: DerivedPart,
  written: CompiledSchema,
  load: Lazy<ToolHandler>,
): Promise<Pick<ToolSpec, 'input' | 'handler'>> {
  const [{ callByParameters }, { withCasts }] = await Promise.all([
    import('./derived-call.js'),
    import('../schema/value-caster.js'),
  ]);
  return {
    input: withCasts(written, derived.function.casts ?? {}),
    handler: callByParameters(load, derived),
  };
}

/** Reads the schema of the arguments. @throws DefinitionError if its form is not supported. */
export async function readInput(definition: Definition): Promise<CompiledSchema> {
  return (await readSchema(definition, 'input')) ?? noInput;
}

/** Reads the schema of one side, if there is one. @throws DefinitionError if its form is not supported. */
export async function readSchema(
  definition: Definition,
  side: SchemaSide,
): Promise<CompiledSchema | undefined> {
  const { value, extension, file } = definition;
  const written = findAuthoredSchema(value, side);
  if (!written) return undefined;
  const { key, schema, rawOnly } = written;
  const resolveFrom = `${extension.manifest.directory}/${file.file}`;
  try {
    return await compileSchema(schema, { side, rawOnly, resolveFrom });
  } catch (error) {
    const path = error instanceof SchemaError ? error.path : undefined;
    // The library of a live schema may throw anything.
    if (!path && file.language === 'data') throw error;
    throw new DefinitionError(
      `invalid-${side}-schema`,
      `${definitionLabel(definition)} has an unusable "${key}": ${errorMessage(error)}`,
      locate(definition, [key, ...(path ?? [])]),
      { cause: error },
    );
  }
}

/** Default of the longest run of a call that can be a task, in milliseconds. */
const defaultTaskTimeoutMs = 3_600_000;

function readTask({
  task,
  taskBegins,
  timeoutMs,
}: Definition['value']): Pick<ToolSpec, 'task'> & { readonly timeoutMs?: number } {
  if (task !== 'optional' && task !== 'required') return { task: undefined };
  return {
    task: { support: task, begins: taskBegins === 'handler' ? 'handler' : 'call' },
    ...(timeoutMs === undefined && { timeoutMs: defaultTaskTimeoutMs }),
  };
}

/** Defaults of options: a value, or `{ default, type?, description? }`. */
function readOptions(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, option]) => [
      name,
      isRecord(option) && 'default' in option ? option.default : option,
    ]),
  );
}
