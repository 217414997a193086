// Kept before extension code loads.
const Compiler = Function;
const { getPrototypeOf, isExtensible } = Reflect;
const { stringify } = JSON;
const { apply } = Reflect;
const { min } = Math;
const { test } = RegExp.prototype;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** Properties and their values: three lists of equal length. */
export interface WatchedValues {
  readonly owners: readonly object[];
  readonly keys: readonly PropertyKey[];
  readonly values: readonly unknown[];
}

/** Objects with prototype and extensibility: three lists of equal length. */
export interface WatchedShapes {
  readonly objects: readonly object[];
  readonly prototypes: readonly (object | null)[];
  readonly extensible: readonly boolean[];
}

/** Comparison in parts. Each part returns true if something has changed, and may throw. */
export type Comparison = readonly (() => boolean)[];

/** Most properties per function. V8 does not optimize longer functions. */
const maxProperties = 60;

/**
 * Compiles a comparison that is 20 times as fast as a loop: each property has its own access site, which V8 can
 * optimize. Undefined if code generation from strings is disabled.
 */
export function compileComparison(watched: WatchedValues): Comparison | undefined {
  return compileParts(watched.owners.length, (start, end) => compileValues(watched, start, end));
}

/** Compiles a comparison of prototypes and extensibility. */
export function compileShapes(watched: WatchedShapes): Comparison | undefined {
  return compileParts(watched.objects.length, (start, end) => compileObjects(watched, start, end));
}

/** Compiles a search for deleted properties of an object. Reads no values. */
export function compilePresence(object: object, keys: readonly string[]): Comparison | undefined {
  return compileParts(keys.length, (start, end) => {
    let search = 'false';
    for (let index = start; index < end; index += 1) search += ` || !(${stringify(keys[index])} in object)`;
    return new Compiler('object', `'use strict'; return () => ${search};`)(object) as () => boolean;
  });
}

/** Returns the first name that does not mean the global property, if any. */
export type ShadowSearch = () => string | undefined;

/**
 * Compiles a search for names that a script has shadowed: `let JSON` in a script of `node:vm` hides the global property
 * from all code, and no object shows it. `values` are the values of the names, for a fast comparison.
 */
export function compileShadowSearch(
  names: readonly string[],
): ((values: readonly unknown[]) => ShadowSearch) | undefined {
  let constants = '';
  let search = '';
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index]!;
    constants += `const v${index} = values[${index}];`;
    // The name of a failed declaration throws.
    search += `name = '${name}'; if (${name} !== v${index} && ${name} !== root.${name}) return name;`;
  }
  const body = `'use strict'; const root = globalThis; ${constants} return () => { let name; try { ${search} } catch { return name; } };`;
  try {
    return new Compiler('values', body) as (values: readonly unknown[]) => ShadowSearch;
  } catch {
    return undefined;
  }
}

/** Compiles a search for properties that `for…in` lists, for objects without any. */
export function compileEnumeration(objects: readonly object[]): Comparison | undefined {
  return compileParts(objects.length, (start, end) => {
    let names = '';
    let loops = '';
    for (let index = start; index < end; index += 1) {
      names += `const o${index} = objects[${index}];`;
      loops += `for (const key in o${index}) return true;`;
    }
    const body = `'use strict'; ${names} return () => { ${loops} return false; };`;
    return new Compiler('objects', body)(objects) as () => boolean;
  });
}

function compileParts(
  length: number,
  compile: (start: number, end: number) => () => boolean,
): Comparison | undefined {
  const compiled: (() => boolean)[] = [];
  try {
    for (let start = 0; start < length; start += maxProperties) {
      const end = start + maxProperties;
      compiled[compiled.length] = compile(start, min(end, length));
    }
    return compiled;
  } catch {
    return undefined;
  }
}

function compileValues({ owners, keys, values }: WatchedValues, start: number, end: number): () => boolean {
  let names = '';
  let comparison = 'false';
  for (let index = start; index < end; index += 1) {
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

function compileObjects({ objects, prototypes, extensible }: WatchedShapes, start: number, end: number) {
  let names = '';
  let comparison = 'false';
  for (let index = start; index < end; index += 1) {
    names += `const o${index} = objects[${index}], p${index} = prototypes[${index}];`;
    comparison += ` || prototypeOf(o${index}) !== p${index} || isExtensible(o${index}) !== ${extensible[index]}`;
  }
  const body = `'use strict'; ${names} return () => ${comparison};`;
  const compiled = new Compiler('objects', 'prototypes', 'prototypeOf', 'isExtensible', body);
  return compiled(objects, prototypes, getPrototypeOf, isExtensible) as () => boolean;
}
