import { plainData } from '../base/plain-data.js';
import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { toOneLine } from '../base/to-one-line.js';
import { isRecord } from '../base/value-checks.js';
import { contextMaker, showsUi } from '../interaction/handler-context.js';
import { ClientInputScope, runWithInput } from '../interaction/input-scope.js';
import { type Connection, isRetry, type RequestIdentity } from '../live/connection.js';
import { instanceLeftOut, instancesFailed } from '../live/list-faults.js';
import { ownerKey } from '../live/request-keys.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { internalError, ResourceNotFoundError } from '../protocol/request-errors.js';
import { brands, isBranded, isProtocolError } from '../runtime/authoring-symbols.js';
import { watched } from '../runtime/hook-watch.js';
import { InitializeError } from '../runtime/initialize.js';
import { explainInitializeFailure } from '../runtime/initialize-failure.js';
import { InputRequiredSignal } from '../runtime/input-required.js';
import type { Registry } from '../runtime/registry.js';
import { MissingCapabilityError } from '../runtime/requirements.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { errorDetails, exposesErrors, reportOnce, type ServerRuntime } from '../runtime/server-runtime.js';
import type { AppSpec, ResourceContents, ResourceSpec } from '../runtime/specs.js';
import { toListedInstance } from '../runtime/template-instances.js';
import { withTimeLimit } from '../runtime/time-limit.js';
import { ResultError, toResultError } from '../runtime/tool-result.js';
import { isUiResource } from '../runtime/ui.js';
import type { ListRequest, SelectedListItems } from './list-request.js';
import { listResult, selectListItems, toCursor } from './lists.js';
import { appEntry, readAppContents } from './ui.js';

/** `resources/templates/list` */
export async function listTemplates(
  connection: Connection,
  { cursor }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { specs, page } = await selectListedResources({ connection, request, cursor: toCursor(cursor) });
  const templates = specs.filter(({ uriTemplate }) => uriTemplate !== undefined);
  return listResult('resourceTemplates', page(templates.map(({ wire }) => wire)));
}

/** Returns the listed resources and templates. UI resources are listed only for clients that show UI. */
async function selectListedResources(asked: ListRequest): Promise<SelectedListItems<ResourceSpec>> {
  const { connection, request } = asked;
  const shown = await selectListItems('resources', asked);
  if (!connection.calls.server.hasUi || showsUi(connection, request)) return shown;
  return { ...shown, specs: shown.specs.filter((spec) => !isUiResource(spec)) };
}

/** `resources/list`: fixed resources, current instances of templates with a `list` function, skills and apps. */
export async function listResources(
  connection: Connection,
  { cursor }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { calls } = connection;
  const { specs, page } = await selectListedResources({ connection, request, cursor: toCursor(cursor) });
  const entries = await Promise.all(
    specs.map(async (spec) =>
      spec.uri === undefined ? await listTemplateInstances(connection, spec, request) : [spec.wire],
    ),
  );
  const apps = shownApps(connection, request);
  const others = entries.flat().filter(({ uri }) => !apps.has(String(uri)));
  const visible = [...apps.values()].filter(({ hidden }) => !hidden);
  const pages = await Promise.all(visible.map(async (app) => await appEntry(app, calls)));
  const skills = await listSkillResources(calls);
  return listResult('resources', page([...removeDuplicateUris([...others, ...skills]), ...pages]));
}

/** Resource entries of the skills. Their reader is loaded on first use, since few servers have skills. */
async function listSkillResources(calls: ServerRuntime): Promise<readonly WireObject[]> {
  if (calls.server.skills.length === 0) return [];
  const { skillEntries } = await import('./skills.js');
  return await skillEntries(calls);
}

const noApps: ReadonlyMap<string, AppSpec> = new Map();

/** Apps that the client of the request sees, by URI. Empty for a client that shows no UI. */
export function shownApps(connection: Connection, request: RequestContext): ReadonlyMap<string, AppSpec> {
  const { apps } = connection.calls.server;
  return apps.size > 0 && showsUi(connection, request) ? apps : noApps;
}

/** Keeps the first entry of each URI. */
function removeDuplicateUris(entries: readonly WireObject[]): readonly WireObject[] {
  const seen = new Set<unknown>();
  return entries.filter(({ uri }) => !seen.has(uri) && seen.add(uri));
}

async function listTemplateInstances(
  connection: Connection,
  spec: ResourceSpec,
  request: RequestContext,
): Promise<readonly WireObject[]> {
  if (!spec.list) return [];
  const { calls } = connection;
  try {
    const list = await spec.list();
    const makeContext = contextMaker(connection, request);
    const limit = { timeoutMs: spec.timeoutMs, signal: request.signal };
    const listed = await watched(
      connection.hooks,
      { hook: `list of ${spec.item}`, limitMs: spec.timeoutMs },
      async () => await withTimeLimit(async (one) => await list(makeContext(one)), limit),
    );
    const { value: found, faults } = plainData(listed);
    const whole = faults.filter(({ path }) => path.length === 0);
    if (whole.length > 0) throw toResultError(whole);
    if (!Array.isArray(found)) throw new ResultError('"list" returns a list of { uri, … }');
    const { registry } = calls.server;
    const reports = new LimitedReports(calls, `${spec.item}: its list omits more invalid entries.`);
    const entries = found.map((entry) => instanceFor(spec, entry, reports));
    if (entries.includes(undefined)) {
      const strangers = found.filter((_, index) => entries[index] === undefined);
      const told = strangers.slice(0, maxSkippedNamed).map(resourceUri).join(', ');
      const untold =
        strangers.length > maxSkippedNamed ? `, and ${strangers.length - maxSkippedNamed} more` : '';
      const what = `${spec.item}: its list has entries without an address of the template, which are left out`;
      reportOnce(calls, `${what}: ${told}${untold}`, what);
    }
    // A fixed resource has its own entry, or is hidden.
    const fixed = new Set(registry.all('resources').map(({ uri }) => uri));
    return entries.filter((entry) => isRecord(entry)).filter(({ uri }) => !fixed.has(uri));
  } catch (error) {
    calls.report(instancesFailed(spec.item) + errorDetails(error));
    return [];
  }
}

/** Most skipped entries that a report names. */
const maxSkippedNamed = 5;

function resourceUri(entry: unknown): string {
  const { uri } = isRecord(entry) ? entry : {};
  return typeof uri === 'string' ? `"${toOneLine(uri)}"` : 'one without "uri"';
}

/** Entry of a template's list; undefined if its URI does not match the template; null if it is invalid (reported). */
function instanceFor(
  spec: ResourceSpec,
  told: unknown,
  reports: LimitedReports,
): ReturnType<typeof toListedInstance> | null {
  try {
    return toListedInstance(spec, told);
  } catch (error) {
    if (!(error instanceof ResultError)) throw error;
    const { uri } = told as { readonly uri: string };
    reports.add(`${instanceLeftOut(spec.item)}${toOneLine(uri)}: ${error.message}`);
    return null;
  }
}

/** Reports of the invalid entries of one list. Beyond ten, one line reports all others. */
class LimitedReports {
  readonly #calls: ServerRuntime;
  readonly #more: string;
  #left = 10;

  constructor(calls: ServerRuntime, more: string) {
    this.#calls = calls;
    this.#more = more;
  }

  add(line: string): void {
    this.#left -= 1;
    if (this.#left >= 0) reportOnce(this.#calls, line);
    else if (this.#left === -1) reportOnce(this.#calls, this.#more);
  }
}

/** `resources/read` */
export async function readResourceRequest(
  connection: Connection,
  { uri }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { calls } = connection;
  if (calls.server.refuses?.(String(uri)))
    throw new ResourceNotFoundError(String(uri), `Resource not found: ${uri}`);
  const kept = connection.adaptation?.readKept(String(uri), ownerKey(request.auth));
  if (kept) return kept;
  const skillFile = await skillFileAt(connection, String(uri), request);
  if (skillFile) return { contents: [skillFile] };
  const found = await requireResource(connection, String(uri), request).catch(async (error: unknown) => {
    if (!(error instanceof ResourceNotFoundError)) throw error;
    const unlisted = await readUnlistedResource(connection, String(uri), request);
    if (!unlisted) throw error;
    return { answer: unlisted };
  });
  if ('answer' in found) return found.answer;
  if ('app' in found) return await readAppResource(found.app, calls);
  const address = String(uri);
  const subject: RequestIdentity = { method: 'resources/read', name: address, args: undefined };
  const { host } = connection;
  const { upstream } = found.spec;
  if (upstream) {
    const { readUpstreamResource } = await import('./upstream-items.js');
    return await readUpstreamResource({ ...found.spec, upstream }, { connection, request, subject });
  }
  if (host && found.spec.isCode) {
    const what = `Resource ${address}`;
    const { timeoutMs } = found.spec;
    return await host.answer(connection, request, { params: { uri: address }, what, timeoutMs, subject });
  }
  const inputScope = new ClientInputScope(connection, request, subject);
  return await runWithInput(inputScope, async () => await readResource(found, inputScope));
}

/** Asks upstream servers for a resource that no list shows; undefined if there is nothing to ask. */
async function readUnlistedResource(
  connection: Connection,
  uri: string,
  request: RequestContext,
): Promise<WireObject | undefined> {
  const readers = connection.calls.upstreams?.readersOf(uri) ?? [];
  if (readers.length === 0 || (isUiResource({ uri }) && !showsUi(connection, request))) return undefined;
  const { readFromAny } = await import('./upstream-items.js');
  const subject: RequestIdentity = { method: 'resources/read', name: uri, args: undefined };
  return await readFromAny(readers, { connection, request, subject });
}

async function skillFileAt(
  { calls, live }: Connection,
  uri: string,
  request: RequestContext,
): Promise<ResourceContents | undefined> {
  if (!/^skill:/i.test(uri)) return undefined;
  const look = async () => {
    if (calls.server.skills.length === 0) return undefined;
    const { readSkillFile } = await import('./skills.js');
    return await readSkillFile(calls, uri);
  };
  return (await look()) ?? (await live.find('skills', look, request.signal));
}

async function readResource(
  { spec, variables }: FoundSpec,
  inputScope: ClientInputScope,
): Promise<WireObject> {
  const { connection, request, subject } = inputScope;
  const { calls, era } = connection;
  const uri = subject.name;
  const makeContext = contextMaker(connection, request, { inputScope });
  try {
    const contents = await withTimeLimit(
      async (limit) => {
        const ctx = makeContext(limit);
        if (spec.isCode) await calls.initializers.ready({ server: calls.server.initialize }, ctx);
        return await spec.read(uri, variables, ctx);
      },
      { timeoutMs: spec.timeoutMs, signal: request.signal },
    );
    if (!contents) throw new ResourceNotFoundError(uri, `Resource not found: ${uri}`);
    // Contents that depend on answers of one user must not be cached for others (server/utilities/caching, Cache Key).
    const hint = era === 'modern' && !isRetry(request) ? spec.cache : undefined;
    return { contents, ...(hint && { ttlMs: hint.ttlMs, cacheScope: hint.scope }) };
  } catch (thrown) {
    const error = safelyThrown(thrown);
    const isAnswer = [MissingCapabilityError, InputRequiredSignal, ResourceNotFoundError].some(
      (kind) => error instanceof kind,
    );
    if (isAnswer || isProtocolError(error)) throw error;
    if (error instanceof InitializeError) {
      const about = { what: `Resource ${uri}`, item: calls.server.qualifiedName, calls };
      throw new ProtocolError(internalError, explainInitializeFailure(error, about), { uri });
    }
    if (isBranded(error, brands.toolError)) throw new ProtocolError(internalError, errorMessage(error));
    throw readFailure(error, { calls, item: spec.item, uri });
  }
}

async function readAppResource(app: AppSpec, calls: ServerRuntime): Promise<WireObject> {
  const { item, uri } = app;
  const contents = await readAppContents(app, calls).catch((error: unknown) => {
    throw readFailure(error, { calls, item, uri });
  });
  return { contents: [contents] };
}

function readFailure(
  error: unknown,
  { calls, item, uri }: { readonly calls: ServerRuntime; readonly item: string; readonly uri: unknown },
): ProtocolError {
  calls.report(`${item}: ${errorDetails(error)}`);
  const text = exposesErrors(calls) ? errorMessage(error) : 'Resource read failed';
  return new ProtocolError(internalError, text, { uri });
}

type FoundResource = { readonly app: AppSpec } | FoundSpec;

interface FoundSpec {
  readonly spec: ResourceSpec;
  readonly variables: WireObject;
}

/** Finds the app or the resource of a URI. Waits for pending items. @throws ResourceNotFoundError */
export async function requireResource(
  connection: Connection,
  uri: string,
  request: RequestContext,
): Promise<FoundResource> {
  const { live } = connection;
  const look = () => findResource(connection, uri, request);
  const found = look() ?? (await live.find('resources', look, request.signal));
  if (found) return found;
  const what = `Resource not found: ${uri}`;
  throw new ResourceNotFoundError(uri, live.explain(what, 'resources'));
}

function findResource(
  connection: Connection,
  uri: string,
  request: RequestContext,
): FoundResource | undefined {
  const app = shownApps(connection, request).get(uri);
  if (app) return { app };
  if (isUiResource({ uri }) && !showsUi(connection, request)) return undefined;
  return resourceAt(connection.calls.server.registry, uri);
}

/** Finds the resource of a URI: an exact match first, then the first template that matches. */
export function resourceAt(
  registry: Registry,
  uri: string,
): { readonly spec: ResourceSpec; readonly variables: WireObject } | undefined {
  const specs = registry.all('resources');
  const exact = specs.find((spec) => spec.uri === uri);
  if (exact) return { spec: exact, variables: {} };
  for (const spec of specs) {
    const variables = spec.template?.match(uri);
    if (variables) return { spec, variables };
  }
  return undefined;
}
