import { describeValueType, isRecord } from '../base/value-checks.js';
import { checkShape } from '../extension/check-shape.js';
import { describeFault } from '../extension/describe-fault.js';
import { toolkitShape } from '../extension/keys/entry-keys.js';
import { checkToolkitOverride, findToolkit } from '../extension/toolkits.js';
import type { Icon } from './definition-types/common-types.js';
import type { PromptDefinition } from './definition-types/prompt-types.js';
import type { ResourceDefinition } from './definition-types/resource-types.js';
import type { UiDefinition } from './definition-types/tool-types.js';
import type { AnyTool } from './option-sets.js';
import { requireTools } from './required-tool.js';

/** Defaults for the tools of a toolkit. */
export interface ToolkitOptions {
  // #region keys: toolkit without tools
  /** `_meta.category` of its tools without a `category`. `null`: none. */
  readonly category?: string | null;
  /** `true`: lists omit its tools, except tools with `hidden` or `visible`. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`. If both are present, `hidden` wins. */
  readonly visible?: boolean;
  // #endregion
}

/** Several tools that are registered at once. */
export interface Toolkit extends ToolkitOptions {
  // #region keys: toolkit only tools
  /** The tools. */
  readonly tools: readonly AnyTool[];
  // #endregion
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
  // #region keys: changedTool without use
  /** The wire name, which clients see. */
  readonly name?: string;
  /** A name for users. */
  readonly title?: string;
  /** The purpose of the item. For a tool, the model reads it. */
  readonly description?: string;
  /** A word that groups items, sent as `_meta.category`. `null`: none. */
  readonly category?: string | null;
  /** `true`: lists omit the item. Clients can still use it by name. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`. If both are present, `hidden` wins. */
  readonly visible?: boolean;
  /** Icons that clients can show. */
  readonly icons?: readonly Icon[] | undefined;
  /** Fields of `_meta`, merged over the fields of the item. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The timeout in milliseconds. */
  readonly timeoutMs?: number;
  /** Hints for clients. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** `"user"`: before each call, the client asks its user. Clients that cannot ask cannot call the tool. */
  readonly confirm?: 'user';
  /** The UI app that shows the results: its name, or an object with more settings. `null`: no app. */
  readonly ui?: string | UiDefinition | undefined | null;
  /** Options, merged over the options of the tool. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Fixed values of arguments. Clients neither see nor send these arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Changes of single arguments, by their names in the tool. */
  readonly parameters?: {
    readonly [name: string]: {
      /** The argument name that clients see. The handler receives the original name. */
      readonly name?: string;
      /** The meaning of the argument, for the model. */
      readonly description?: string;
      /**
       * The values that clients can send, a subset of the argument's values. Its schema must list values: an
       * enum, `const`, or items or branches of these. The default must be in the subset, or you set a new
       * one.
       */
      readonly enum?: readonly unknown[];
      /**
       * `true`: clients neither see nor send the argument, and AgentTools drops a value that a client sends.
       * The handler receives the default. A required argument needs a `default` here.
       */
      readonly hidden?: boolean;
      /**
       * The value that the handler receives if the client sends none, for every form of schema. The argument
       * is no longer required.
       */
      readonly default?: unknown;
    };
  };
  // #endregion
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
