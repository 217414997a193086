import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { isDeviceName, isObjectName } from '../base/reserved-names.js';
import { isRecord } from '../base/value-checks.js';
import { checkDefinition, servedLists, serverLists } from '../extension/check-definition.js';
import { describeFault } from '../extension/describe-fault.js';
import type { Kind } from '../extension/item-kinds.js';
import { translate } from '../extension/key-spellings.js';
import { isItemName } from '../extension/names.js';
import { isToolkit } from '../extension/toolkits.js';

/** User request for a server. */
export interface ServerPlan {
  readonly name: string;
  /** Names of built-in items, and qualified names, in addition to the items in `definition`. */
  readonly tools?: readonly string[];
  readonly prompts?: readonly string[];
  readonly resources?: readonly string[];
  readonly apps?: readonly string[];
  readonly skills?: readonly string[];
  /** These override the values in `definition`. */
  readonly title?: string;
  readonly description?: string;
  readonly instructions?: string;
  /** A server definition as in a package. */
  readonly definition?: unknown;
  /** Base folder of relative paths in `definition`. */
  readonly directory?: string;
}

export type UserServerDefinition = Readonly<Record<string, unknown>>;

/** @throws AgentToolsError `usage` if a user server cannot have this name. */
export function requireServerName(name: string): void {
  // A leading dot would look like a path, and a leading dash like an option.
  const isWellFormed = isItemName(name) && /^\w/.test(name);
  if (isWellFormed) {
    const reason = explainReserved(name);
    if (reason === undefined) return;
    throw new AgentToolsError(
      'usage',
      `"${name}" cannot be the name of a server: ${reason}. Choose another name.`,
    );
  }
  const hint = name.includes('/') ? ' A name with "/" belongs to a package.' : '';
  const message = `"${name}" cannot be the name of a server. Expected up to 128 of A-Z a-z 0-9 _ . - with a letter, a digit or _ first.${hint}`;
  throw new AgentToolsError('usage', message);
}

function explainReserved(name: string): string | undefined {
  if (isObjectName(name)) return 'programs in JavaScript, as most clients are, would misread it';
  // The file may be used on Windows, too.
  return isDeviceName(name) ? 'Windows takes it for a device' : undefined;
}

/**
 * Builds the definition to store: the given definition and the named items, with absolute file paths.
 * @throws AgentToolsError if the definition is invalid, or serves nothing.
 */
export function buildUserDefinition(plan: ServerPlan): UserServerDefinition {
  const { title, description, instructions, definition = {}, directory = path.sep } = plan;
  const given = readGivenDefinition(definition);
  const lists = servedLists.map((kind) => [kind, mergeNamedItems(kind, given[kind], plan[kind])] as const);
  const whole = {
    ...given,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(instructions !== undefined && { instructions }),
    ...Object.fromEntries(lists.filter(([, list]) => list.length > 0)),
  };
  requireUsable(whole);
  if (lists.every(([, list]) => list.length === 0)) {
    const message = `"${plan.name}" would serve nothing. Name at least one item, such as --tool @scope/package/tool, or give a definition with --from <file>.`;
    throw new AgentToolsError('usage', message);
  }
  return withAbsolutePaths(whole, directory);
}

/** Translates a definition to the standard spelling, and removes empty lists. */
function readGivenDefinition(definition: unknown): Record<string, unknown> {
  if (!isRecord(definition)) {
    throw new AgentToolsError('invalid-definition', 'The definition of a server is an object.');
  }
  const { value, faults, deprecated } = translate(definition, 'servers');
  const fault = faults[0];
  if (fault) {
    const message = `The definition has an unusable "${fault.path.join('.')}": ${fault.message}`;
    throw new AgentToolsError('invalid-definition', message);
  }
  if (deprecated[0]) {
    const message = `The definition has "${deprecated[0].join('.')}", which is no longer read. Use "prompts".`;
    throw new AgentToolsError('invalid-definition', message);
  }
  return Object.fromEntries(
    Object.entries(value).filter(([key, held]) => key !== '$schema' && !isEmptyList(held)),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function mergeNamedItems(
  kind: (typeof servedLists)[number],
  given: unknown,
  named: readonly string[] = [],
): readonly unknown[] {
  if (given === '*') {
    const message = `"${kind}" of the definition is "*", all that a package declares, but your server belongs to no package. List the ${kind}.`;
    throw new AgentToolsError('invalid-definition', message);
  }
  if (given !== undefined && !Array.isArray(given)) {
    throw new AgentToolsError('invalid-definition', `"${kind}" of the definition is not a list.`);
  }
  const listed: readonly unknown[] = given ?? [];
  return [...listed, ...new Set(named.filter((name) => !listed.includes(name)))];
}

/** Rejects misspelled keys too: they would be ignored silently. */
function requireUsable(definition: UserServerDefinition): void {
  const faults = [...checkDefinition('servers', definition)];
  const lines = faults.map((fault) => describeFault('The definition', fault));
  if (lines.length > 0) throw new AgentToolsError('invalid-definition', lines.join('\n'));
}

/** Paths of keys that name files in definitions; `*` matches each key or index. */
const filePaths = {
  servers: [['initialize'], ['list', '*']],
  tools: [['handler'], ['initialize'], ['ui', 'when'], ['upstream'], ['upstream', 'place']],
  prompts: [['content'], ['arguments', '*', 'complete']],
  resources: [['read'], ['list'], ['complete', '*'], ['file']],
  apps: [],
} as const satisfies Record<Kind, readonly (readonly string[])[]>;

function withAbsolutePaths(server: UserServerDefinition, directory: string): UserServerDefinition {
  const lists = serverLists.flatMap((kind) => {
    const list = server[kind];
    return Array.isArray(list) ? [[kind, list.map((entry) => locatedEntry(kind, entry, directory))]] : [];
  });
  return { ...resolveFilePaths(directory, 'servers', server), ...Object.fromEntries(lists) };
}

/** Returns an entry with absolute file paths, including the files of a toolkit and of an overridden entry. */
function locatedEntry(kind: Kind, entry: unknown, directory: string): unknown {
  if (Array.isArray(entry)) return entry.map((one) => locatedEntry(kind, one, directory));
  if (!isRecord(entry)) return entry;
  if (Object.hasOwn(entry, 'use')) {
    return resolveFilePaths(directory, kind, { ...entry, use: locatedEntry(kind, entry.use, directory) });
  }
  if (isToolkit(entry)) return { ...entry, tools: locatedEntry(kind, entry.tools, directory) };
  const { value, faults } = translate(entry, kind);
  // Faults of the translation are reported when the server is composed.
  if (faults.length > 0) return entry;
  const located = resolveFilePaths(directory, kind, value);
  const { upstream } = located;
  return kind === 'tools' && isRecord(upstream)
    ? { ...located, upstream: locatedPlace(upstream, directory) }
    : located;
}

/** A program runs in the folder of the definition, unless the definition sets `cwd`. */
function locatedPlace(place: UserServerDefinition, directory: string): UserServerDefinition {
  const { command, cwd = '.' } = place;
  if (typeof command !== 'string') return place;
  const isOwn = /^\.\.?[\\/]/.test(command);
  const isElsewhere = typeof cwd !== 'string' || cwd.startsWith('${');
  return {
    ...place,
    ...(isOwn && { command: absolutePath(command, directory) }),
    ...(!isElsewhere && { cwd: absolutePath(cwd, directory) }),
  };
}

function resolveFilePaths(directory: string, kind: Kind, value: UserServerDefinition): UserServerDefinition {
  let located: unknown = value;
  for (const keys of filePaths[kind]) {
    if (keys[0] === 'content' && value.type !== 'function') continue;
    const change = keys[0] === 'file' ? absolutePath : absoluteReference;
    located = mapTextAt(located, keys, (text) => change(text, directory));
  }
  return located as UserServerDefinition;
}

/** Changes the texts at a path. Missing values and values of other types stay. */
function mapTextAt(value: unknown, keys: readonly string[], change: (text: string) => string): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return typeof value === 'string' ? change(value) : value;
  const isMeant = (name: string) => key === '*' || name === key;
  if (Array.isArray(value))
    return value.map((one, index) => (isMeant(String(index)) ? mapTextAt(one, rest, change) : one));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, one]) => [name, isMeant(name) ? mapTextAt(one, rest, change) : one]),
  );
}

function absolutePath(file: string, directory: string): string {
  return path.resolve(directory, file);
}

/** Bare names stay unchanged, and are rejected as in a package. */
function absoluteReference(text: string, directory: string): string {
  if (!/^\.\.?[\\/]/.test(text)) return text;
  const hash = text.lastIndexOf('#');
  const file = absolutePath(hash === -1 ? text : text.slice(0, hash), directory);
  // The name of a folder may contain a #.
  const name = hash === -1 ? (file.includes('#') ? '#default' : '') : text.slice(hash);
  return file + name;
}
