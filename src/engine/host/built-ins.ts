import {
  essentialGlobals,
  moduleLoadList,
  moduleObjects,
  type StandardObject,
  standardObjects,
} from './standard-objects.js';
import {
  type Comparison,
  compileComparison,
  compileEnumeration,
  compilePresence,
  compileShadowSearch,
  compileShapes,
  type ShadowSearch,
  type WatchedShapes,
  type WatchedValues,
} from './value-comparison.js';

// The comparison must not depend on the built-ins that it compares. It uses only these, indexes and null prototypes.
const { apply, defineProperty, deleteProperty, getPrototypeOf, isExtensible, ownKeys, setPrototypeOf } =
  Reflect;
const { getOwnPropertyDescriptor: getDescriptor, set: setValue } = Reflect;
const { hasOwn, is, keys: enumerableKeys } = Object;
const stringify = String;
const unlimited = Number.POSITIVE_INFINITY;
const root = globalThis;
const objectPrototype = Object.prototype;
const arrayPrototype = Array.prototype;
const controller = new AbortController();
const { slice } = String.prototype;
const watchedObjects = [...standardObjects()];
const known = { modules: new Set<string>(), objects: new Set(watchedObjects.map(({ object }) => object)) };

/** A snapshot of the built-ins of this process. Its methods never throw and use no built-in that may be replaced. */
export interface BuiltIns {
  /**
   * The first changes since the snapshot, as text: `Array.prototype.map was replaced`.
   * Finds replaced, removed and enumerable added properties, all additions to `Object.prototype` and all indexes of
   * `Array.prototype`. If `thorough` is true, it also finds other attributes and hidden additions, which takes 50 times as
   * long.
   */
  difference(thorough?: boolean): readonly string[];
  /**
   * True if objects that nearly all code uses have changed. The check is 20 times as fast as {@link difference}, so that it
   * can run each time that code of an extension gives back control.
   */
  haveEssentialsChanged(): boolean;
  /** True if Node itself has changed built-ins since the snapshot. The next snapshot includes these changes. */
  readonly isOutdated: boolean;
  /** True if all changes are additions to prototypes that little code depends on, as in polyfills. */
  hasOnlyAdditions(): boolean;
  /** Undoes all changes. Returns the irreversible ones as text. */
  heal(): readonly string[];
  /** True if a global that nearly all code needs is missing, or lacks functions of the original. */
  hasLostGlobals(): boolean;
  /**
   * Removes indexes of `Array.prototype`, and additions to `Object.prototype` that other code takes for properties of its
   * objects. Functions and accessors stay, unless `isRead` returns true for their names: other code reads properties with
   * these names.
   */
  removePollution(isRead: (name: string) => boolean): {
    readonly removed: readonly string[];
    readonly left: readonly string[];
  };
  /** Hides properties that were added to prototypes since the snapshot from `for…in`. They keep working. */
  hideAdditions(): void;
}

/**
 * Takes a snapshot. Call it before extension code loads, and again after it has loaded. Includes only Node modules that
 * are loaded.
 */
export function captureBuiltIns(): BuiltIns {
  hasNewModules();
  return new BuiltInsSnapshot();
}

/** Names that `let`, `const` and `class` of a script can shadow for all code of the process. */
const shadowable = essentialGlobals.filter((name) => name !== 'globalThis');

const createShadowSearch = compileShadowSearch(shadowable);

/** Objects that the code of AgentTools uses after nearly every call. */
const essentialObjects =
  /^(?:Object|Array|String|Promise|RegExp|Number|Map|Set|WeakMap|Error)(?:\.prototype)?$|^(?:Function|Symbol|EventTarget|AbortController|AbortSignal)\.prototype$|^(?:JSON|Math|Reflect|Buffer)$|^%(?:\w*Iterator|AsyncFunction)/;

/** Comparisons without a difference before a faster comparison is compiled. */
const comparisonsToCompile = 100;

let loadedCount = 0;

/** True if Node modules have been loaded that only the next snapshot includes. */
export function hasNewModules(): boolean {
  const { length } = moduleLoadList;
  if (length === loadedCount) return false;
  loadedCount = length;
  const added = moduleObjects(known);
  for (let index = 0; index < added.length; index++) pushItem(watchedObjects, added[index]!);
  return added.length > 0;
}

function isModuleLoaded(name: string): boolean {
  const loaded = `NativeModule ${name}`;
  for (let index = 0; index < moduleLoadList.length; index++)
    if (moduleLoadList[index] === loaded) return true;
  return false;
}

/** Global getters that much code uses. Assignments to these globals change the values that the getters return. */
const usedGetters = ['process', 'Buffer', 'performance', 'crypto', 'navigator'];

/** Longest list of changes. */
const maxChanges = 20;

/** Longest property name in the text of a change, in characters. */
const maxName = 100;

type Descriptors = Record<PropertyKey, PropertyDescriptor | undefined>;

interface BuiltInProperty extends StandardObject {
  readonly replacedBy: Readonly<Record<PropertyKey, string>>;
  readonly prototype: object | null;
  readonly isExtensible: boolean;
  /** Null prototype. A descriptor has the usual prototype: read own members only. */
  readonly descriptors: Readonly<Descriptors>;
  /** The keys of `descriptors`. */
  readonly known: readonly PropertyKey[];
  /** Values of {@link usedGetters}. Null prototype. */
  readonly got: Readonly<Record<PropertyKey, unknown>>;
  /** Inherited properties that the object must not define itself. */
  readonly absent: readonly PropertyKey[];
  readonly keyCount: number;
  readonly enumerableCount: number;
}

interface BuiltInChange {
  readonly place: BuiltInProperty;
  /** Undefined if the prototype or the extensibility of the object changed. */
  readonly key: PropertyKey | undefined;
  readonly text: string;
}

class BuiltInsSnapshot implements BuiltIns {
  readonly #places: readonly BuiltInProperty[];
  /** All objects except exports of Node modules. */
  readonly #core: readonly BuiltInProperty[];
  /** Objects without allowed additions. */
  readonly #prototypes: readonly BuiltInProperty[];
  /** `Object.prototype`. */
  readonly #root: BuiltInProperty;
  /** Prototypes with properties that `for…in` lists. */
  readonly #visible: readonly BuiltInProperty[];
  /** Prototypes without properties that `for…in` lists. */
  readonly #invisible: readonly object[];
  readonly #shapes: WatchedShapes;
  /** Values of `essentialGlobals`, in this order. */
  readonly #essentials: readonly unknown[];
  /** Objects with a property that may take any primitive value. */
  readonly #settings: readonly BuiltInProperty[];
  readonly #findShadowed: ShadowSearch | undefined;
  readonly #owners: object[] = [];
  readonly #keys: PropertyKey[] = [];
  readonly #values: unknown[] = [];
  /** The most used ones of these properties. */
  readonly #essentialValues = { owners: [] as object[], keys: [] as PropertyKey[], values: [] as unknown[] };
  #essentialComparisons = 0;
  #compiledEssentials: Comparison | undefined;
  #comparisons = 0;
  /**
   * Comparisons of values, prototypes, globals and visible additions, in this order: the last one enumerates only verified
   * prototypes.
   */
  #compiled: readonly Comparison[] | undefined;
  /** Global getters that only {@link addChanges} compares. Other comparisons only search for deleted ones. */
  readonly #lazyGlobals: string[] = [];
  isOutdated = false;
  readonly #accessorOwners: object[] = [];
  readonly #accessorKeys: PropertyKey[] = [];
  readonly #accessors: PropertyDescriptor[] = [];

  constructor() {
    this.#places = watchedObjects.map(captureProperties);
    this.#core = this.#places.filter(({ isOfModule }) => !isOfModule);
    this.#prototypes = this.#places.filter(({ isOpen }) => !isOpen);
    this.#root = this.#prototypes.find(({ name }) => name === 'Object.prototype')!;
    this.#visible = this.#prototypes.filter(({ object }) => showsProperties(object));
    this.#invisible = this.#prototypes
      .map(({ object }) => object)
      .filter((object) => !showsProperties(object));
    this.#shapes = {
      objects: this.#core.map(({ object }) => object),
      prototypes: this.#core.map(({ prototype }) => prototype),
      extensible: this.#core.map((place) => place.isExtensible),
    };
    this.#essentials = essentialGlobals.map((name) => Reflect.get(globalThis, name));
    this.#findShadowed = createShadowSearch?.(shadowable.map((name) => Reflect.get(globalThis, name)));
    this.#settings = this.#core.filter(({ setting }) => setting !== undefined);
    for (const place of this.#places) {
      const { object, known, absent, got } = place;
      for (const key of known) this.#watch(place, key);
      for (const key of ownKeys(got)) this.#watchValue(object, key, got[key]);
      for (const key of absent) this.#watchValue(object, key, Reflect.get(object, key));
    }
    // Shows hidden indexes.
    this.#watchValue(Array.prototype, 'length', Array.prototype.length);
    this.#listEssentials();
  }

  #listEssentials(): void {
    const { owners, keys, values } = this.#essentialValues;
    const essential = this.#core.filter(({ name }) => essentialObjects.test(name));
    const objects = new Set(essential.map(({ object }) => object)).add(root);
    const add = (owner: object, key: PropertyKey, value: unknown) => {
      owners.push(owner);
      keys.push(key);
      values.push(value);
    };
    for (const [index, owner] of this.#owners.entries())
      if (objects.has(owner)) add(owner, this.#keys[index]!, this.#values[index]);
    // A getter that code has replaced returns another value.
    for (const [index, owner] of this.#accessorOwners.entries()) {
      const key = this.#accessorKeys[index]!;
      const isUsed = key === Symbol.species || owner === RegExp.prototype;
      if (isUsed && objects.has(owner)) add(owner, key, Reflect.get(owner, key));
    }
    // Getters of these prototypes work on instances only.
    add(controller, 'signal', controller.signal);
  }

  haveEssentialsChanged(): boolean {
    try {
      if (this.#compiledEssentials) {
        if (findsChange(this.#compiledEssentials)) return true;
      } else {
        if (hasReplaced(this.#essentialValues)) return true;
        this.#essentialComparisons += 1;
        if (this.#essentialComparisons === comparisonsToCompile)
          this.#compiledEssentials = compileComparison(this.#essentialValues);
      }
      return ownKeys(objectPrototype).length !== this.#root.keyCount;
    } catch {
      return true;
    }
  }

  /** Primitive values are compared only by {@link addChanges}. */
  #watch({ object: owner, descriptors, isOfModule, isGlobal }: BuiltInProperty, key: PropertyKey): void {
    const descriptor = descriptors[key]!;
    if (!descriptor.configurable && !descriptor.writable) return;
    if (!hasOwn(descriptor, 'value')) {
      if (isOfModule) return;
      if (isGlobal && typeof key === 'string' && !usedGetters.includes(key)) {
        this.#lazyGlobals.push(key);
        return;
      }
      this.#accessorOwners.push(owner);
      this.#accessorKeys.push(key);
      this.#accessors.push(descriptor);
    } else if (!isPrimitive(descriptor)) this.#watchValue(owner, key, descriptor.value);
  }

  #watchValue(owner: object, key: PropertyKey, value: unknown): void {
    this.#owners.push(owner);
    this.#keys.push(key);
    this.#values.push(value);
  }

  difference(thorough = false): readonly string[] {
    const hasChanged = this.#hasChanged();
    if (thorough || hasChanged) {
      const changes = this.#describe();
      this.isOutdated = hasChanged && changes.length === 0;
      return changes;
    }
    this.#comparisons += 1;
    if (this.#comparisons === comparisonsToCompile) this.#compiled = this.#compile();
    return [];
  }

  #compile(): readonly Comparison[] | undefined {
    const values = compileComparison({ owners: this.#owners, keys: this.#keys, values: this.#values });
    const shapes = compileShapes(this.#shapes);
    const globals = compilePresence(globalThis, this.#lazyGlobals);
    const additions = compileEnumeration(this.#invisible);
    return values && shapes && globals && additions && [values, shapes, globals, additions];
  }

  hasOnlyAdditions(): boolean {
    if (this.#findShadowed?.() !== undefined) return false;
    const changes = findBuiltInChanges(this.#places, unlimited);
    for (let index = 0; index < changes.length; index++) {
      const { place, key } = changes[index]!;
      const isAddition = key !== undefined && !place.isOpen && place.descriptors[key] === undefined;
      if (!isAddition || place.name === 'Object.prototype' || key === 'then' || key === 'toJSON')
        return false;
    }
    return true;
  }

  heal(): readonly string[] {
    const changes = findBuiltInChanges(this.#places, unlimited);
    for (let index = 0; index < changes.length; index++) undo(changes[index]!);
    return this.#describe();
  }

  /** The first changes, as text. */
  #describe(): readonly string[] {
    const changes = describeChanges(findBuiltInChanges(this.#places, maxChanges));
    const shadowed = changes.length === 0 ? this.#findShadowed?.() : undefined;
    return shadowed === undefined ? changes : [`${shadowed} was shadowed by a script`];
  }

  hasLostGlobals(): boolean {
    if (this.#findShadowed?.() !== undefined) return true;
    for (let index = 0; index < essentialGlobals.length; index++) {
      const before = this.#essentials[index];
      try {
        const now = (root as Record<PropertyKey, unknown>)[essentialGlobals[index]!];
        if (now !== before && !replaces(now, before)) return true;
      } catch {
        return true;
      }
    }
    return false;
  }

  removePollution(isRead: (name: string) => boolean) {
    const removed: string[] = [];
    const left: string[] = [];
    const { object, descriptors, keyCount } = this.#root;
    const keys = ownKeys(object);
    for (let index = 0; keys.length > keyCount && index < keys.length; index++) {
      const key = keys[index]!;
      if (descriptors[key] !== undefined || !isPollution(key, getDescriptor(object, key)!, isRead)) continue;
      pushItem(deleteProperty(object, key) ? removed : left, formatPropertyName('Object.prototype', key));
    }
    if (arrayPrototype.length > 0) {
      const isRemoved = setValue(arrayPrototype, 'length', 0);
      pushItem(isRemoved ? removed : left, 'an index of Array.prototype');
    }
    return { removed, left };
  }

  hideAdditions(): void {
    for (let index = 0; index < this.#prototypes.length; index++) hideIn(this.#prototypes[index]!);
  }

  /** Checks the usual signs of tampering. */
  #hasChanged(): boolean {
    try {
      if (this.#compiled) {
        for (let kind = 0; kind < this.#compiled.length; kind++)
          if (findsChange(this.#compiled[kind]!)) return true;
      } else if (
        hasReplaced({ owners: this.#owners, keys: this.#keys, values: this.#values }) ||
        this.#hasOtherShape()
      )
        return true;
      return this.#hasAdditions() || this.#hasReplacedAccessor() || this.#findShadowed?.() !== undefined;
    } catch {
      // A getter that replaced a value has thrown.
      return true;
    }
  }

  #hasReplacedAccessor(): boolean {
    for (let index = 0; index < this.#accessors.length; index++) {
      const now = getDescriptor(this.#accessorOwners[index]!, this.#accessorKeys[index]!);
      const before = this.#accessors[index]!;
      if (now === undefined || now.get !== before.get || now.set !== before.set) return true;
    }
    return false;
  }

  #hasOtherShape(): boolean {
    const { objects, prototypes, extensible } = this.#shapes;
    for (let index = 0; index < objects.length; index++) {
      const object = objects[index]!;
      if (getPrototypeOf(object) !== prototypes[index] || isExtensible(object) !== extensible[index])
        return true;
    }
    for (let index = 0; index < this.#lazyGlobals.length; index++) {
      if (!hasOwn(root, this.#lazyGlobals[index]!)) return true;
    }
    for (let index = 0; index < this.#invisible.length; index++) {
      if (showsProperties(this.#invisible[index]!)) return true;
    }
    return false;
  }

  #hasAdditions(): boolean {
    for (let index = 0; index < this.#settings.length; index++) {
      const place = this.#settings[index]!;
      if (!isSetting(place, place.setting!, getDescriptor(place.object, place.setting!))) return true;
    }
    for (let index = 0; index < this.#visible.length; index++) {
      const { object, enumerableCount } = this.#visible[index]!;
      if (enumerableKeys(object).length !== enumerableCount) return true;
    }
    return ownKeys(this.#root.object).length !== this.#root.keyCount;
  }
}

function findsChange(parts: Comparison): boolean {
  for (let index = 0; index < parts.length; index++) if (parts[index]!()) return true;
  return false;
}

function hasReplaced({ owners, keys, values }: WatchedValues): boolean {
  for (let index = 0; index < owners.length; index++) {
    if ((owners[index] as Record<PropertyKey, unknown>)[keys[index]!] !== values[index]) return true;
  }
  return false;
}

/** True if a value has the type and the functions of another. */
function replaces(value: unknown, original: unknown): boolean {
  if (typeof value !== typeof original || value === null) return false;
  if (typeof original !== 'object') return true;
  for (let at = original; at !== null && at !== objectPrototype; at = getPrototypeOf(at)) {
    const keys = ownKeys(at);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!;
      const isMethod = key !== 'constructor' && typeof getDescriptor(at, key)?.value === 'function';
      if (isMethod && typeof (value as Record<PropertyKey, unknown>)[key] !== 'function') return false;
    }
  }
  return true;
}

/** True if `for…in` finds any property, own or inherited. */
function showsProperties(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

function captureProperties(standardObject: StandardObject): BuiltInProperty {
  const { object, isOpen, inherited = [] } = standardObject;
  const { keys = ownKeys(object) } = standardObject;
  const descriptors: Descriptors = { __proto__: null } as never;
  const known: PropertyKey[] = [];
  for (const key of keys) {
    const descriptor = getDescriptor(object, key);
    const isFree = isOpen && standardObject.keys === undefined;
    if (descriptor === undefined || (isFree && isPrimitive(descriptor))) continue;
    descriptors[key] = descriptor;
    known.push(key);
  }
  return {
    ...standardObject,
    replacedBy: pendingReplacements(standardObject),
    got: readUsedGetters(standardObject),
    prototype: getPrototypeOf(object),
    isExtensible: isExtensible(object),
    descriptors,
    known,
    absent: inherited.filter((key) => !hasOwn(object, key)),
    keyCount: ownKeys(object).length,
    enumerableCount: enumerableKeys(object).length,
  };
}

function readUsedGetters({ object, isGlobal }: StandardObject): Record<PropertyKey, unknown> {
  const got: Record<PropertyKey, unknown> = { __proto__: null };
  for (const key of isGlobal ? usedGetters : []) {
    if (getDescriptor(object, key)?.get) got[key] = Reflect.get(object, key);
  }
  return got;
}

/** Replacements by modules of Node that are not loaded yet. */
function pendingReplacements({ replacedBy = {} }: StandardObject): Record<PropertyKey, string> {
  return Object.fromEntries(Object.entries(replacedBy).filter(([, name]) => !isModuleLoaded(name)));
}

/** Programs set some primitive properties. */
function isPrimitive(descriptor: PropertyDescriptor): boolean {
  if (!hasOwn(descriptor, 'value')) return false;
  const { value } = descriptor;
  return value === null || (typeof value !== 'function' && typeof value !== 'object');
}

function findBuiltInChanges(places: readonly BuiltInProperty[], limit: number): readonly BuiltInChange[] {
  const changes: BuiltInChange[] = [];
  for (let index = 0; index < places.length && changes.length < limit; index++) {
    addChanges(changes, places[index]!, limit);
  }
  return changes;
}

/** Compares all attributes of all properties. Does not read the properties. */
function addChanges(changes: BuiltInChange[], place: BuiltInProperty, limit: number): void {
  const { object, name, known, absent, descriptors, isOpen } = place;
  if (!isOpen) {
    const keys = ownKeys(object);
    for (let index = 0; index < keys.length && changes.length < limit; index++) {
      const key = keys[index]!;
      if (descriptors[key] === undefined)
        pushItem(changes, { place, key, text: `${formatPropertyName(name, key)} was added` });
    }
  }
  for (let index = 0; isOpen && index < absent.length && changes.length < limit; index++) {
    const key = absent[index]!;
    if (getDescriptor(object, key))
      pushItem(changes, { place, key, text: `${formatPropertyName(name, key)} was added` });
  }
  for (let index = 0; index < known.length && changes.length < limit; index++) {
    const key = known[index]!;
    const now = getDescriptor(object, key);
    if (isSetting(place, key, now) || isChangeOfNode(place, key, now)) continue;
    const verb = describePropertyChange(descriptors[key]!, now) ?? describeValueChange(place, key);
    if (verb !== undefined)
      pushItem(changes, { place, key, text: `${formatPropertyName(name, key)} was ${verb}` });
  }
  if (getPrototypeOf(object) !== place.prototype) {
    pushItem(changes, { place, key: undefined, text: `the prototype of ${name} was replaced` });
  }
  if (isExtensible(object) !== place.isExtensible) {
    pushItem(changes, { place, key: undefined, text: `${name} was made non-extensible` });
  }
}

function isSetting(
  { setting }: BuiltInProperty,
  key: PropertyKey,
  now: PropertyDescriptor | undefined,
): boolean {
  if (setting !== key || now === undefined) return false;
  return now.writable === true && now.configurable === true && isPrimitive(now);
}

/**
 * True if Node itself may have changed the property. It replaces getters of globals and modules by their values on
 * first use, and some functions when it loads a module.
 */
function isChangeOfNode(
  { object, descriptors, isGlobal, isOfModule, replacedBy }: BuiltInProperty,
  key: PropertyKey,
  now: PropertyDescriptor | undefined,
): boolean {
  if (now === undefined || !hasOwn(now, 'value')) return false;
  if (hasOwn(replacedBy, key) && isModuleLoaded(replacedBy[key]!)) return true;
  const before = descriptors[key]!;
  if (!hasOwn(before, 'get') || !(isGlobal || isOfModule)) return false;
  try {
    return is(apply(before.get!, object, []), now.value);
  } catch {
    return false;
  }
}

function describePropertyChange(
  before: PropertyDescriptor,
  now: PropertyDescriptor | undefined,
): string | undefined {
  if (now === undefined) return 'removed';
  const isValue = hasOwn(now, 'value');
  if (isValue !== hasOwn(before, 'value')) return 'replaced';
  if (isValue ? !is(now.value, before.value) : now.get !== before.get || now.set !== before.set)
    return 'replaced';
  const isSame =
    now.enumerable === before.enumerable &&
    now.configurable === before.configurable &&
    (!isValue || now.writable === before.writable);
  return isSame ? undefined : 'reconfigured';
}

/** Reads a global with an unchanged getter. */
function describeValueChange({ object, got }: BuiltInProperty, key: PropertyKey): string | undefined {
  const isSame = !hasOwn(got, key) || (object as Record<PropertyKey, unknown>)[key] === got[key];
  return isSame ? undefined : 'replaced';
}

function undo({ place, key }: BuiltInChange): void {
  const { object, descriptors, prototype, got } = place;
  if (key === undefined) {
    setPrototypeOf(object, prototype);
    return;
  }
  const before = descriptors[key];
  if (before === undefined) deleteProperty(object, key);
  else defineProperty(object, key, plainDescriptor(before));
  if (before !== undefined && hasOwn(got, key)) setValue(object, key, got[key]);
}

/** A copy without inherited members, which `defineProperty` would read. */
function plainDescriptor(descriptor: PropertyDescriptor): PropertyDescriptor {
  return { __proto__: null, ...descriptor } as PropertyDescriptor;
}

function hideIn({ object, descriptors }: BuiltInProperty): void {
  const keys = enumerableKeys(object);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    if (descriptors[key] === undefined) defineProperty(object, key, hiddenDescriptor);
  }
}

const hiddenDescriptor = { __proto__: null, enumerable: false } as PropertyDescriptor;

/** True for an addition to `Object.prototype` that is no function, or has a name that other code reads. */
function isPollution(
  key: PropertyKey,
  descriptor: PropertyDescriptor,
  isRead: (name: string) => boolean,
): boolean {
  if (hasOwn(languageKeys, key)) return true;
  if (typeof key !== 'string') return false;
  const isData = hasOwn(descriptor, 'value') && typeof descriptor.value !== 'function';
  return isData || isRead(key);
}

/** Keys that JavaScript itself reads from any object. */
const languageKeys: Record<PropertyKey, true> = { __proto__: null } as never;
for (const key of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable', 'then', 'toJSON'])
  languageKeys[key] = true;
for (const name of ownKeys(Symbol)) {
  const { value } = getDescriptor(Symbol, name)!;
  if (typeof value === 'symbol') languageKeys[value] = true;
}

function formatPropertyName(name: string, key: PropertyKey): string {
  const text = apply(slice, stringify(key), [0, maxName]) as string;
  return typeof key === 'symbol' ? `${name}[${text}]` : `${name}.${text}`;
}

function describeChanges(changes: readonly BuiltInChange[]): readonly string[] {
  const texts: string[] = [];
  for (let index = 0; index < changes.length && index < maxChanges; index++)
    pushItem(texts, changes[index]!.text);
  return texts;
}

/** Appends to a list. Bypasses setters that a prototype may define for the index. */
export function pushItem<Item>(list: Item[], item: Item): void {
  defineProperty(list, list.length, {
    __proto__: null,
    value: item,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}
