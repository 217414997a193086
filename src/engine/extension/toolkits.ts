import type { DocumentPath } from '../base/files/document-path.js';
import { findCopyFaults, withFaults } from '../base/plain-data.js';
import { isRecord } from '../base/value-checks.js';
import { checkShape, isFunctionLike, type ShapeFault } from './check-shape.js';
import { toolkitOverrideShape } from './keys/entry-keys.js';
import { isItemName } from './names.js';

/** Several tools in one value, with the defaults that they share. */
export interface ToolkitContent {
  readonly options: Readonly<Record<string, unknown>>;
  readonly tools: readonly unknown[];
  /** Path of the tools in the value. */
  readonly path: DocumentPath;
  /** Keys of the tools in an object by name. Undefined for a list. */
  readonly keys?: readonly string[];
}

/** Reads a list of tools, or `{ category, …, tools: […] }`; undefined for any other value. */
export function findToolkit(value: unknown): ToolkitContent | undefined {
  if (Array.isArray(value)) return { options: {}, tools: value, path: [] };
  if (!isToolkit(value)) return undefined;
  const { tools, ...options } = value;
  return { options, tools, path: ['tools'] };
}

/** Reads an object of tools by name; undefined for any other value. A tool without a name gets its key as name. */
export function findKeyedTools(value: unknown): ToolkitContent | undefined {
  if (!isRecord(value) || isFunctionLike(value)) return undefined;
  const entries = Object.entries(value);
  const isTools = entries.length > 0 && entries.every(([, tool]) => isRecord(tool) && 'handler' in tool);
  if (!isTools) return undefined;
  const tools = entries.map(([key, tool]) => {
    const named = { name: key, ...(tool as object) };
    withFaults(named, findCopyFaults(tool));
    return named;
  });
  return { options: {}, tools, path: [], keys: Object.keys(value) };
}

/** True for a toolkit object: it has a list of tools and no handler. */
export function isToolkit(
  value: unknown,
): value is Readonly<Record<string, unknown>> & { readonly tools: readonly unknown[] } {
  return isRecord(value) && Array.isArray(value.tools) && value.handler === undefined;
}

/** One tool of a toolkit. */
export interface ToolkitTool {
  /** Index in the list. */
  readonly index: number;
  /** Wire name and item name. */
  readonly name: string;
  /** With the defaults of the toolkit. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** An entry of a toolkit that is not a usable tool. */
export interface ToolkitEntryFault {
  readonly index: number;
  /** Reason, to be printed after the toolkit's name. */
  readonly reason: string;
}

/** Reads the entries of a toolkit. If several have the same name, the first one is the tool. */
export function readTools({ options, tools }: Pick<ToolkitContent, 'options' | 'tools'>): {
  readonly tools: readonly ToolkitTool[];
  readonly faults: readonly ToolkitEntryFault[];
} {
  const faults: ToolkitEntryFault[] = [];
  const seen = new Set<string>();
  const read = tools.flatMap((value, index): ToolkitTool[] => {
    const fault = toolEntryFault(value, index, seen);
    if (fault !== undefined) {
      faults.push({ index, reason: fault });
      return [];
    }
    const name = nameOfTool(value as Record<string, unknown>)!;
    seen.add(name);
    return [{ index, name, value: withToolkitDefaults(value as Record<string, unknown>, options) }];
  });
  return { tools: read, faults };
}

function toolEntryFault(value: unknown, index: number, seen: ReadonlySet<string>): string | undefined {
  const entry = `entry ${index + 1}`;
  if (!isRecord(value) || isFunctionLike(value)) {
    return `has no tool as ${entry}. Expected an object with "handler", such as tool() makes.`;
  }
  const name = nameOfTool(value);
  if (name === undefined) return `has a tool without a name as ${entry}. ${givesName}`;
  if (!isItemName(name)) {
    return `has a tool named ${JSON.stringify(name)} as ${entry}. Expected 1 to 128 of A-Z a-z 0-9 _ . -`;
  }
  return seen.has(name) ? `has several tools named "${name}". Give each a different "name".` : undefined;
}

/** Advice for a tool without a name. */
export const givesName = 'Give it or its function a "name".';

/** Returns a tool's `name`; else the name of its function, or of the export that its handler refers to. */
export function nameOfTool({ name, handler }: Readonly<Record<string, unknown>>): string | undefined {
  if (name !== undefined) return typeof name === 'string' ? name : undefined;
  if (typeof handler === 'string') return exportNameIn(handler);
  const given = isFunctionLike(handler) ? functionName(handler as { readonly name?: unknown }) : undefined;
  // JavaScript names an anonymous function after its key.
  return given === 'handler' ? undefined : given;
}

/** Returns the name in a function's source. JavaScript names an anonymous default export `default`. */
export function functionName({ name }: { readonly name?: unknown }): string | undefined {
  return typeof name === 'string' && name !== '' && name !== 'default' ? name : undefined;
}

function exportNameIn(reference: string): string | undefined {
  const hash = reference.lastIndexOf('#');
  return hash === -1 ? undefined : functionName({ name: reference.slice(hash + 1) });
}

/** Adds the toolkit's defaults to a tool. The tool's own keys win; a `null` category means no category. */
export function withToolkitDefaults(
  tool: Readonly<Record<string, unknown>>,
  { category, hidden, visible }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const saysSo = tool.hidden !== undefined || tool.visible !== undefined;
  return {
    ...tool,
    ...(tool.category === undefined && typeof category === 'string' && { category }),
    ...(!saysSo && typeof hidden === 'boolean' && { hidden }),
    ...(!saysSo && typeof visible === 'boolean' && { visible }),
  };
}

/**
 * Checks a server's override for all tools of a toolkit. `name` and `description` are allowed only if the
 * toolkit has a single tool.
 */
export function* checkToolkitOverride(
  override: Readonly<Record<string, unknown>>,
  count: number,
): Generator<ShapeFault> {
  yield* checkShape(override, toolkitOverrideShape);
  if (count === 1) return;
  for (const key of ['name', 'description']) {
    if (override[key] === undefined) continue;
    const expected = `no value: it is ambiguous for a toolkit of ${count} tools. Set it on each tool`;
    yield { path: [key], problem: 'value', expected };
  }
}
