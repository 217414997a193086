import type { DocumentPath } from '../base/files/document-path.js';
import { findCopyFaults, type PlainFault } from '../base/plain-data.js';
import { isRecord } from '../base/value-checks.js';
import { SchemaError, translateParameters } from '../schema/index.js';
import { shapes } from './definition-shapes.js';
import type { Kind } from './item-kinds.js';
import type { DefinitionShape } from './key-shape.js';

/** Maps keys of a related system to an AgentTools key. `value` converts the value if needed. */
interface KeySpelling {
  readonly theirs: readonly string[];
  readonly ours: string;
  readonly value?: (value: unknown) => unknown;
}

const lowerCaseValue = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

const transports: ReadonlyMap<unknown, string> = new Map([
  ['StandardInputOutput', 'stdio'],
  ['HTTP', 'http'],
  ['ServerSentEvents', 'http'],
]);

const listNames: readonly KeySpelling[] = [
  { theirs: ['MCPServers', 'mcpServers'], ours: 'servers' },
  { theirs: ['MCPPrompts', 'mcpPrompts'], ours: 'prompts' },
];

const initialization: KeySpelling = { theirs: ['Initialization', 'initialization'], ours: 'initialize' };
const displayName: KeySpelling = { theirs: ['DisplayName', 'displayName'], ours: 'title' };
const configKey: KeySpelling = { theirs: ['MCPServerName', 'mcpServerName'], ours: 'configKey' };

/**
 * Accepted spellings of related systems, by context. The PascalCase form of each AgentTools key is also
 * accepted and needs no row.
 */
const table = {
  manifest: listNames,
  declaration: [...listNames, configKey],
  tools: [
    { theirs: ['Function', 'function'], ours: 'handler' },
    { theirs: ['Parameters', 'parameters'], ours: 'input', value: translateParameters },
    displayName,
    initialization,
  ],
  prompts: [displayName, { theirs: ['Type'], ours: 'type', value: automatic }],
  resources: [displayName],
  servers: [
    ...listNames,
    displayName,
    initialization,
    configKey,
    { theirs: ['ServerVersion', 'serverVersion'], ours: 'version' },
    {
      theirs: ['Transport'],
      ours: 'transport',
      value: (value) => transports.get(value) ?? lowerCaseValue(value),
    },
  ],
  evaluator: [
    { theirs: ['MCPPrompts', 'mcpPrompts'], ours: 'prompts' },
    { theirs: ['Prompts', 'prompts'], ours: 'instructions' },
    { theirs: ['Tools', 'tools'], ours: 'tools' },
  ],
  apps: [],
} as const satisfies Record<SpellingContext, readonly KeySpelling[]>;

/** Properties of related systems that are no keys of definitions. */
const shownSpellings: readonly KeySpelling[] = [
  { theirs: ['Location'], ours: 'launch' },
  { theirs: ['Parameters'], ours: 'inputSchema' },
];

/** The property that a word names, in any case and in the spellings of related systems; undefined: none. */
export function findProperty(word: string, properties: readonly string[]): string | undefined {
  const meant = word.toLowerCase();
  const own = properties.find((one) => one.toLowerCase() === meant);
  if (own !== undefined) return own;
  const rows: readonly KeySpelling[] = [...table.servers, ...table.tools, ...shownSpellings];
  const isMeant = ({ theirs, ours }: KeySpelling) =>
    properties.includes(ours) && theirs.some((one) => one.toLowerCase() === meant);
  return rows.find(isMeant)?.ours;
}

type SpellingContext = Kind | 'manifest' | 'declaration' | 'evaluator';

/** Keys of a server that hold its model settings as one object. */
export const evaluatorKeys: readonly string[] = ['LLMEvaluator', 'llmEvaluator'];
const deprecatedKeys = ['promptData', 'PromptData'];

/** The message about such a key of an item, which it begins with: `The server "desk"`. */
export function describeDeprecated(label: string, path: DocumentPath): string {
  return `${label} has "${path.at(-1)}", which is no longer read. Define each prompt in its own file and name it under "prompts".`;
}

/** A key that is present in two spellings. */
export interface SpellingConflict {
  readonly path: DocumentPath;
  readonly ours: string;
}

/** A value in AgentTools' spelling, with the original path of each key. */
export interface Translation {
  readonly value: Readonly<Record<string, unknown>>;
  /** AgentTools key to original path. Keys that kept their path are absent. */
  readonly origins: ReadonlyMap<string, DocumentPath>;
  /** AgentTools keys with a value that differs from the author's. */
  readonly converted: readonly string[];
  readonly conflicts: readonly SpellingConflict[];
  /** Known keys that are outdated. */
  readonly deprecated: readonly DocumentPath[];
  /** Values that could not be converted. */
  readonly faults: readonly { readonly path: DocumentPath; readonly message: string }[];
  /** Parts of the author's value that have no plain form. */
  readonly unplain: readonly PlainFault[];
}

/** Translates a definition or manifest entry to AgentTools' spelling. Keeps unknown keys. */
export function translate(
  value: Readonly<Record<string, unknown>>,
  place: Exclude<SpellingContext, 'evaluator'>,
): Translation {
  const known = knownKeys[place];
  if (Object.keys(value).every((key) => Object.hasOwn(known, key))) return untranslated(value);
  const state = new TranslationBuilder();
  state.take(value, [], place);
  return state.done(findCopyFaults(value));
}

function untranslated(value: Readonly<Record<string, unknown>>): Translation {
  return {
    value,
    origins: new Map(),
    converted: [],
    conflicts: [],
    deprecated: [],
    faults: [],
    unplain: findCopyFaults(value),
  };
}

class TranslationBuilder {
  readonly #entries = new Map<string, unknown>();
  readonly #origins = new Map<string, DocumentPath>();
  readonly #converted: string[] = [];
  readonly #conflicts: SpellingConflict[] = [];
  readonly #deprecated: DocumentPath[] = [];
  readonly #faults: { path: DocumentPath; message: string }[] = [];

  take(value: Readonly<Record<string, unknown>>, at: DocumentPath, place: SpellingContext): void {
    const known = knownKeys[place];
    const own = (key: string) => place !== 'evaluator' && Object.hasOwn(known, key);
    const foreign = Object.keys(value).filter((key) => !own(key));
    for (const key of Object.keys(value)) if (own(key)) this.#put(key, value[key], [...at, key], undefined);
    for (const key of foreign) {
      const path = [...at, key];
      if (deprecatedKeys.includes(key)) {
        this.#deprecated.push(path);
        continue;
      }
      if (place === 'servers' && evaluatorKeys.includes(key) && isRecord(value[key])) {
        this.take(value[key], path, 'evaluator');
        continue;
      }
      const spelling = findSpelling(key, place);
      if (spelling) this.#put(spelling.ours, value[key], path, spelling.value);
      else if (place === 'evaluator') this.#keep(key, value[key]);
      else this.#put(key, value[key], path, undefined);
    }
  }

  #put(key: string, raw: unknown, path: DocumentPath, carry: KeySpelling['value']): void {
    if (this.#entries.has(key)) {
      this.#conflicts.push({ path, ours: key });
      return;
    }
    try {
      this.#entries.set(key, carry ? carry(raw) : raw);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      this.#faults.push({ path: [...path, ...error.path], message: error.message });
      return;
    }
    if (carry) this.#converted.push(key);
    if (path.length !== 1 || path[0] !== key) this.#origins.set(key, path);
  }

  #keep(key: string, raw: unknown): void {
    const kept = this.#entries.get('evaluator');
    this.#entries.set('evaluator', { ...(isRecord(kept) ? kept : {}), [key]: raw });
  }

  done(unplain: Translation['unplain']): Translation {
    return {
      value: Object.fromEntries(this.#entries),
      origins: this.#origins,
      converted: this.#converted,
      conflicts: this.#conflicts,
      deprecated: this.#deprecated,
      faults: this.#faults,
      unplain,
    };
  }
}

function findSpelling(key: string, place: SpellingContext): KeySpelling | undefined {
  const row = (table[place] as readonly KeySpelling[]).find(({ theirs }) => theirs.includes(key));
  if (row) return row;
  const ours = key.charAt(0).toLowerCase() + key.slice(1);
  if (ours === key || !Object.hasOwn(knownKeys[place], ours)) return undefined;
  return { theirs: [key], ours };
}

function automatic(value: unknown): unknown {
  return value === 'Automatic' ? 'auto' : lowerCaseValue(value);
}

const manifestKeys = {
  root: 1,
  skills: 1,
  servers: 1,
  tools: 1,
  prompts: 1,
  resources: 1,
  apps: 1,
  rules: 1,
  $schema: 1,
};
const declarationKeys = {
  name: 1,
  title: 1,
  description: 1,
  parameters: 1,
  arguments: 1,
  tools: 1,
  prompts: 1,
  resources: 1,
  configKey: 1,
  uri: 1,
  toolkit: 1,
  module: 1,
};

const knownKeys: Record<SpellingContext, Readonly<Record<string, unknown>>> = {
  manifest: manifestKeys,
  declaration: declarationKeys,
  evaluator: { tools: 1, prompts: 1, instructions: 1 },
  ...(shapes as Record<Kind, DefinitionShape>),
};

/** Allowed keys of a manifest, except `x-…`. */
export const manifestKeyNames = Object.keys(manifestKeys);

/** Translates the PascalCase keys of a prompt argument. */
export function translateArgument(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key.charAt(0).toLowerCase() + key.slice(1), held]),
  );
}
