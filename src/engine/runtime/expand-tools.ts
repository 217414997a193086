import { describeValueType, isRecord, type UnknownRecord } from '../base/value-checks.js';
import { findToolkit, givesName, isToolkit, nameOfTool, readTools } from '../extension/toolkits.js';
import { noInput, type SchemaSide } from '../schema/compiled-schema.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { wireSchema } from '../schema/wire-schema.js';
import type { ListedItem } from './context.js';
import { type CollisionCandidate, distinctNames, withoutRepeats } from './distinct-names.js';
import type { AnyTool } from './option-sets.js';
import { requireTool, requireTools, toolLabel, withSchema } from './required-tool.js';
import { requireToolkitChanges, type Toolkit, type Used } from './toolkit.js';
import { changedWire, isHiddenBy, toolWire, type WireItem } from './wire-item.js';

/** A tool with all overrides of its registration. */
export interface ExpandedTool extends ListedItem {
  readonly kind: 'tools';
  /** The tool itself, without overrides. */
  readonly tool: AnyTool;
  /** Path of the module with the handler, from the package. Absent: the definition holds the handler. */
  readonly module?: string;
  /** Name of the handler: of the function, or of the export of its module. Absent: it has none. */
  readonly function?: string;
  /** Number of parameters that the handler declares before one with a default. Absent for a handler in another module. */
  readonly arity?: number;
}

/** Values that a server may register as tools, except names. */
export type ToolRegistration = AnyTool | Toolkit | readonly AnyTool[] | Used;

/**
 * The tools of registrations, one by one, with names, descriptions, categories and other fields as clients see them.
 * Only servers look up item names and apply changes of schemas.
 * @throws TypeError for a value that is not a registration of tools
 */
export function expand(registrations: readonly ToolRegistration[]): readonly ExpandedTool[] {
  const registered = withoutRepeats(registrations.flatMap((one) => registerTools(one, [], false)));
  const names = distinctNames(registered.map(({ name }) => name));
  return registered.map((one, index) => expandTool(one, names[index]!));
}

interface RegisteredTool extends CollisionCandidate {
  readonly value: UnknownRecord;
  readonly written: AnyTool;
  readonly changes: readonly UnknownRecord[];
}

function registerTools(
  registration: unknown,
  changes: readonly UnknownRecord[],
  inToolkit: boolean,
): readonly RegisteredTool[] {
  if (isRecord(registration) && registration.use !== undefined) {
    requireToolkitChanges(registration);
    return registerTools(registration.use, [registration, ...changes], inToolkit);
  }
  const content =
    isToolkit(registration) || Array.isArray(registration) ? findToolkit(registration) : undefined;
  if (content) {
    requireTools(content);
    return readTools(content).tools.map(({ value, index }) =>
      registerTool(value, content.tools[index], changes, true),
    );
  }
  if (isRecord(registration)) {
    requireTool(registration);
    return [registerTool(registration, registration, changes, inToolkit)];
  }
  const hint = typeof registration === 'string' ? ': only a server can look up a name' : '';
  throw new TypeError(`expand() takes tools and toolkits, not ${describeValueType(registration)}${hint}.`);
}

function registerTool(
  value: UnknownRecord,
  written: unknown,
  changes: readonly UnknownRecord[],
  inToolkit: boolean,
): RegisteredTool {
  const item = nameOfTool(value);
  if (item === undefined) throw new TypeError(`A tool has no name. ${givesName}`);
  const name = String(changes.map((change) => change.name).findLast((one) => one !== undefined) ?? item);
  return { name, value, written: written as AnyTool, changes, inToolkit };
}

function expandTool({ value, written, changes }: RegisteredTool, name: string): ExpandedTool {
  const item = nameOfTool(value)!;
  const what = toolLabel(item);
  const schemaOf = (side: SchemaSide): JsonSchema | undefined =>
    withSchema(
      value,
      side,
      what,
      ({ schema, rawOnly }) => wireSchema(schema, { side, rawOnly }) ?? permissiveSchemas[side],
    );
  const own = toolWire(
    { value, item },
    { input: schemaOf('input') ?? noInput.wire, output: schemaOf('output') },
  );
  const wire = changes.reduce((seen: WireItem, change) => {
    if (change.arguments ?? change.parameters) {
      throw new TypeError(
        `${what}: "arguments" and "parameters" are worked out by servers; ask ctx.registry.`,
      );
    }
    return changedWire(seen, change);
  }, own);
  const hidden = changes.reduce((seen, change) => isHiddenBy(change, seen), isHiddenBy(value, false));
  return {
    ...{ kind: 'tools', name, item, tool: written, hidden, definition: { ...wire, name } },
    ...handlerFacts(value.handler),
  };
}

function handlerFacts(handler: unknown): Pick<ExpandedTool, 'module' | 'function' | 'arity'> {
  if (typeof handler === 'function') {
    const { name, length } = handler;
    return { ...(name !== '' && { function: name }), arity: length };
  }
  if (typeof handler !== 'string') return {};
  const [module = '', exported = 'default'] = handler.split('#');
  return { module, function: exported };
}

/** Placeholders for schemas that only a second package of their library can convert to JSON Schema. */
const permissiveSchemas = { input: { type: 'object' }, output: undefined } as const satisfies Record<
  SchemaSide,
  JsonSchema | undefined
>;
