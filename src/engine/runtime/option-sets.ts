import { describeValueType, isRecord } from '../base/value-checks.js';
import { functionName, givesName } from '../extension/toolkits.js';
import type { CheckedInput, CheckedOutput } from '../schema/checked-schema-types.js';
import type { SchemaSide } from '../schema/compiled-schema.js';
import type { Context } from './context.js';
import type { Awaitable } from './definition-types/common-types.js';
import type { ToolArguments, ToolDefinition, ToolOutput } from './definition-types/tool-types.js';
import { requireTool, toolLabel } from './required-tool.js';

/** The keys of a tool definition except its function. */
export type ToolSettings = Omit<ToolDefinition<unknown, unknown>, 'handler'>;

/** The type of one key in several option sets: the last set that has the key wins. */
type LastOption<S extends readonly object[], K extends PropertyKey> = S extends readonly [
  ...infer Earlier extends readonly object[],
  infer Last,
]
  ? K extends keyof Last
    ? Last[K] extends undefined
      ? LastOption<Earlier, K>
      : Last[K]
    : LastOption<Earlier, K>
  : undefined;

/** The schema of one side. A raw schema wins and gives no types. */
type SchemaOf<S extends readonly object[], K extends SchemaSide> =
  LastOption<S, `${K}Schema`> extends undefined ? LastOption<S, K> : undefined;

/** Keys that no tool has, or no field has, are type errors. */
type ExactSettings<A extends object> = A & {
  readonly [K in Exclude<keyof A, keyof ToolSettings | `x-${string}`>]: never;
} & {
  readonly input?: CheckedInput<LastOption<[A], 'input'>, 'exact'>;
  readonly output?: CheckedOutput<LastOption<[A], 'output'>, 'exact'>;
};

type ToolFunction<S extends readonly object[], R> = (
  args: ToolArguments<SchemaOf<S, 'input'>>,
  ctx: Context,
) => R;
type HandlerReturn<S extends readonly object[]> = Awaitable<ToolOutput<SchemaOf<S, 'output'>>>;
type DefinitionFromSets<S extends readonly object[]> = ToolDefinition<
  SchemaOf<S, 'input'>,
  SchemaOf<S, 'output'>
>;

/** Any tool, with any arguments and result. */
// biome-ignore lint/suspicious/noExplicitAny: each tool types its own arguments
export type AnyTool = ToolDefinition<any, any>;

/**
 * Creates a tool from option sets and a function. The last set that has a key wins. The tool has the name of the
 * function, unless a set has a name. The function gets (args, ctx), even if it declares fewer parameters.
 * @throws TypeError naming the tool, if an option is invalid
 */
export function tool<R extends HandlerReturn<[]>>(run: ToolFunction<[], R>): DefinitionFromSets<[]>;
export function tool<const A extends ToolSettings, R extends HandlerReturn<[A]>>(
  options: ExactSettings<A>,
  run: ToolFunction<[NoInfer<A>], R>,
): DefinitionFromSets<[A]>;
export function tool<
  const A extends ToolSettings,
  const B extends ToolSettings,
  R extends HandlerReturn<[A, B]>,
>(
  first: ExactSettings<A>,
  second: ExactSettings<B>,
  run: ToolFunction<[NoInfer<A>, NoInfer<B>], R>,
): DefinitionFromSets<[A, B]>;
export function tool<
  const A extends ToolSettings,
  const B extends ToolSettings,
  const C extends ToolSettings,
  R extends HandlerReturn<[A, B, C]>,
>(
  first: ExactSettings<A>,
  second: ExactSettings<B>,
  third: ExactSettings<C>,
  run: ToolFunction<[NoInfer<A>, NoInfer<B>, NoInfer<C>], R>,
): DefinitionFromSets<[A, B, C]>;
export function tool<
  const A extends ToolSettings,
  const B extends ToolSettings,
  const C extends ToolSettings,
  const D extends ToolSettings,
  R extends HandlerReturn<[A, B, C, D]>,
>(
  first: ExactSettings<A>,
  second: ExactSettings<B>,
  third: ExactSettings<C>,
  fourth: ExactSettings<D>,
  run: ToolFunction<[NoInfer<A>, NoInfer<B>, NoInfer<C>, NoInfer<D>], R>,
): DefinitionFromSets<[A, B, C, D]>;
export function tool(...parts: readonly unknown[]): AnyTool {
  const run = parts.at(-1);
  const sets = parts.slice(0, -1);
  const options = Object.fromEntries(sets.filter(isRecord).flatMap(definedEntries));
  const name = options.name ?? (typeof run === 'function' ? functionName(run) : undefined);
  const what = toolLabel(typeof name === 'string' ? name : undefined);
  for (const [index, set] of sets.entries()) {
    if (isRecord(set)) continue;
    throw new TypeError(
      `${what}: its option set ${index + 1} is ${describeValueType(set)}. Expected an object.`,
    );
  }
  if (typeof run !== 'function') {
    throw new TypeError(
      `${what} has no function: its last argument is ${describeValueType(run)}. Expected tool(options, function).`,
    );
  }
  if (name === undefined) {
    throw new TypeError(`A tool has no name, because its function has none. ${givesName}`);
  }
  const made = { ...options, name, handler: run };
  requireTool(made);
  return made as unknown as AnyTool;
}

function definedEntries(set: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(set).filter(([, value]) => value !== undefined);
}
