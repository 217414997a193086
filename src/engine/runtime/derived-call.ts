import { isRecord } from '../base/value-checks.js';
import type { Binding } from '../extension/derived.js';
import type { DerivedPart } from '../extension/extension.js';
import { brands, isBranded } from './authoring-symbols.js';
import type { Context } from './context.js';
import type { Lazy } from './lazy-function.js';
import { structured } from './result-builders.js';
import type { ToolHandler } from './specs.js';

type AnyFunction = (...given: unknown[]) => unknown;

/**
 * Creates a handler from a function with positional parameters. Each parameter gets the argument of its name, or
 * undefined, so that its default applies. The return value takes the JSON form of its declared type.
 */
export function callByParameters(
  load: Lazy<ToolHandler>,
  { function: { parameters, outputSchema } }: DerivedPart,
): Lazy<ToolHandler> {
  return async () => {
    const called = (await load()) as unknown as AnyFunction;
    return async (args, ctx) => {
      const given = parameters.flatMap((binding) => [...valuesFor(binding, args, ctx)]);
      const value = await called(...given);
      if (!outputSchema) return value;
      // Models read the text of a string, not its JSON.
      return typeof value === 'string' ? structured(value, [value]) : inJson(value ?? null);
    };
  };
}

function* valuesFor(binding: Binding, args: unknown, ctx: Context): Generator<unknown> {
  if ('context' in binding) yield ctx;
  else if ('whole' in binding) yield args;
  else {
    const { name, rest } = binding;
    const value = isRecord(args) && Object.hasOwn(args, name) ? args[name] : undefined;
    if (!rest) yield value;
    else if (Array.isArray(value)) yield* value;
  }
}

/**
 * Converts sets to lists and bytes to base64, as the schema of the value has them. Dates and URLs convert themselves.
 */
function inJson(value: unknown, above: Set<object> = new Set()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  // An object that contains itself has no JSON form. Its serialization reports that.
  if (above.has(value) || isBranded(value, brands.result)) return value;
  above.add(value);
  const inner = partsInJson(value, above);
  above.delete(value);
  return inner;
}

function partsInJson(value: object, above: Set<object>): unknown {
  if (Array.isArray(value) || value instanceof Set) return [...value].map((one) => inJson(one, above));
  if ('toJSON' in value && typeof value.toJSON === 'function') return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, inJson(held, above)]));
}
