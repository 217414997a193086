import { types } from 'node:util';
import { errorMessage } from './thrown-value.js';

/** Limits of one copy. Values can be infinite. */
export interface CopyBudget {
  /** Levels of objects and arrays. */
  readonly depth: number;
  /** Members of all objects and arrays together. */
  readonly members: number;
  /** Characters of all strings and keys together. */
  readonly text: number;
}

export const plainBudget: CopyBudget = { depth: 500, members: 1_000_000, text: 32 * 1024 * 1024 };

/** A part of a value without a plain form. The copy omits it. */
export interface PlainFault {
  /** Path within the value. */
  readonly path: readonly (string | number)[];
  /** A noun phrase, such as `a BigInt`. */
  readonly what: string;
  /** True if JSON has no form for the part. Other reasons are limits and code that throws. */
  readonly lacksForm?: true;
}

/** Copy of a value, reduced to parts with a JSON form. */
export interface PlainData {
  /** Undefined if no part of the value has a JSON form. */
  readonly value: unknown;
  readonly faults: readonly PlainFault[];
}

export interface PlainOptions {
  readonly budget?: CopyBudget;
  /**
   * Returns the replacement of an object or function that is not copied; undefined for all others. May throw.
   */
  readonly keep?: (value: object, path: PlainFault['path']) => PlainReplacement | undefined;
  /** Own symbols that are copied with their values. */
  readonly marks?: readonly symbol[];
  /** True to also copy members that classes define for their instances: kept functions and getters. */
  readonly inherits?: boolean;
}

export type PlainReplacement = { readonly value: unknown } | { readonly fault: string };

/**
 * Copies any JavaScript value by the rules of JSON: own enumerable keys, `toJSON`, no functions, no symbols.
 * Reads each member once. Never throws: parts without a plain form are omitted and listed as faults.
 */
export function plainData(value: unknown, options: PlainOptions = {}): PlainData {
  const walk = new PlainDataCopier(options);
  const copy = walk.copy(value);
  if (copy === undefined && value !== undefined && walk.faults.length === 0) {
    const what = typeof value === 'object' ? 'an object whose toJSON gives nothing' : `a ${typeof value}`;
    return { value: undefined, faults: [{ path: [], what, lacksForm: true }] };
  }
  return { value: copy, faults: walk.faults };
}

const faultsByCopy = new WeakMap<object, readonly PlainFault[]>();

/** Faults below a part of a copy, with paths relative to that part. */
export function findCopyFaults(copy: unknown): readonly PlainFault[] {
  return typeof copy === 'object' && copy !== null ? (faultsByCopy.get(copy) ?? []) : [];
}

/** Registers the faults of a copy that another process made, for {@link findCopyFaults}. */
export function withFaults(copy: unknown, faults: readonly PlainFault[]): void {
  for (const { path, ...fault } of faults) {
    let at = copy;
    for (let depth = 0; typeof at === 'object' && at !== null; depth++) {
      faultsByCopy.set(at, [...findCopyFaults(at), { ...fault, path: path.slice(depth) }]);
      const key = path[depth];
      at = key !== undefined && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
    }
  }
}

/** Describes a fault for the author of the value: `"meta.a" is a BigInt, which JSON has no form for`. */
export function describePlainFault({ path, what, lacksForm }: PlainFault, whole = 'it'): string {
  const place = path.length > 0 ? `"${path.join('.')}"` : whole;
  return `${place} is ${what}${lacksForm ? ', which JSON has no form for' : ''}`;
}

/** Thrown inside a copy that exceeds its budget. */
const budgetExceeded = Object.freeze({});

/** Parts up to this depth are omitted individually if they exceed the budget, so their siblings are kept. */
const maxOmissionDepth = 3;

/** Number of parts that are omitted individually. */
const maxOmitted = 3;

/** Limit of faults, since each has a path. More faults count as an exceeded budget. */
const maxCopyFaults = 1000;

const objectPrototype = Object.prototype;
const arrayPrototype = Array.prototype;

type CopySource = Readonly<Record<string, unknown>> & { readonly toJSON?: unknown };

class PlainDataCopier {
  readonly faults: PlainFault[] = [];
  readonly #budget: CopyBudget;
  readonly #keep: PlainOptions['keep'];
  readonly #marks: readonly symbol[];
  readonly #inherits: boolean;
  readonly #above: object[] = [];
  readonly #path: (string | number)[] = [];
  #membersLeft: number;
  #textLeft: number;
  #excess = '';
  #isSpent = false;
  #omitted = 0;

  constructor({ budget = plainBudget, keep, marks = [], inherits = false }: PlainOptions) {
    this.#budget = budget;
    this.#keep = keep;
    this.#marks = marks;
    this.#inherits = inherits;
    this.#membersLeft = budget.members;
    this.#textLeft = budget.text;
  }

  copy(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        return value.length > this.#budget.text ? this.#lost(this.#tooLong()) : this.#text(value);
      case 'boolean':
        return value;
      case 'number':
        // Converts -0 to 0.
        return Number.isFinite(value) ? value + 0 : this.#lost(String(value), true);
      case 'bigint':
        return this.#lost('a BigInt', true);
      case 'object':
        return value === null ? null : this.#guarded(value, false);
      case 'function':
        return this.#keep ? this.#guarded(value, false) : undefined;
      default:
        return undefined;
    }
  }

  #lost(what: string, lacksForm?: true): undefined {
    if (this.faults.length >= maxCopyFaults)
      this.#exceed(`a value with more than ${maxCopyFaults} unusable parts`);
    this.#record(what, lacksForm);
    return undefined;
  }

  #record(what: string, lacksForm?: true): void {
    this.faults.push({ path: [...this.#path], what, ...(lacksForm && { lacksForm }) });
  }

  #text(value: string): string {
    this.#textLeft -= value.length;
    if (this.#textLeft < 0) this.#exceed(this.#tooLong());
    // JSON escapes lone surrogates.
    return value;
  }

  #tooLong(): string {
    return `a value of more than ${this.#budget.text} characters of text`;
  }

  #take(members: number): void {
    this.#membersLeft -= members;
    if (this.#membersLeft < 0) this.#exceed(`a value of more than ${this.#budget.members} members`);
  }

  /**
   * Omits the part, at most {@link maxOmissionDepth} deep. `isSpent`: its share of the budget is not restored.
   */
  #exceed(what: string, isSpent = false): never {
    this.#excess = what;
    this.#isSpent = isSpent;
    throw budgetExceeded;
  }

  /** `isSaid`: the value is the result of a `toJSON`, which is not called again. */
  #guarded(value: object, isSaid: boolean): unknown {
    const depth = this.#above.length;
    const at = this.#path.length;
    const members = this.#membersLeft;
    const text = this.#textLeft;
    try {
      return this.#object(value, isSaid);
    } catch (error) {
      this.#above.length = depth;
      this.#path.length = at;
      if (error !== budgetExceeded) return this.#unreadable(error, depth);
      if (depth > 0 && (depth > maxOmissionDepth || (!this.#isSpent && ++this.#omitted > maxOmitted)))
        throw error;
      if (!this.#isSpent) {
        this.#membersLeft = members;
        this.#textLeft = text;
      }
      this.#record(this.#excess);
      return undefined;
    }
  }

  #unreadable(error: unknown, depth: number): undefined {
    const what = `a value that cannot be read (${errorMessage(error)})`;
    if (depth > 0) return this.#lost(what);
    this.#record(what);
    return undefined;
  }

  #object(value: object, isSaid: boolean): unknown {
    const kept = this.#keep?.(value, this.#path);
    if (kept) return 'fault' in kept ? this.#lost(kept.fault) : kept.value;
    if (typeof value === 'function') return undefined;
    const above = this.#above;
    if (above.includes(value)) return this.#lost('a value that holds itself', true);
    if (above.length >= this.#budget.depth) {
      this.#exceed(`a value nested deeper than ${this.#budget.depth} levels`, true);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    const isOrdinary = prototype === objectPrototype || prototype === arrayPrototype;
    if (!isOrdinary && ArrayBuffer.isView(value) && value.byteLength > this.#membersLeft) {
      this.#take(value.byteLength);
    }
    if (!isSaid) {
      const { toJSON } = value as CopySource;
      if (typeof toJSON === 'function') {
        const said: unknown = Reflect.apply(toJSON, value, [String(this.#path.at(-1) ?? '')]);
        return typeof said === 'object' && said !== null ? this.#guarded(said, true) : this.copy(said);
      }
    }
    if (!isOrdinary && prototype !== null) {
      const what = keylessBuiltIns.find(([, check]) => check(value))?.[0];
      if (what !== undefined) return this.#lost(what, true);
      if (types.isBoxedPrimitive(value)) return this.copy(unboxPrimitive(value));
    }
    const before = this.faults.length;
    above.push(value);
    const inherited = this.#inherits && !isOrdinary ? inheritedNames(value) : [];
    const copy = Array.isArray(value) ? this.#list(value) : this.#entries(value as CopySource, inherited);
    for (const mark of this.#marks) {
      if (Object.hasOwn(value, mark)) this.#mark(copy, mark, value);
    }
    above.pop();
    if (this.faults.length > before) this.#remember(copy, before);
    return copy;
  }

  #mark(copy: object, mark: symbol, source: object): void {
    const value = this.copy(Reflect.get(source, mark));
    if (value !== undefined) Object.defineProperty(copy, mark, { value, configurable: true });
  }

  #list(list: readonly unknown[]): unknown[] {
    const { length } = list;
    if (!Number.isSafeInteger(length) || length < 0) return [];
    this.#take(length);
    const path = this.#path;
    const copy: unknown[] = [];
    for (let index = 0; index < length; index++) {
      path.push(index);
      copy.push(this.#member(list, index) ?? null);
      path.pop();
    }
    return copy;
  }

  #entries(source: CopySource, inherited: readonly string[]): Record<string, unknown> {
    const own = Object.keys(source);
    const keys = inherited.length > 0 ? [...new Set([...own, ...inherited])] : own;
    this.#take(keys.length);
    const path = this.#path;
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      path.push(key);
      const value = this.#member(source, key);
      path.pop();
      if (value === undefined) continue;
      const name = this.#text(key);
      // Assigning to an inherited name can run a setter or fail.
      if (name in objectPrototype) setOwn(copy, name, value);
      else copy[name] = value;
    }
    return copy;
  }

  #member(source: object, key: string | number): unknown {
    let value: unknown;
    try {
      value = (source as CopySource)[key];
    } catch (error) {
      return this.#unreadable(error, this.#above.length);
    }
    return this.copy(value);
  }

  #remember(copy: object, before: number): void {
    const depth = this.#path.length;
    const below = this.faults.slice(before).map((fault) => ({ ...fault, path: fault.path.slice(depth) }));
    faultsByCopy.set(copy, below);
  }
}

/** Number of classes in a prototype chain that are inspected. */
const maxClasses = 10;

/** Names that the classes of an object define, except the root class `Object`. */
function inheritedNames(value: object): readonly string[] {
  const names: string[] = [];
  let at: object | null = Object.getPrototypeOf(value);
  for (let count = 0; at !== null && count < maxClasses; count++) {
    const above: object | null = Object.getPrototypeOf(at);
    if (above !== null) names.push(...Object.getOwnPropertyNames(at));
    at = above;
  }
  return names.filter((name) => name !== 'constructor');
}

function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function unboxPrimitive(value: object): unknown {
  const text = Object.prototype.toString.call(value);
  if (text === '[object Symbol]') return undefined;
  return (value as { valueOf(): unknown }).valueOf();
}

/** Built-in objects with content outside their keys: JSON would write `{}`. */
const keylessBuiltIns: readonly (readonly [what: string, check: (value: object) => boolean])[] = [
  ['a Map', types.isMap],
  ['a Set', types.isSet],
  ['an Error', types.isNativeError],
  ['a Promise', types.isPromise],
  ['a RegExp', types.isRegExp],
  ['an ArrayBuffer', types.isAnyArrayBuffer],
  ['a WeakMap', types.isWeakMap],
  ['a WeakSet', types.isWeakSet],
];
