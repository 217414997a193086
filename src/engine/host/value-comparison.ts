// Kept before extension code loads.
const Compiler = Function;
const { stringify } = JSON;
const { apply } = Reflect;
const { test } = RegExp.prototype;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** Properties with their values: three lists of the same length. */
export interface WatchedValues {
  readonly owners: readonly object[];
  readonly keys: readonly PropertyKey[];
  readonly values: readonly unknown[];
}

/** Longer functions are not optimized. */
const maxProperties = 60;

/**
 * Compiles a comparison that is 20 times as fast as a loop: each property is read at a place of its own, which V8 can
 * optimize. Undefined where code cannot be made of text. The functions return true if a value has changed, and may throw.
 */
export function compileComparison(watched: WatchedValues): readonly (() => boolean)[] | undefined {
  const compiled: (() => boolean)[] = [];
  try {
    const { length } = watched.owners;
    for (let start = 0; start < length; start += maxProperties) {
      compiled[compiled.length] = compilePart(watched, start, start + maxProperties);
    }
    return compiled;
  } catch {
    return undefined;
  }
}

function compilePart({ owners, keys, values }: WatchedValues, start: number, limit: number): () => boolean {
  let names = '';
  let comparison = 'false';
  for (let index = start; index < limit && index < owners.length; index += 1) {
    const key = keys[index]!;
    const isText = typeof key === 'string';
    names += `const o${index} = owners[${index}], v${index} = values[${index}]`;
    names += isText ? ';' : `, k${index} = keys[${index}];`;
    const isName = isText && (apply(test, identifier, [key]) as boolean);
    const access = isName ? `.${key as string}` : `[${isText ? stringify(key) : `k${index}`}]`;
    comparison += ` || o${index}${access} !== v${index}`;
  }
  const body = `'use strict'; ${names} return () => ${comparison};`;
  return new Compiler('owners', 'keys', 'values', body)(owners, keys, values) as () => boolean;
}
