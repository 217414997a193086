import { isRecord } from '../base/value-checks.js';
import { checkShape, toolkitShape } from '../extension/definition-shapes.js';
import { describeFault } from '../extension/describe-fault.js';
import { checkToolkitOverride, findToolkit } from '../extension/toolkits.js';
import type { PromptDefinition, ResourceDefinition } from './define-items.js';
import type { AnyTool, ToolSettings } from './option-sets.js';
import { describeValueType, requireTools } from './required-tool.js';

/** Defaults for the tools of a toolkit. */
export interface ToolkitOptions {
  readonly category?: string | null;
  /** Omit its tools from lists. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`, which wins. */
  readonly visible?: boolean;
}

/** Several tools that are registered at once. */
export interface Toolkit extends ToolkitOptions {
  readonly tools: readonly AnyTool[];
}

/**
 * A toolkit: the default export of a file that the manifest declares as `{ "toolkit": … }`, or an entry of a server.
 * @throws TypeError naming the tools, if a tool or an option is invalid
 */
export function defineToolkit(options: ToolkitOptions, tools: readonly AnyTool[]): Toolkit;
export function defineToolkit(tools: readonly AnyTool[]): Toolkit;
export function defineToolkit(first: unknown, second?: unknown): Toolkit {
  const [options, tools] = Array.isArray(first) && second === undefined ? [{}, first] : [first, second];
  if (!isRecord(options))
    throw new TypeError(`The options of a toolkit are ${describeValueType(options)}. Expected an object.`);
  if (!Array.isArray(tools)) {
    throw new TypeError(
      `The tools of a toolkit are ${describeValueType(tools)}. Expected a list, such as [tool(…), tool(…)].`,
    );
  }
  const kit = { ...options, tools };
  for (const fault of checkShape(kit, toolkitShape)) throw new TypeError(describeFault('A toolkit', fault));
  requireTools(kit);
  return kit as unknown as Toolkit;
}

/** Overrides of a server for an item that it lists. They win over the values of the item. */
export interface ItemOverrides {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** `null`: no category. */
  readonly category?: string | null;
  readonly hidden?: boolean;
  /** The opposite of `hidden`, which wins. */
  readonly visible?: boolean;
  readonly icons?: ToolSettings['icons'];
  readonly meta?: ToolSettings['meta'];
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly ui?: ToolSettings['ui'];
  readonly timeoutMs?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Fixed values: clients neither see nor send these arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Changes of arguments, by the names that the tool knows. */
  readonly parameters?: Readonly<
    Record<
      string,
      {
        readonly name?: string;
        readonly description?: string;
        readonly enum?: readonly unknown[];
        readonly hidden?: boolean;
        readonly default?: unknown;
      }
    >
  >;
}

/** An item, or several, with the overrides of their registration. */
export interface Used extends ItemOverrides {
  readonly use: UseInput;
}

/** Values that `use` accepts: a name, a tool, prompt or resource, a toolkit, or a result of `use`. */
type UseInput =
  | string
  | AnyTool
  // biome-ignore lint/suspicious/noExplicitAny: each prompt types its own arguments
  | PromptDefinition<any>
  | ResourceDefinition
  | Toolkit
  | readonly AnyTool[]
  | Used;

/**
 * An entry of a server's list: an item, a toolkit, or the name of an item, with changes. Without changes it is the
 * item; under another name it is an alias.
 * @throws TypeError for a name or description that several tools would share
 */
export function use(item: UseInput, changes: ItemOverrides = {}): Used {
  if (typeof item !== 'string' && (typeof item !== 'object' || item === null)) {
    throw new TypeError(`use() takes a name, a definition or a toolkit, not ${describeValueType(item)}.`);
  }
  if (!isRecord(changes))
    throw new TypeError(`The changes of use() are ${describeValueType(changes)}. Expected an object.`);
  const used = { ...changes, use: item };
  requireToolkitChanges(used);
  return used;
}

/** @throws TypeError if a change of a whole toolkit cannot apply to all of its tools */
export function requireToolkitChanges({ use: item, ...changes }: Readonly<Record<string, unknown>>): void {
  const count = listToolkitTools(item);
  if (count === undefined) return;
  for (const fault of checkToolkitOverride({ ...changes, toolkit: '' }, count)) {
    throw new TypeError(describeFault('A toolkit that is used', fault));
  }
}

/** Number of tools in a toolkit; undefined for other values. */
function listToolkitTools(item: unknown): number | undefined {
  if (isRecord(item) && item.use !== undefined) return listToolkitTools(item.use);
  return findToolkit(item)?.tools.length;
}
