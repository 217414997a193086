import { canonical } from '../base/canonical-json.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import { valuesBetween } from '../base/value-differences.js';
import {
  type PackageSurface,
  type ServerSurface,
  type SurfaceKind,
  surfaceKinds,
} from './recorded-surface.js';
import type { ReleaseStep } from './release-step.js';
import { type SchemaRelation, schemaChanges } from './schema-changes.js';

/** A change of a surface, and the step of the version that it needs. */
export interface SurfaceChange {
  /** Name of the server. */
  readonly server: string;
  readonly kind: 'server' | SurfaceKind;
  /** Name or URI of the item; the name of the server for kind `server`. */
  readonly name: string;
  /** Path in the entry of the item; empty for the whole item. */
  readonly path: DocumentPath;
  readonly step: ReleaseStep;
  /** The change, as the end of a sentence about the path: `narrowed`. */
  readonly what: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Steps for changes of schemas. Arguments that callers send must stay accepted; results must stay as callers expect. */
const schemaSteps: Readonly<Record<'input' | 'output', Readonly<Record<SchemaRelation, ReleaseStep>>>> = {
  input: {
    narrowed: 'major',
    widened: 'minor',
    changed: 'major',
    added: 'minor',
    required: 'major',
    removed: 'major',
    text: 'patch',
  },
  output: {
    narrowed: 'minor',
    widened: 'major',
    changed: 'major',
    added: 'minor',
    required: 'minor',
    removed: 'major',
    text: 'patch',
  },
};

const schemaWords: Readonly<Record<SchemaRelation, string>> = {
  narrowed: 'accepts less',
  widened: 'accepts more',
  changed: 'changed',
  added: 'is new',
  required: 'is new and required',
  removed: 'is gone',
  text: 'has another text',
};

type FoundChange = Omit<SurfaceChange, 'server' | 'kind' | 'name'>;

type CompareKey = (before: unknown, after: unknown, path: DocumentPath) => Iterable<FoundChange>;

/** Any change of a value needs the same step. */
function always(step: ReleaseStep, what = 'changed'): CompareKey {
  return function* (before, after, path) {
    for (const value of valuesBetween(before, after, path))
      yield { path: value.path, step, what, before: value.before, after: value.after };
  };
}

const text = always('patch', 'has another text');

/** Rules for the keys of each kind of item. Other keys need the step of `others`. */
const itemRules: Readonly<Record<'server' | SurfaceKind, Readonly<Record<string, CompareKey>>>> = {
  server: {},
  tools: {
    inputSchema: compareSchema('input'),
    outputSchema: compareOutput,
    annotations: compareAnnotations,
    execution: always('minor'),
    _meta: always('minor'),
  },
  prompts: { arguments: compareArguments, _meta: always('minor') },
  resources: { mimeType: always('major'), name: always('minor'), _meta: always('minor') },
  resourceTemplates: { mimeType: always('major'), name: always('minor'), _meta: always('minor') },
};

const others: CompareKey = text;

/** Yields the changes between the surfaces of a package. Equal surfaces have none; each difference is part of a change. */
export function* surfaceChanges(before: PackageSurface, after: PackageSurface): Generator<SurfaceChange> {
  for (const name of names(before, after)) {
    const [was, is] = [ownValue(before, name), ownValue(after, name)];
    if (was && is) yield* serverChanges(name, was as ServerSurface, is as ServerSurface);
    else yield wholeChange({ server: name, kind: 'server', name }, was, is);
  }
}

function* serverChanges(
  server: string,
  before: ServerSurface,
  after: ServerSurface,
): Generator<SurfaceChange> {
  for (const found of entryChanges('server', before.server, after.server))
    yield { server, kind: 'server', name: server, ...found };
  for (const kind of Object.keys(surfaceKinds) as SurfaceKind[]) {
    for (const name of names(before[kind], after[kind])) {
      const [was, is] = [ownValue(before[kind], name), ownValue(after[kind], name)];
      const about = { server, kind, name };
      if (!was || !is) yield wholeChange(about, was, is);
      else
        for (const found of entryChanges(kind, was as UnknownRecord, is as UnknownRecord))
          yield { ...about, ...found };
    }
  }
}

/** A server or an item that is new or gone. */
function wholeChange(
  about: Pick<SurfaceChange, 'server' | 'kind' | 'name'>,
  before: unknown,
  after: unknown,
): SurfaceChange {
  const isGone = after === undefined;
  return {
    ...about,
    path: [],
    step: isGone ? 'major' : 'minor',
    what: isGone ? 'is gone' : 'is new',
    before,
    after,
  };
}

function* entryChanges(
  kind: 'server' | SurfaceKind,
  before: UnknownRecord,
  after: UnknownRecord,
): Generator<FoundChange> {
  for (const key of names(before, after)) {
    const [was, is] = [ownValue(before, key), ownValue(after, key)];
    if (isSame(was, is)) continue;
    const compare = (ownValue(itemRules[kind], key) as CompareKey | undefined) ?? others;
    const found = [...compare(was, is, [key])];
    if (found.length > 0) yield* found;
    else yield { path: [key], step: 'patch', what: 'has another spelling', before: was, after: is };
  }
}

function compareSchema(side: 'input' | 'output'): CompareKey {
  return function* (before, after, path) {
    for (const { relation, ...change } of schemaChanges(before, after, path))
      yield { ...change, step: schemaSteps[side][relation], what: schemaWords[relation] };
  };
}

/** Without an output schema, callers expect nothing. */
function* compareOutput(before: unknown, after: unknown, path: DocumentPath): Generator<FoundChange> {
  if (before === undefined || after === undefined)
    yield {
      path,
      step: after === undefined ? 'major' : 'minor',
      what: after === undefined ? 'is gone' : 'is new',
      before,
      after,
    };
  else yield* compareSchema('output')(before, after, path);
}

/** Hints with their defaults, and the value that lets clients run the tool with less care. @see MCP, ToolAnnotations */
const hints = {
  readOnlyHint: { missing: false, safe: true },
  destructiveHint: { missing: true, safe: false },
  idempotentHint: { missing: false, safe: true },
  openWorldHint: { missing: true, safe: false },
} as const;

/** A tool that promises less needs a major step, since users have allowed it by the earlier promise. */
function* compareAnnotations(before: unknown, after: unknown, path: DocumentPath): Generator<FoundChange> {
  const [one, other] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  for (const key of names(one, other)) {
    const [was, is] = [ownValue(one, key), ownValue(other, key)];
    if (isSame(was, is)) continue;
    const place = [...path, key];
    const hint = Object.hasOwn(hints, key) ? hints[key as keyof typeof hints] : undefined;
    if (!hint) {
      yield* text(was, is, place);
      continue;
    }
    const [promised, promises] = [was ?? hint.missing, is ?? hint.missing];
    const step = promised === promises ? 'patch' : promises === hint.safe ? 'minor' : 'major';
    const what = `is ${String(promises)} instead of ${String(promised)}`;
    yield {
      path: place,
      step,
      what: step === 'patch' ? 'has another spelling' : what,
      before: was,
      after: is,
    };
  }
}

/** Arguments of a prompt, by name. */
function* compareArguments(before: unknown, after: unknown, path: DocumentPath): Generator<FoundChange> {
  const [one, other] = [argumentSchema(before), argumentSchema(after)];
  for (const change of compareSchema('input')(one, other, [])) {
    const at = [...path, ...change.path.filter((key) => key !== 'properties')];
    yield { ...change, path: at, before: asWritten(change.before), after: asWritten(change.after) };
  }
}

/** An argument as the prompt has it, for one of {@link argumentSchema}; other values unchanged. */
function asWritten(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['x-rest'])) return value;
  const { 'x-rest': rest, ...argument } = value;
  return { ...argument, ...(rest as object) };
}

/** Arguments of a prompt as a schema, to which the same rules apply. */
function argumentSchema(list: unknown): UnknownRecord {
  const entries = (Array.isArray(list) ? list : []).filter(isRecord);
  return {
    properties: Object.fromEntries(
      entries.map(({ name, required: _, description, ...rest }) => [
        String(name),
        { description, 'x-rest': rest },
      ]),
    ),
    required: entries.flatMap(({ name, required }) => (required === true ? [String(name)] : [])),
  };
}

function names(one: object, other: object): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])];
}

function ownValue(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as UnknownRecord)[key] : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && canonical(one) === canonical(other);
}
