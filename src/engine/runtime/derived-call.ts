import { isRecord } from '../extension/definition-shapes.js';
import type { Binding } from '../extension/derived.js';
import type { DerivedPart } from '../extension/extension.js';
import { brands, isBranded } from './authoring-symbols.js';
import type { Context } from './context.js';
import type { Lazy } from './lazy-function.js';
import { structured } from './result-builders.js';
import type { ToolHandler } from './specs.js';

type AnyFunction = (...given: unknown[]) => unknown;

/**
 * A handler of a function that takes its arguments one by one: each parameter gets the argument of its name, or nothing,
 * so that its own default counts. What it gives is brought into the form that its types say it has in JSON.
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
      // Models read the text of a string, and not its JSON.
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

/** A value with lists for sets and texts for bytes, as its schema has them. Dates and addresses say that themselves. */
function inJson(value: unknown, above: Set<object> = new Set()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  // One that holds itself has no JSON form, which whoever writes it will say.
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
