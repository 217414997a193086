import { checkTool } from '../extension/check-tool.js';
import { describeFault, isSerious } from '../extension/faults.js';
import { isWireName } from '../extension/names.js';
import { checkShape, isRecord, toolkitShape } from '../extension/shapes.js';
import {
  checkToolkitOverride,
  functionName,
  givesName,
  isToolkit,
  nameOfTool,
  readTools,
  toolkitIn,
} from '../extension/toolkits.js';
import { noInput, type SchemaSide } from '../schema/compiled.js';
import { requireSchema, wireSchema } from '../schema/early.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { SchemaError } from '../schema/schema-error.js';
import { distinctNames, withoutRepeats } from './collisions.js';
import type { Context, ListedItem } from './context.js';
import type {
  Awaitable,
  PromptDefinition,
  ResourceDefinition,
  ToolArguments,
  ToolDefinition,
  ToolOutput,
} from './define.js';
import { changedWire, isHiddenBy, schemaIn, toolWire, type Wire } from './wire.js';

/** What may be said of a tool besides its function: the keys of a definition. */
export type ToolOptions = Omit<ToolDefinition<unknown, unknown>, 'handler'>;

/** What several option sets say of one key: the last one that says something. */
type Said<S extends readonly object[], K extends PropertyKey> = S extends readonly [
  ...infer Earlier extends readonly object[],
  infer Last,
]
  ? K extends keyof Last
    ? Last[K] extends undefined
      ? Said<Earlier, K>
      : Last[K]
    : Said<Earlier, K>
  : undefined;

/** The schema of one side; a raw one wins, and says nothing of types. */
type SchemaOf<S extends readonly object[], K extends SchemaSide> =
  Said<S, `${K}Schema`> extends undefined ? Said<S, K> : undefined;

/** What no tool has is a typing error. */
type Known<A> = A & { readonly [K in Exclude<keyof A, keyof ToolOptions | `x-${string}`>]: never };

type Handler<S extends readonly object[], R> = (args: ToolArguments<SchemaOf<S, 'input'>>, ctx: Context) => R;
type Returned<S extends readonly object[]> = Awaitable<ToolOutput<SchemaOf<S, 'output'>>>;
type Made<S extends readonly object[]> = ToolDefinition<SchemaOf<S, 'input'>, SchemaOf<S, 'output'>>;

/** Any tool, whatever it takes and gives. */
// biome-ignore lint/suspicious/noExplicitAny: what a handler takes is for its own tool to say
type AnyTool = ToolDefinition<any, any>;

/**
 * A tool of option sets and a function. Of what several sets say, the last one counts. Its name is that of the function
 * unless a set gives one; the function gets (args, ctx), however few parameters it has.
 * @throws TypeError naming the tool, if something about it cannot be
 */
export function tool<R extends Returned<[]>>(run: Handler<[], R>): Made<[]>;
export function tool<const A extends ToolOptions, R extends Returned<[A]>>(
  options: Known<A>,
  run: Handler<[NoInfer<A>], R>,
): Made<[A]>;
export function tool<const A extends ToolOptions, const B extends ToolOptions, R extends Returned<[A, B]>>(
  first: Known<A>,
  second: Known<B>,
  run: Handler<[NoInfer<A>, NoInfer<B>], R>,
): Made<[A, B]>;
export function tool<
  const A extends ToolOptions,
  const B extends ToolOptions,
  const C extends ToolOptions,
  R extends Returned<[A, B, C]>,
>(
  first: Known<A>,
  second: Known<B>,
  third: Known<C>,
  run: Handler<[NoInfer<A>, NoInfer<B>, NoInfer<C>], R>,
): Made<[A, B, C]>;
export function tool<
  const A extends ToolOptions,
  const B extends ToolOptions,
  const C extends ToolOptions,
  const D extends ToolOptions,
  R extends Returned<[A, B, C, D]>,
>(
  first: Known<A>,
  second: Known<B>,
  third: Known<C>,
  fourth: Known<D>,
  run: Handler<[NoInfer<A>, NoInfer<B>, NoInfer<C>, NoInfer<D>], R>,
): Made<[A, B, C, D]>;
export function tool(...parts: readonly unknown[]): AnyTool {
  const run = parts.at(-1);
  const sets = parts.slice(0, -1);
  const options = Object.fromEntries(sets.filter(isRecord).flatMap(saidIn));
  const name = options.name ?? (typeof run === 'function' ? functionName(run) : undefined);
  const what = called(typeof name === 'string' ? name : undefined);
  for (const [index, set] of sets.entries()) {
    if (isRecord(set)) continue;
    throw new TypeError(`${what}: its option set ${index + 1} is ${kindOf(set)}. Expected an object.`);
  }
  if (typeof run !== 'function') {
    throw new TypeError(
      `${what} has no function: its last argument is ${kindOf(run)}. Expected tool(options, function).`,
    );
  }
  if (name === undefined) {
    throw new TypeError(`A tool has no name, because its function has none. ${givesName}`);
  }
  const made = { ...options, name, handler: run };
  requireTool(made);
  return made as unknown as AnyTool;
}

function saidIn(set: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(set).filter(([, value]) => value !== undefined);
}

function called(name: string | undefined): string {
  return name === undefined ? 'A tool' : `Tool "${name}"`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Judges a tool as `validate` would, as far as that goes at once. @throws TypeError naming it */
function requireTool(value: Readonly<Record<string, unknown>>): void {
  const name = nameOfTool(value);
  const what = called(name);
  for (const fault of checkTool(value)) {
    // A hint that nobody knows would be lost in silence.
    if (isSerious(fault) || fault.path[0] === 'annotations') throw new TypeError(describeFault(what, fault));
  }
  if (name !== undefined && !isWireName(name)) {
    throw new TypeError(`${what} has a name that clients refuse. Expected 1 to 128 of A-Z a-z 0-9 _ . -`);
  }
  for (const side of ['input', 'output'] as const) {
    withSchema(value, side, what, ({ schema, rawOnly }) => requireSchema(schema, { side, rawOnly }));
  }
}

/** Does something with the schema of a side. @throws TypeError naming the tool, if the schema is none */
function withSchema<T>(
  value: Readonly<Record<string, unknown>>,
  side: SchemaSide,
  what: string,
  work: (written: NonNullable<ReturnType<typeof schemaIn>>) => T,
): T | undefined {
  const written = schemaIn(value, side);
  try {
    return written && work(written);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new TypeError(`${what} has an unusable "${written?.key}": ${error.message}`, { cause: error });
  }
}

/** What a toolkit says for those of its tools that do not say it themselves. */
export interface ToolkitOptions {
  readonly category?: string | null;
  /** Leaves its tools out of lists. */
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
 * @throws TypeError naming the tools, if something about them cannot be
 */
export function defineToolkit(options: ToolkitOptions, tools: readonly AnyTool[]): Toolkit;
export function defineToolkit(tools: readonly AnyTool[]): Toolkit;
export function defineToolkit(first: unknown, second?: unknown): Toolkit {
  const [options, tools] = Array.isArray(first) && second === undefined ? [{}, first] : [first, second];
  if (!isRecord(options))
    throw new TypeError(`The options of a toolkit are ${kindOf(options)}. Expected an object.`);
  if (!Array.isArray(tools)) {
    throw new TypeError(
      `The tools of a toolkit are ${kindOf(tools)}. Expected a list, such as [tool(…), tool(…)].`,
    );
  }
  const kit = { ...options, tools };
  for (const fault of checkShape(kit, toolkitShape)) throw new TypeError(describeFault('A toolkit', fault));
  requireTools(kit);
  return kit as unknown as Toolkit;
}

/** @throws TypeError naming what is no tool, or not to be told from another */
function requireTools(kit: { readonly tools: readonly unknown[] }): void {
  for (const value of kit.tools) if (isRecord(value)) requireTool(value);
  const names = kit.tools.map((value) => (isRecord(value) ? nameOfTool(value) : undefined));
  const repeated = names.filter((name, index) => name !== undefined && names.indexOf(name) < index);
  if (repeated.length > 0) {
    const list = [...new Set(repeated)].map((name) => `"${name}"`).join(', ');
    throw new TypeError(`A toolkit has several tools named ${list}. Give each a "name" of its own.`);
  }
  const [fault] = readTools({ options: {}, tools: kit.tools }).faults;
  if (fault) throw new TypeError(`A toolkit ${fault.reason}`);
}

/** What a server may say of an item that it lists, whatever the item says itself. */
export interface Changes {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** `null`: none. */
  readonly category?: string | null;
  readonly hidden?: boolean;
  /** The opposite of `hidden`, which wins. */
  readonly visible?: boolean;
  readonly icons?: ToolOptions['icons'];
  readonly meta?: ToolOptions['meta'];
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly ui?: ToolOptions['ui'];
  readonly timeoutMs?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Values that are fixed: clients neither see nor send these arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** What is changed about arguments, by the names that the tool knows. */
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

/** An item, or several, with what is said of them where they are registered. */
export interface Used extends Changes {
  readonly use: Usable;
}

/** What `use` takes: a name, a tool, prompt or resource, a toolkit, or what `use` made before. */
type Usable =
  | string
  | AnyTool
  // biome-ignore lint/suspicious/noExplicitAny: what a prompt takes is for the prompt to say
  | PromptDefinition<any>
  | ResourceDefinition
  | Toolkit
  | readonly AnyTool[]
  | Used;

/**
 * An entry of a server's list: an item, a toolkit, or the name of an item, with changes. Without changes it is the item;
 * under another name it is an alias.
 * @throws TypeError for a name or description that would be that of several tools
 */
export function use(item: Usable, changes: Changes = {}): Used {
  if (typeof item !== 'string' && (typeof item !== 'object' || item === null)) {
    throw new TypeError(`use() takes a name, a definition or a toolkit, not ${kindOf(item)}.`);
  }
  if (!isRecord(changes))
    throw new TypeError(`The changes of use() are ${kindOf(changes)}. Expected an object.`);
  const used = { ...changes, use: item };
  const count = toolsIn(item);
  if (count !== undefined) requireToolkitChanges(used, count);
  return used;
}

/** How many tools a toolkit has; undefined for what is none. */
function toolsIn(item: unknown): number | undefined {
  if (isRecord(item) && item.use !== undefined) return toolsIn(item.use);
  return toolkitIn(item)?.tools.length;
}

function requireToolkitChanges(
  { use: _, ...changes }: Readonly<Record<string, unknown>>,
  count: number,
): void {
  for (const fault of checkToolkitOverride({ ...changes, toolkit: '' }, count)) {
    throw new TypeError(describeFault('A toolkit that is used', fault));
  }
}

/** A tool with everything that is said of it where it is registered. */
export interface ToolSpec extends ListedItem {
  readonly kind: 'tools';
  /** The tool itself, before anything was said of it. */
  readonly tool: AnyTool;
}

/** What a server may register as tools, names aside. */
export type ToolRegistration = AnyTool | Toolkit | readonly AnyTool[] | Used;

/**
 * The tools that registrations stand for, one by one, with names, descriptions, categories and all as clients see them.
 * Names of items are for servers to look up, and so are changes of schemas for them to work out.
 * @throws TypeError for what is no registration of tools
 */
export function expand(registrations: readonly ToolRegistration[]): readonly ToolSpec[] {
  const registered = withoutRepeats(
    registrations.flatMap((one) => registeredBy(one, [], false)),
    (inToolkit, alone) => ({ ...alone, changes: [...inToolkit.changes, ...alone.changes] }),
  );
  const names = distinctNames(registered.map(({ name }) => name));
  return registered.map((one, index) => specOf(one, names[index]!));
}

interface Registered {
  readonly name: string;
  readonly value: Value;
  readonly written: AnyTool;
  /** From the inside out. */
  readonly changes: readonly Value[];
  readonly inToolkit: boolean;
}

type Value = Readonly<Record<string, unknown>>;

function registeredBy(
  registration: unknown,
  changes: readonly Value[],
  inToolkit: boolean,
): readonly Registered[] {
  if (isRecord(registration) && registration.use !== undefined) {
    const count = toolsIn(registration.use);
    if (count !== undefined) requireToolkitChanges(registration, count);
    return registeredBy(registration.use, [registration, ...changes], inToolkit);
  }
  const content =
    isToolkit(registration) || Array.isArray(registration) ? toolkitIn(registration) : undefined;
  if (content) {
    requireTools(content);
    return readTools(content).tools.map(({ value, index }) =>
      registeredAs(value, content.tools[index], changes, true),
    );
  }
  if (isRecord(registration)) {
    requireTool(registration);
    return [registeredAs(registration, registration, changes, inToolkit)];
  }
  const hint = typeof registration === 'string' ? ': only a server can look up a name' : '';
  throw new TypeError(`expand() takes tools and toolkits, not ${kindOf(registration)}${hint}.`);
}

function registeredAs(
  value: Value,
  written: unknown,
  changes: readonly Value[],
  inToolkit: boolean,
): Registered {
  const item = nameOfTool(value);
  if (item === undefined) throw new TypeError(`A tool has no name. ${givesName}`);
  const name = String(changes.map((change) => change.name).findLast((one) => one !== undefined) ?? item);
  return { name, value, written: written as AnyTool, changes, inToolkit };
}

function specOf({ value, written, changes }: Registered, name: string): ToolSpec {
  const item = nameOfTool(value)!;
  const what = called(item);
  const schemaOf = (side: SchemaSide): JsonSchema | undefined =>
    withSchema(
      value,
      side,
      what,
      ({ schema, rawOnly }) => wireSchema(schema, { side, rawOnly }) ?? anything[side],
    );
  const own = toolWire(
    { value, item },
    { input: schemaOf('input') ?? noInput.wire, output: schemaOf('output') },
  );
  const wire = changes.reduce((seen: Wire, change) => {
    if (change.arguments ?? change.parameters) {
      throw new TypeError(
        `${what}: "arguments" and "parameters" are worked out by servers; ask ctx.registry.`,
      );
    }
    return changedWire(seen, change);
  }, own);
  const hidden = changes.reduce((seen, change) => isHiddenBy(change, seen), isHiddenBy(value, false));
  return { kind: 'tools', name, item, tool: written, hidden, definition: { ...wire, name } };
}

/** What is shown of a schema that only a second package of its author can write. */
const anything = { input: { type: 'object' }, output: undefined } as const satisfies Record<
  SchemaSide,
  JsonSchema | undefined
>;
