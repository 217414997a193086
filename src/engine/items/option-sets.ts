import { isRecord } from '../extension/shapes.js';
import { functionName, givesName } from '../extension/toolkits.js';
import type { CheckedInput, CheckedOutput } from '../schema/checked.js';
import type { SchemaSide } from '../schema/compiled.js';
import type { Context } from './context.js';
import type { Awaitable, ToolArguments, ToolDefinition, ToolOutput } from './define.js';
import { called, kindOf, requireTool } from './required-tool.js';

/** What may be said of a tool besides its function: the keys of a definition. */
export type ToolSettings = Omit<ToolDefinition<unknown, unknown>, 'handler'>;

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

/** What no tool has is a typing error, and what no field has. */
type Known<A extends object> = A & {
  readonly [K in Exclude<keyof A, keyof ToolSettings | `x-${string}`>]: never;
} & {
  readonly input?: CheckedInput<Said<[A], 'input'>>;
  readonly output?: CheckedOutput<Said<[A], 'output'>>;
};

type ToolFunction<S extends readonly object[], R> = (args: ToolArguments<SchemaOf<S, 'input'>>, ctx: Context) => R;
type Returned<S extends readonly object[]> = Awaitable<ToolOutput<SchemaOf<S, 'output'>>>;
type Made<S extends readonly object[]> = ToolDefinition<SchemaOf<S, 'input'>, SchemaOf<S, 'output'>>;

/** Any tool, whatever it takes and gives. */
// biome-ignore lint/suspicious/noExplicitAny: what a handler takes is for its own tool to say
export type AnyTool = ToolDefinition<any, any>;

/**
 * A tool of option sets and a function. Of what several sets say, the last one counts. Its name is that of the function
 * unless a set gives one; the function gets (args, ctx), however few parameters it has.
 * @throws TypeError naming the tool, if something about it cannot be
 */
export function tool<R extends Returned<[]>>(run: ToolFunction<[], R>): Made<[]>;
export function tool<const A extends ToolSettings, R extends Returned<[A]>>(
  options: Known<A>,
  run: ToolFunction<[NoInfer<A>], R>,
): Made<[A]>;
export function tool<const A extends ToolSettings, const B extends ToolSettings, R extends Returned<[A, B]>>(
  first: Known<A>,
  second: Known<B>,
  run: ToolFunction<[NoInfer<A>, NoInfer<B>], R>,
): Made<[A, B]>;
export function tool<
  const A extends ToolSettings,
  const B extends ToolSettings,
  const C extends ToolSettings,
  R extends Returned<[A, B, C]>,
>(
  first: Known<A>,
  second: Known<B>,
  third: Known<C>,
  run: ToolFunction<[NoInfer<A>, NoInfer<B>, NoInfer<C>], R>,
): Made<[A, B, C]>;
export function tool<
  const A extends ToolSettings,
  const B extends ToolSettings,
  const C extends ToolSettings,
  const D extends ToolSettings,
  R extends Returned<[A, B, C, D]>,
>(
  first: Known<A>,
  second: Known<B>,
  third: Known<C>,
  fourth: Known<D>,
  run: ToolFunction<[NoInfer<A>, NoInfer<B>, NoInfer<C>, NoInfer<D>], R>,
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
