import { access, constants, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DataDocument, DocumentError, readDocument } from '../base/files/document.js';
import { isInside } from '../base/files/path-containment.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { checkDefinition } from '../extension/check-definition.js';
import { describeFault, isSerious } from '../extension/describe-fault.js';
import { type Definition, DefinitionError, type Extension } from '../extension/extension.js';
import { translate } from '../extension/key-spellings.js';
import { commonParts, definitionLabel } from './read-definition.js';
import type { AppMetadata, AppSpec, ResourceContents } from './specs.js';
import { ResultError } from './tool-result.js';
import { commonWire } from './wire-item.js';

/** MIME type of an app page. @see MCP Apps 2026-01-26, "UI Resource Format" */
export const appMimeType = 'text/html;profile=mcp-app';

/** Larger pages are refused, because a host holds each page in memory. */
const maxPageBytes = 16 * 1024 * 1024;

/** URI of an app: `ui://<scope>/<package>/<name>`. */
function appUri({ name }: Pick<Extension, 'name'>, item: string): string {
  return `ui://${name.replace(/^@/, '')}/${item}`;
}

/** Creates an app spec from its definition. @throws DefinitionError if its page cannot be read */
export async function readAppDefinition(definition: Definition): Promise<AppSpec> {
  const { extension, item, file } = definition;
  const declaration = extension.manifest.declarations.apps.find(({ name }) => name === item);
  const { title = item } = declaration?.metadata ?? {};
  const description = declaration?.description;
  const uri = appUri(extension, item);
  const page = path.join(extension.manifest.directory, file.file);
  await requirePage(page, definition);
  return {
    ...commonParts(definition),
    kind: 'apps',
    name: item,
    uri,
    wire: {
      uri,
      ...commonWire(definition),
      title: typeof title === 'string' ? title : item,
      ...(description !== undefined && { description }),
      mimeType: appMimeType,
    },
    metadata: metadataReader(definition),
    page: pageReader(page, uri),
  };
}

async function requirePage(page: string, definition: Definition): Promise<void> {
  const { file } = definition.file;
  const problem = await pageProblem(page);
  if (problem === undefined) return;
  throw new DefinitionError('invalid-definition', `${definitionLabel(definition)}: ${file} ${problem}.`, {
    file,
  });
}

async function pageProblem(page: string): Promise<string | undefined> {
  try {
    const info = await stat(page);
    if (!info.isFile()) return 'is not a file';
    if (info.size > maxPageBytes) return `is larger than ${maxPageBytes / 1024 / 1024} MB`;
    await access(page, constants.R_OK);
    return undefined;
  } catch (error) {
    return `cannot be read: ${errorMessage(error)}`;
  }
}

/** Modification time and size of a file; undefined if the file is missing. */
async function fileVersion(file: string): Promise<string | undefined> {
  const info = await stat(file).catch(() => undefined);
  return info && `${info.mtimeMs}/${info.size}`;
}

/** Reads a file on the first call, and again only after the file has changed. */
function cacheUntilModified<T>(file: string, read: (exists: boolean) => Promise<T>): () => Promise<T> {
  let last: { readonly state: string | undefined; readonly value: Promise<T> } | undefined;
  return async () => {
    const state = await fileVersion(file);
    if (last && last.state === state) return await last.value;
    const value = read(state !== undefined);
    const reading = { state, value };
    last = reading;
    value.catch(() => {
      if (last === reading) last = undefined;
    });
    return await value;
  };
}

function pageReader(page: string, uri: string): AppSpec['page'] {
  return cacheUntilModified(page, async () => {
    const problem = await pageProblem(page);
    if (problem !== undefined) throw new ResultError(`its page ${problem}`);
    return decodeAppContents(await readFile(page), uri);
  });
}

/** UTF-8 bytes become text without the byte order mark. Other bytes become a base64 blob. */
function decodeAppContents(bytes: Buffer, uri: string): ResourceContents {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { uri, mimeType: appMimeType, text };
  } catch {
    return { uri, mimeType: appMimeType, blob: bytes.toString('base64') };
  }
}

/** Metadata of an app without a usable metadata file. */
const emptyMetadata: AppMetadata = { meta: {} };

function metadataReader(definition: Definition): AppSpec['metadata'] {
  const target = path.join(definition.extension.manifest.directory, metadataFile(definition));
  return cacheUntilModified(target, async (exists) => {
    if (!exists) return emptyMetadata;
    try {
      return { meta: readAppMeta(await withMetadata(definition, readAnew)) };
    } catch (error) {
      return { ...emptyMetadata, problem: { file: metadataFile(definition), reason: errorMessage(error) } };
    }
  });
}

function metadataFile({ file }: Definition): string {
  return file.file.replace(/\.html$/, '.json');
}

async function readAnew(extension: Extension, file: string): Promise<DataDocument> {
  return await readDocument(path.join(extension.manifest.directory, file), file);
}

/** The `_meta` of an app. @throws DefinitionError if a key has an invalid value */
function readAppMeta(definition: Definition): AppMetadata['meta'] {
  for (const fault of checkDefinition('apps', definition.value)) {
    if (!isSerious(fault)) continue;
    const { file } = definition.file;
    throw new DefinitionError('invalid-app-metadata', describeFault(definitionLabel(definition), fault), {
      file,
    });
  }
  const told = Object.entries(definition.value).filter(([key]) => key !== '$schema' && !key.startsWith('x-'));
  return told.length === 0 ? {} : { ui: Object.fromEntries(told) };
}

type ReadDocument = (extension: Extension, file: string) => Promise<DataDocument>;

/**
 * Returns an app's definition with the values of the JSON file beside its page. The file has its keys at the top level
 * or under `ui`. Without that file, returns the definition unchanged.
 * @throws DefinitionError if the file is malformed or outside the package
 */
export async function withMetadata(
  definition: Definition,
  read: ReadDocument = (extension, file) => extension.document(file),
): Promise<Definition> {
  const { extension, item } = definition;
  const file = metadataFile(definition);
  const target = path.join(extension.manifest.directory, file);
  const info = await stat(target).catch(() => undefined);
  if (!info) return definition;
  if (!(await isInside(extension.manifest.directory, target))) {
    throw new DefinitionError('path-outside-package', `${file} is a link that leads out of the package.`, {
      file,
    });
  }
  const { value } = await read(extension, file).catch((error: unknown) => {
    if (!(error instanceof DefinitionError) && !(error instanceof DocumentError)) throw error;
    const location = error instanceof DefinitionError ? error.location : { file };
    throw new DefinitionError('invalid-app-metadata', error.message, location, { cause: error });
  });
  if (!isRecord(value)) {
    throw new DefinitionError('invalid-app-metadata', `The metadata of app "${item}" is not an object.`, {
      file,
      path: [],
    });
  }
  const isWrapped = isRecord(value.ui);
  const translation = translate(isWrapped ? (value.ui as Record<string, unknown>) : value, 'apps');
  return {
    ...definition,
    file: { file, language: 'data', combined: false },
    at: isWrapped ? ['ui'] : [],
    value: translation.value,
    translation,
  };
}
