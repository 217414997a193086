import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { types } from 'node:util';
import { lookup } from 'mrmime';
import { isInScope, pathFault } from '../base/files/path-containment.js';
import { type PlainReplacement, plainBudget } from '../base/plain-data.js';
import { utf8 } from '../base/utf8.js';
import { isRecord } from '../base/value-checks.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { readUriTemplate } from '../extension/uri-template.js';
import type { Context } from './context.js';
import { lazyFunction } from './lazy-function.js';
import { commonParts, definitionLabel, locate, requireModules, requireUsable } from './read-definition.js';
import type { ResourceContents, ResourceSpec } from './specs.js';
import { readSuggestions } from './suggestions.js';
import { ResultError, requirePlain } from './tool-result.js';
import { commonWire } from './wire-item.js';

type ResourceReader = ResourceSpec['read'];
type ReadFunction = (uri: string, variables: Readonly<Record<string, unknown>>, ctx: Context) => unknown;

/** Creates a resource spec from its definition. @throws DefinitionError with the first fault. */
export async function readResource(definition: Definition): Promise<ResourceSpec> {
  requireUsable(definition);
  await requireModules(definition);
  const { value, extension } = definition;
  const uri = typeof value.uri === 'string' ? value.uri : undefined;
  const uriTemplate = typeof value.uriTemplate === 'string' ? value.uriTemplate : undefined;
  const mimeType = resourceMimeType(value);
  const base = commonWire(definition);
  return {
    ...commonParts(definition),
    kind: 'resources',
    name: base.name,
    wire: {
      ...(uri === undefined ? { uriTemplate } : { uri }),
      ...base,
      ...(mimeType !== undefined && { mimeType }),
      ...(isRecord(value.annotations) && { annotations: value.annotations }),
      ...(typeof value.size === 'number' && uri !== undefined && { size: value.size }),
    },
    uri,
    uriTemplate,
    template: uriTemplate === undefined ? undefined : readUriTemplate(uriTemplate),
    isCode: typeof value.text !== 'string' && typeof value.file !== 'string',
    read: createResourceReader(definition, mimeType),
    subscribable: value.subscribable === true,
    list: value.list === undefined ? undefined : lazyFunction(value.list, extension),
    complete: new Map(
      Object.entries(isRecord(value.complete) ? value.complete : {}).map(([name, complete]) => [
        name,
        readSuggestions(complete, extension),
      ]),
    ),
  };
}

function resourceMimeType({ mimeType, file, text }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof mimeType === 'string') return mimeType;
  if (typeof file === 'string') return lookup(file) ?? undefined;
  return typeof text === 'string' ? 'text/plain' : undefined;
}

function createResourceReader(definition: Definition, mimeType: string | undefined): ResourceReader {
  const { text, file, read } = definition.value;
  if (typeof text === 'string') return async (uri) => [contents(uri, mimeType, { text })];
  if (typeof file === 'string') return fileReader(definition, file, mimeType);
  const load = lazyFunction<ReadFunction>(read, definition.extension);
  return async (uri, variables, ctx) => {
    const call = await load();
    const value = await call(uri, variables, ctx);
    return value === undefined || value === null ? undefined : toContents(value, uri, mimeType);
  };
}

function fileReader(definition: Definition, file: string, mimeType: string | undefined): ResourceReader {
  const { paths } = definition.extension;
  if (pathFault(file, paths)) {
    const message = `${definitionLabel(definition)} names the file "${file}", which leaves the package.`;
    throw new DefinitionError('path-outside-package', message, locate(definition, ['file']));
  }
  const target = path.resolve(paths.directory, file);
  const where = path.isAbsolute(file) ? '' : ' in the package';
  return async (uri) => {
    const info = await stat(target).catch(() => undefined);
    if (!info?.isFile()) throw new ResultError(`there is no file ${file}${where}`);
    if (!(await isInScope(paths, file)))
      throw new ResultError(`${file} is a link that leads out of the package`);
    const bytes = await readFile(target);
    const text = mimeType === undefined || isTextual(mimeType) ? utf8(bytes) : undefined;
    const held = text === undefined ? { blob: bytes.toString('base64') } : { text };
    return [contents(uri, mimeType ?? (text === undefined ? undefined : 'text/plain'), held)];
  };
}

/** True if a MIME type means text. */
export function isTextual(mimeType: string): boolean {
  return /^text\/|[+/](?:x-)?(?:json|xml|yaml|javascript|ecmascript|typescript|toml|sql|graphql|sh|jsonl|ndjson)\b/i.test(
    mimeType,
  );
}

/**
 * Converts the return value of a read function to contents: a string is text, bytes are a blob, an object in the form
 * of contents stays as it is, any other object is JSON, lists are several contents.
 * @throws ResultError for anything else.
 */
export function toContents(
  returned: unknown,
  uri: string,
  mimeType: string | undefined,
): readonly ResourceContents[] {
  return toResourceContents(requirePlain(returned, { keep: keepBytes }), uri, mimeType);
}

function keepBytes(value: object): PlainReplacement | undefined {
  if (!types.isUint8Array(value)) return undefined;
  const most = plainBudget.text;
  return value.byteLength > most ? { fault: `a value of more than ${most} bytes` } : { value };
}

function toResourceContents(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): readonly ResourceContents[] {
  if (typeof value === 'string') return [contents(uri, mimeType, { text: value })];
  if (types.isUint8Array(value))
    return [contents(uri, mimeType, { blob: Buffer.from(value).toString('base64') })];
  if (Array.isArray(value)) return value.flatMap((one) => toResourceContents(one, uri, mimeType));
  if (isRecord(value) && Array.isArray(value.contents))
    return toResourceContents(value.contents, uri, mimeType);
  const held =
    isRecord(value) && Object.keys(value).every((key) => contentsKeys.has(key)) && textOrBlob(value);
  if (held) {
    const { _meta, meta = _meta } = value;
    const own = typeof value.mimeType === 'string' ? value.mimeType : mimeType;
    const named = typeof value.uri === 'string' ? value.uri : uri;
    return [{ ...contents(named, own, held), ...(isRecord(meta) && { _meta: meta }) }];
  }
  if (isRecord(value))
    return [contents(uri, mimeType ?? 'application/json', { text: JSON.stringify(value) })];
  throw new ResultError('a read function returns a string, bytes, an object, or a list of these');
}

const contentsKeys = new Set(['uri', 'mimeType', 'text', 'blob', 'meta', '_meta']);

function textOrBlob({
  text,
  blob,
}: Readonly<Record<string, unknown>>): { text: string } | { blob: string } | undefined {
  if (typeof text === 'string') return { text };
  if (typeof blob === 'string') return { blob };
  return types.isUint8Array(blob) ? { blob: Buffer.from(blob).toString('base64') } : undefined;
}

function contents(
  uri: string,
  mimeType: string | undefined,
  held: { text: string } | { blob: string },
): ResourceContents {
  return { uri, ...(mimeType !== undefined && { mimeType }), ...held };
}
