import path from 'node:path';
import { canonical } from '../base/canonical-json.js';
import type { Environment } from '../base/environment.js';
import { statFile } from '../base/files/disk.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import { checkShape, isFunctionLike } from '../extension/check-shape.js';
import { checkEndpoint, textsIn } from '../extension/check-upstream.js';
import { describeFault } from '../extension/describe-fault.js';
import { type Definition, DefinitionError, type Extension } from '../extension/extension.js';
import { endpointShape } from '../extension/keys/endpoint-keys.js';
import { ModuleReferenceError, requireModule } from '../extension/modules.js';
import {
  EndpointError,
  type EndpointScope,
  type ReadEndpointOptions,
  readEndpoint,
  type UpstreamEndpoint,
} from '../extension/upstream-endpoint.js';
import { endpointName } from '../extension/upstream-secrets.js';
import { findVariables } from '../extension/variables.js';
import { lazyFunction } from './lazy-function.js';
import { definitionLabel, locate } from './read-definition.js';
import { ToolError } from './result-builders.js';
import type { GivenPlace, ToolUpstream, UpstreamSpec } from './upstream.js';
import { readExposure } from './upstream-exposure.js';

/** Returns the endpoint of a server on demand, or throws an error with the reason. */
type ResolveRawEndpoint = (given: { readonly env: Environment }) => unknown;

const defaultStartTimeoutMs = 30_000;

/** The upstream tool that answers in place of a handler. The definition has passed `checkDefinition`. */
export function readToolUpstream({ value, item, extension }: Definition): ToolUpstream {
  const { upstream } = value;
  const { tool = item } = isRecord(upstream) ? upstream : {};
  return { upstream: upstreamSpec(upstream, extension, [item]), tool: String(tool) };
}

/**
 * An upstream server from its written form, which has passed `checkEndpoint`. Starts nothing and fills in no variables.
 * `at` is the definition and the path in it.
 */
export function upstreamSpec(written: unknown, extension: Extension, at: DocumentPath = []): UpstreamSpec {
  const {
    tool: _,
    name,
    startTimeoutMs,
    ...own
  } = isRecord(written) && !isFunctionLike(written) ? written : { place: written };
  const common = {
    name: typeof name === 'string' && name !== '' ? name : endpointLabel(own),
    variables: variablesNeeded(own),
    exposure: readExposure(own),
    startTimeoutMs: typeof startTimeoutMs === 'number' ? startTimeoutMs : defaultStartTimeoutMs,
  };
  const { place } = own;
  if (place === undefined) {
    return {
      ...common,
      key: upstreamKey(own, extension),
      place: (env) => resolveDataEndpoint(own, extension, env),
    };
  }
  const id = canonical([extension.manifest.directory, at]);
  const given = endpointFromFunction(place, { id, extension, timeoutMs: common.startTimeoutMs });
  return {
    ...common,
    // A function that another process has described has no identity here.
    key: given.isFunction && extension.isSurface ? id : upstreamKey(place, extension),
    given,
    place: async (env) => await given.read(await given.find(env)),
  };
}

export function endpointLabel(written: UnknownRecord): string {
  return written.place === undefined ? endpointName(written) : callableName(written.place);
}

/** The scope for paths and dependencies in an extension's endpoints. */
export function endpointScope({ paths, manifest }: Extension): EndpointScope {
  return { ...paths, packageJson: manifest.packageJson.value };
}

const functions = new WeakMap<object, number>();
let functionsKnown = 0;

/** The key of a server outside of a package stays the same when the package is updated. */
function upstreamKey(source: unknown, { name, manifest: { directory } }: Extension): string {
  if (typeof source !== 'function')
    return canonical([isOutside(source, directory) ? name : directory, source]);
  const number = functions.get(source) ?? ++functionsKnown;
  functions.set(source, number);
  return canonical([directory, number]);
}

/** True if an endpoint names no file of the package. */
function isOutside(source: unknown, directory: string): boolean {
  if (!isRecord(source) || source.package !== undefined) return false;
  if (source.url !== undefined) return true;
  const { command, args, cwd } = source;
  const texts = [command, ...(Array.isArray(args) ? args : []), ...(cwd === undefined ? [] : [cwd])];
  return texts.every((text) => {
    const named = path.resolve(directory, String(text));
    const isFile = named.startsWith(directory) && statFile(named) !== undefined;
    return !isFile && !/^\.{1,2}(?:[\\/]|$)/.test(String(text));
  });
}

function callableName(place: unknown): string {
  if (typeof place === 'string') return place;
  return (place as { readonly name?: string }).name || 'a function';
}

async function resolveDataEndpoint(
  written: UnknownRecord,
  extension: Extension,
  env: Environment,
): Promise<UpstreamEndpoint> {
  return await rethrowAsToolError(endpointName(written), () =>
    readEndpoint(written, { scope: endpointScope(extension), env, reveal: revealFor(extension) }),
  );
}

/** Only servers of the user may name stored secrets: a package could send them anywhere. */
function revealFor({ origin, manifest }: Extension): ReadEndpointOptions['reveal'] {
  if (origin !== 'user') return undefined;
  return async (...text) => {
    const { revealFrom } = await import('../secrets/stored-secrets.js');
    return await revealFrom(path.dirname(manifest.directory))(...text);
  };
}

interface FunctionEndpointOptions extends Pick<GivenPlace, 'id' | 'timeoutMs'> {
  readonly extension: Extension;
}

/** The endpoint from a function is not filled in: the function receives the environment itself. */
function endpointFromFunction(
  callable: unknown,
  { id, timeoutMs, extension }: FunctionEndpointOptions,
): GivenPlace {
  const what = `"${callableName(callable)}"`;
  const load = lazyFunction<ResolveRawEndpoint>(callable, extension);
  const find = async (env: Environment) =>
    await load()
      .then((give) => give({ env }))
      .catch((error) => {
        throw new ToolError(errorMessage(error), { cause: error });
      });
  const read = async (given: unknown) => {
    if (!isRecord(given))
      throw new ToolError(`${what} returned no endpoint. Expected { command, args } or { url }.`);
    const [fault] = [...checkShape(given, endpointShape), ...checkEndpoint(given)];
    if (fault) throw new ToolError(describeFault(`The endpoint from ${what}`, fault));
    if (given.place !== undefined)
      throw new ToolError(`${what} returned another function. Expected { command, args } or { url }.`);
    return await rethrowAsToolError(what, () => readEndpoint(given, { scope: endpointScope(extension) }));
  };
  return { id, isFunction: typeof callable !== 'string', what, timeoutMs, find, read };
}

async function rethrowAsToolError(
  what: string,
  read: () => Promise<UpstreamEndpoint>,
): Promise<UpstreamEndpoint> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    throw new ToolError(`The server ${what} ${error.message}.`, { cause: error });
  }
}

function variablesNeeded(written: UnknownRecord): readonly string[] {
  const needed = [...textsIn(written)].flatMap(({ text }) => findVariables(text));
  return [...new Set(needed.filter(({ fallback }) => fallback === undefined).map(({ name }) => name))];
}

/** Checks that the module of an endpoint function exists. @throws DefinitionError */
export async function requireEndpointModule(
  written: unknown,
  { definition, path }: { readonly definition: Definition; readonly path: DocumentPath },
): Promise<void> {
  const [reference, at] = isRecord(written) ? [written.place, [...path, 'place']] : [written, path];
  if (typeof reference !== 'string') return;
  try {
    await requireModule(definition.extension.paths, reference);
  } catch (error) {
    if (!(error instanceof ModuleReferenceError)) throw error;
    const code = error.fault === 'outside' ? 'path-outside-package' : 'missing-upstream';
    const message = `${definitionLabel(definition)} has an unusable "${at.join('.')}": ${error.message}`;
    throw new DefinitionError(code, message, locate(definition, at));
  }
}
