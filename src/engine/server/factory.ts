import {
  type Implementation,
  ProtocolError,
  type Result,
  type CacheHint as SdkCacheHint,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Calls } from '../items/calls.js';
import { listedKinds, type ServedKind } from '../items/registry.js';
import type { CacheHint } from '../items/specs.js';
import { isUiResource } from '../items/ui.js';
import { type Announcements, announcer, listenerOf } from './audience.js';
import type { Coming } from './coming.js';
import { type Connection, showsUi } from './context.js';
import { skillsExtension, tasksExtension } from './extensions.js';
import { type Era, legacyVersions, logLevels } from './protocol/eras.js';
import { honourOnly } from './protocol/listen.js';
import { complete } from './requests/completion.js';
import { toProtocolError } from './requests/errors.js';
import type { Handler, Wire } from './requests/handler.js';
import { get, listPrompts } from './requests/prompts.js';
import { listResources, listTemplates, read } from './requests/resources.js';
import { mayBeSubscribed, subscribe, unsubscribe } from './requests/subscriptions.js';
import { call, listTools } from './requests/tools.js';
import { openSession } from './session.js';
import { allowsUi, declaresUi, UiServer, uiCapability } from './ui.js';
import type { Workplaces } from './workplaces.js';

interface Method {
  readonly capability: keyof ServerCapabilities;
  /** The part of the capability that offers it, if the whole does not. */
  readonly feature?: string;
  readonly handler: Handler;
}

/** Who answers which method, and the capability that offers it. */
const methods: Readonly<Record<string, Method>> = {
  'tools/list': { capability: 'tools', handler: whole('tools', listTools) },
  'tools/call': { capability: 'tools', handler: call },
  'prompts/list': { capability: 'prompts', handler: whole('prompts', listPrompts) },
  'prompts/get': { capability: 'prompts', handler: get },
  'resources/list': { capability: 'resources', handler: whole('resources', listResources) },
  'resources/templates/list': { capability: 'resources', handler: whole('resources', listTemplates) },
  'resources/read': { capability: 'resources', handler: read },
  'resources/subscribe': { capability: 'resources', feature: 'subscribe', handler: subscribe },
  'resources/unsubscribe': { capability: 'resources', feature: 'subscribe', handler: unsubscribe },
  'completion/complete': { capability: 'completions', handler: complete },
  'logging/setLevel': { capability: 'logging', handler: setLogLevel },
  'tasks/get': ofTasks('getTask'),
  'tasks/update': ofTasks('updateTask'),
  'tasks/cancel': ofTasks('cancelTask'),
  'skills/list': ofSkills('listSkills'),
  'skills/get': ofSkills('getSkill'),
  'resources/directory/read': ofSkills('readDirectory'),
};

/** Few servers have tasks, and what answers for them is loaded for those. */
function ofTasks(name: keyof typeof import('./requests/tasks.js')): Method {
  return {
    capability: 'extensions',
    feature: tasksExtension,
    handler: async (...asked) => (await import('./requests/tasks.js'))[name](...asked),
  };
}

function ofSkills(name: 'listSkills' | 'getSkill' | 'readDirectory'): Method {
  return {
    capability: 'extensions',
    feature: skillsExtension,
    handler: async (connection, params, request) => {
      const { outstanding } = connection;
      // Skills that are still to come are resources, too.
      if (outstanding?.includes('skills')) await outstanding.forList('resources', request.mcpReq.signal);
      return await (await import('./requests/skills.js'))[name](connection, params);
    },
  };
}

/** What the SDK is told of params that it does not know. The handler looks at them. */
const anyParams = {
  '~standard': { version: 1 as const, vendor: 'agenttools', validate: (value: unknown) => ({ value }) },
};

/**
 * The method that speed is felt in. A handler that the SDK knows gets its params read twice and its result once more;
 * the front has checked the ones and `callTool` the other, so the SDK is not told of this handler.
 */
const hotMethod = 'tools/call';

/** What every connection of one served server shares. */
export interface Served {
  readonly calls: Calls;
  readonly toolOptions: Connection['toolOptions'];
  /** Who is told what changes. */
  readonly audience: Announcements;
  /** What the server still waits for; absent: nothing. */
  readonly outstanding?: Coming | undefined;
  /** Where it is kept in what places the clients work; absent: nobody else wants to know. */
  readonly workplaces?: Workplaces | undefined;
}

/**
 * Makes the SDK server that speaks for a composed server in one era. One that is made for a single request needs to know
 * only its method.
 */
export function createServer(
  { calls, toolOptions, audience, outstanding, workplaces }: Served,
  era: Era,
  onlyMethod?: string,
): Server {
  const { info, instructions, cache } = calls.server;
  const isWhole = !listedKinds.some((kind) => outstanding?.includes(kind));
  // Tools that are still to come may bring their apps along.
  const mayHaveUi = allowsUi(calls.env) && (calls.server.hasUi || (outstanding?.includes('tools') ?? false));
  const offered = capabilitiesOf(calls, { era, outstanding, withUi: mayHaveUi });
  const options = {
    capabilities: offered,
    ...(instructions !== undefined && { instructions }),
    // What may change any moment is not to be kept.
    ...(cache && isWhole && { cacheHints: listHints(cache, calls.server, mayHaveUi) }),
    supportedProtocolVersions: [...legacyVersions],
  };
  const server = mayHaveUi
    ? new UiServer(info as Implementation, options, {
        withUi: offered,
        withoutUi: capabilitiesOf(calls, { era, outstanding, withUi: false }),
        showsUi: declaresUi,
      })
    : new Server(info as Implementation, options);
  const waiting = isWhole && !outstanding?.isLasting ? undefined : outstanding;
  const connection: Connection = {
    era,
    server,
    calls,
    toolOptions,
    outstanding: waiting,
    shown: async (request, query) => {
      // Few handlers want to know.
      const { shownTo } = await import('./requests/shown.js');
      return await shownTo({ connection, request }, query);
    },
    announce: announcer({ calls, audience, mayChange: (kind) => offered[kind]?.listChanged === true }),
    session: era === 'legacy' ? openSession() : undefined,
    subscribed: new Set(),
    workplaces,
    root: undefined,
    logLevel: 'info',
  };
  const listener = listenerOf(server, era, connection.subscribed);
  audience.join(listener);
  server.onclose = () => {
    audience.leave(listener);
    workplaces?.forget(connection);
  };
  server.oninitialized = () => {
    if (!server.getClientCapabilities()?.roots) return;
    // Few clients have roots.
    void import('./interaction/roots.js').then(({ watchRoots }) => watchRoots(connection));
  };
  if (era === 'modern') honourOnly(server, (uri) => mayBeSubscribed(connection, uri));
  for (const [method, row] of Object.entries(methods)) {
    const { handler } = row;
    if (method === hotMethod || (onlyMethod !== undefined && method !== onlyMethod)) continue;
    if (!isOffered(row, offered)) continue;
    if (row.capability === 'extensions') {
      server.setRequestHandler(
        method,
        { params: anyParams },
        (params, request) => answer(handler, connection, params as Wire, request) as never,
      );
      continue;
    }
    server.setRequestHandler(
      method as 'tools/list',
      ({ params }, request) => answer(handler, connection, params, request) as never,
    );
  }
  // A list of a kind that this server does not have is empty, not unknown; the SDK ties handlers to capabilities.
  server.fallbackRequestHandler = async ({ method, params }, request) => {
    const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
    const isList = method.endsWith('/list') && row?.capability !== 'extensions';
    const isAnswered = method === hotMethod ? 'tools' in offered : isList;
    if (!row || !isAnswered) throw new ProtocolError(-32601, 'Method not found');
    return (await answer(row.handler, connection, params, request)) as Result;
  };
  return server;
}

function isOffered({ capability, feature }: Method, offered: ServerCapabilities): boolean {
  const held = offered[capability] as Wire | undefined;
  return feature === undefined ? held !== undefined : Boolean(held?.[feature]);
}

async function answer(
  handler: Handler,
  connection: Connection,
  params: Wire | undefined,
  request: ServerContext,
): Promise<Wire> {
  try {
    return await handler(connection, params ?? {}, request);
  } catch (error) {
    throw toProtocolError(error);
  }
}

/** `logging/setLevel`; an unknown level does not come this far. */
function setLogLevel(connection: Connection, { level }: Wire): Wire {
  connection.logLevel = logLevels.find((known) => known === level) ?? connection.logLevel;
  return {};
}

/** Answers with a list once it is whole, or cannot be waited for any longer. */
function whole(kind: ServedKind, handler: Handler): Handler {
  return (connection, params, request) => {
    const { outstanding } = connection;
    if (!outstanding) return handler(connection, params, request);
    // Apps come with their tools.
    const kinds = kind === 'resources' && showsUi(connection, request) ? [kind, 'tools' as const] : [kind];
    const ready = kinds.map((one) => outstanding.forList(one, request.mcpReq.signal));
    return Promise.all(ready).then(() => handler(connection, params, request));
  };
}

/** Capabilities by what there is, or is still to come; never more. */
function capabilitiesOf(
  { server: { registry, apps, skills, listHooks, upstreams } }: Calls,
  {
    era,
    outstanding,
    withUi,
  }: { readonly era: Era; readonly outstanding: Coming | undefined; readonly withUi: boolean },
): ServerCapabilities {
  const isComing = (kind: ServedKind): boolean =>
    outstanding?.includes(kind) || (kind === 'resources' && withUi && isComing('tools'));
  const isThere = (kind: ServedKind) =>
    kind === 'resources'
      ? skills.length > 0 ||
        (withUi && apps.size > 0) ||
        registry.all(kind).some((spec) => withUi || !isUiResource(spec))
      : registry.all(kind).length > 0 || (kind === 'tools' && upstreams.length > 0);
  const completes = [...registry.all('prompts'), ...registry.all('resources')].some(
    ({ complete }) => complete.size > 0,
  );
  /** Whether a list may be another one the next time. */
  const mayChange = (kind: ServedKind) =>
    isComing(kind) ||
    listHooks[kind] !== undefined ||
    (kind === 'tools' && upstreams.length > 0) ||
    (kind === 'tools' && withUi && registry.all(kind).some(({ ui }) => ui?.when !== undefined)) ||
    (kind === 'resources' && registry.all(kind).some(({ list }) => list !== undefined));
  const subscribable = registry.all('resources').filter((spec) => withUi || !isUiResource(spec));
  const maySubscribe = isComing('resources') || subscribable.some((spec) => spec.subscribable);
  const listed = listedKinds.flatMap((kind) => {
    if (!isComing(kind) && !isThere(kind)) return [];
    const listChanged = mayChange(kind) && { listChanged: true };
    return [[kind, { ...listChanged, ...(kind === 'resources' && maySubscribe && { subscribe: true }) }]];
  });
  // Tasks were something else before 2026-07-28.
  const hasTasks = era === 'modern' && (isComing('tools') || registry.all('tools').some(({ task }) => task));
  const extensions = {
    ...(withUi && uiCapability.extensions),
    ...(hasTasks && { [tasksExtension]: {} }),
    ...((skills.length > 0 || outstanding?.includes('skills')) && {
      [skillsExtension]: { directoryRead: true },
    }),
  };
  return {
    ...Object.fromEntries(listed),
    ...((completes || isComing('prompts') || isComing('resources')) && { completions: {} }),
    logging: {},
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
}

/** What clients that show UI are told is not for others; nor is what a hook picks for whoever asks. */
function listHints(
  { ttlMs, scope }: CacheHint,
  { listHooks, upstreams }: Calls['server'],
  mayHaveUi: boolean,
) {
  const hint = (varies: boolean): SdkCacheHint => ({ ttlMs, cacheScope: varies ? 'private' : scope });
  const resources = hint(mayHaveUi || listHooks.resources !== undefined);
  return {
    // Nobody knows how long an upstream server has the tools it has.
    ...(upstreams.length === 0 && { 'tools/list': hint(mayHaveUi || listHooks.tools !== undefined) }),
    'prompts/list': hint(listHooks.prompts !== undefined),
    'resources/list': resources,
    'resources/templates/list': resources,
    'server/discover': hint(mayHaveUi),
  };
}
