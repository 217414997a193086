import type { DocumentPath } from '../base/files/document-path.js';
import { describePlainFault, type PlainFault } from '../base/plain-data.js';
import { isRecord } from '../base/value-checks.js';
import { checkDefinition } from '../extension/check-definition.js';
import type { ShapeFault } from '../extension/check-shape.js';
import { describeFault, isSerious } from '../extension/describe-fault.js';
import type { Location } from '../extension/diagnostics.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { type Kind, singular } from '../extension/item-kinds.js';
import { ModuleReferenceError, requireModule } from '../extension/modules.js';
import { isWireName } from '../extension/names.js';
import { listedKinds } from './served-kind.js';
import type { CacheHint, Requirement, Requirements } from './specs.js';
import { isHiddenBy } from './wire-item.js';

/** Default of the longest run of a call, in milliseconds. */
const defaultCallTimeoutMs = 60_000;

/** `Tool "forecast"` */
export function definitionLabel({ kind, item }: Pick<Definition, 'kind' | 'item'>): string {
  const word = singular[kind];
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} "${item}"`;
}

/** Location of a key of a definition in its file, or in the file that it was derived into. */
export function locate({ file, at, translation, derived }: Definition, path: DocumentPath = []): Location {
  const [first, ...rest] = path;
  if (derived && typeof first === 'string' && derived.keys.includes(first)) {
    return { file: derived.file, path: ['functions', derived.reference, ...path] };
  }
  const origin = typeof first === 'string' ? translation.origins.get(first) : undefined;
  return { file: file.file, path: [...at, ...(origin ? [...origin, ...rest] : path)] };
}

/**
 * Checks that a definition is usable. `elsewhere` is true for faults that other code handles.
 * @throws DefinitionError with the first fault.
 */
export function requireUsable(
  definition: Definition,
  elsewhere: (fault: Pick<ShapeFault, 'path'>) => boolean = () => false,
): void {
  const { kind, value, translation } = definition;
  const unplain = translation.unplain.find((found) => !elsewhere(found));
  if (unplain) throw unplainError(definition, unplain);
  const code = `invalid-${singular[kind]}`;
  const fault = translation.faults[0];
  if (fault) {
    const message = `${definitionLabel(definition)} has an unusable "${fault.path.join('.')}": ${fault.message}`;
    throw new DefinitionError(code, message, locate(definition, fault.path));
  }
  for (const found of checkDefinition(kind, value)) {
    if (!isSerious(found) || elsewhere(found)) continue;
    throw new DefinitionError(
      code,
      describeFault(definitionLabel(definition), found),
      locate(definition, found.path),
    );
  }
}

/** The error for a part of a definition without plain form. `path` leads to the value that contains the fault. */
export function unplainError(
  definition: Definition,
  fault: PlainFault,
  path: DocumentPath = [],
): DefinitionError {
  const whole = { ...fault, path: [...path, ...fault.path] };
  const message = `${definitionLabel(definition)}: ${describePlainFault(whole)}.`;
  return new DefinitionError('invalid-definition', message, locate(definition, whole.path));
}

/** True if a part without plain form is at a path, above it or below it. The plain copy then shows false faults. */
export function touchesUnplain({ translation }: Definition, path: DocumentPath): boolean {
  const written = typeof path[0] === 'string' ? translation.origins.get(path[0]) : undefined;
  const full = written ? [...written, ...path.slice(1)] : path;
  return translation.unplain.some(({ path: lost }) =>
    full.slice(0, lost.length).every((key, index) => key === lost[index]),
  );
}

/** Checks that clients accept a tool's wire name. @throws DefinitionError */
export function requireWireName(name: unknown, what: string, location: Location): void {
  if (isWireName(name)) return;
  const message = `${what} has the wire name "${String(name)}". Expected 1 to 128 of A-Z a-z 0-9 _ . -`;
  throw new DefinitionError('invalid-wire-name', message, location);
}

/** The parts that all kinds of items have in common. */
export function commonParts(definition: Definition) {
  const { value, extension, item } = definition;
  return {
    item: extension.qualify(item),
    hidden: isHiddenBy(value, false),
    timeoutMs: typeof value.timeoutMs === 'number' ? value.timeoutMs : defaultCallTimeoutMs,
    requires: readRequirements(value.requires),
    cache: readCache(value.cache),
    definition,
  };
}

/** Requirements of an item, from any of their written forms. */
export function readRequirements(value: unknown): Requirements {
  if (Array.isArray(value)) return { client: strings(value), env: [], bin: [], level: 'required' };
  const { client, env, bin, level, tools } = isRecord(value) ? value : {};
  return {
    client: strings(client),
    env: needs(env),
    bin: needs(bin),
    level: level === 'suggested' ? 'suggested' : 'required',
    ...(tools !== undefined && { tools: strings(tools) }),
  };
}

function strings(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return list.filter((entry) => typeof entry === 'string');
}

function needs(value: unknown): readonly Requirement[] {
  if (!Array.isArray(value)) return strings(value);
  return value.flatMap((entry): readonly Requirement[] => {
    const [only, ...others] = strings(entry);
    if (only === undefined) return [];
    return [others.length > 0 ? [only, ...others] : only];
  });
}

/** Cache hint of the author; undefined without one. */
export function readCache(value: unknown): CacheHint | undefined {
  if (!isRecord(value)) return undefined;
  return {
    ttlMs: typeof value.ttlMs === 'number' ? Math.floor(value.ttlMs) : 0,
    scope: value.scope === 'public' ? 'public' : 'private',
  };
}

/** Keys that hold a function or a module reference, by kind. */
const callableKeys = {
  tools: ['handler', 'initialize', 'upstream'],
  prompts: ['content'],
  resources: ['read', 'list'],
  servers: ['initialize'],
  apps: [],
} as const satisfies Record<Kind, readonly string[]>;

/** The modules of a definition, with the keys that name them. */
export function moduleReferences({ kind, value }: Definition): readonly ReferredModule[] {
  const own = callableKeys[kind].flatMap((key) => {
    const reference = value[key];
    if (typeof reference !== 'string' || (key === 'content' && value.type !== 'function')) return [];
    return [{ key, reference }];
  });
  const place = kind === 'tools' && isRecord(value.upstream) ? value.upstream.place : undefined;
  const given = typeof place === 'string' ? [{ key: 'upstream.place', reference: place }] : [];
  const hooks = kind === 'servers' && isRecord(value.list) ? value.list : {};
  const nested = listedKinds.flatMap((name) => {
    const reference = hooks[name];
    return typeof reference === 'string' ? [{ key: `list.${name}`, reference }] : [];
  });
  return [...own, ...given, ...nested];
}

interface ReferredModule {
  readonly key: string;
  readonly reference: string;
}

/**
 * Checks that the modules of a definition exist, without importing them.
 * @throws DefinitionError for the first unusable module.
 */
export async function requireModules(definition: Definition): Promise<void> {
  for (const { key, reference } of moduleReferences(definition)) {
    try {
      await requireModule(definition.extension.paths, reference);
    } catch (error) {
      if (!(error instanceof ModuleReferenceError)) throw error;
      const missing = key.startsWith('upstream') ? 'missing-upstream' : 'missing-handler';
      const code = error.fault === 'outside' ? 'path-outside-package' : missing;
      const message = `${definitionLabel(definition)} has an unusable "${key}": ${error.message}`;
      throw new DefinitionError(code, message, locate(definition, key.split('.')));
    }
  }
}

/**
 * Values made from definitions, so that an item that is listed twice, or composed again, is one item and its hooks run
 * once.
 */
const partsCache = new WeakMap<Definition, Map<string, unknown>>();

export function oncePerDefinition<T>(definition: Definition, part: string, make: () => T): T {
  const parts = partsCache.get(definition) ?? new Map<string, unknown>();
  partsCache.set(definition, parts);
  if (parts.has(part)) return parts.get(part) as T;
  const made = make();
  parts.set(part, made);
  // A failed value is not kept: its cause may be fixed by the next time.
  if (made instanceof Promise) made.catch(() => parts.delete(part));
  return made;
}
