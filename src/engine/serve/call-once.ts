import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { DefinitionError } from '../extension/extension.js';
import type { InstallMissing } from '../extension/installer.js';
import type { FoundServer, Workspace } from '../extension/workspace.js';
import { toJsonValue } from '../interaction/handler-context.js';
import { HandlerInput } from '../interaction/input-scope.js';
import { type InputUser, TerminalInputScope } from '../interaction/terminal-input.js';
import { LiveServer } from '../live/live-server.js';
import { brands, isBranded } from '../runtime/authoring-symbols.js';
import { callTool } from '../runtime/call-tool.js';
import { composeServer, type Servable, type ServerSpec } from '../runtime/compose-server.js';
import type { LogLevel } from '../runtime/context.js';
import { composeWithInstall, type InstalledServer } from '../runtime/install-missing.js';
import { callNestedTool } from '../runtime/nested-call.js';
import { MissingCapabilityError } from '../runtime/requirements.js';
import { error as failure, type ProtocolError, type ToolResult } from '../runtime/result-builders.js';
import type { MakeContext } from '../runtime/server-runtime.js';
import type { ToolSpec } from '../runtime/specs.js';
import type { CallDeadline } from '../runtime/time-limit.js';
import { readToolListVariables } from '../runtime/tool-list-setting.js';
import { findToolOptions, parseToolOptions } from '../runtime/tool-options.js';
import { openUpstreamsWith } from '../server/open-upstreams.js';
import type { HubOptions } from '../upstream/upstream-hub.js';

export type { InputUser };

/** The use of a server without a client. */
export interface ServerUse {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes lines for stderr: progress, log messages, faults. */
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
  /** Answers input requests. Absent: none can be answered. */
  readonly person?: InputUser | undefined;
  /** The sign-ins to remote servers. Default: none. */
  readonly signIns?: HubOptions['signIns'];
  /** Signs the user in to a remote server. Default: no sign-in. */
  readonly signIn?: HubOptions['signIn'];
  /** Installs missing packages of the server if the tool is not found. Default: installs nothing. */
  readonly obtain?: InstallMissing | undefined;
  /** Folder of the records of upstream servers. Default: no records. */
  readonly dataFolder?: string | undefined;
}

/** One tool call without a client. */
export interface CallOnce extends ServerUse {
  /** Wire name, or item name if no tool has that wire name. */
  readonly tool: string;
  /** The arguments, or a function that returns them for the input schema of the tool. */
  readonly args: ToolArguments | ((inputSchema: unknown) => ToolArguments);
}

type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * Calls one tool of a server in this process, without a client. A user at the terminal may answer input requests.
 * @throws AgentToolsError if there is no such tool, or the call fails with a protocol error.
 */
export async function callOnce(
  found: FoundServer,
  workspace: Workspace,
  call: CallOnce,
): Promise<ToolResult> {
  return await callComposed(composeFound(found, workspace, call), call);
}

/** Returns a function that composes the server of a package. */
export function composeFound(
  found: FoundServer,
  workspace: Workspace,
  { env, report }: Pick<ServerUse, 'env' | 'report'>,
): () => Promise<ServerSpec> {
  const choices = readToolListVariables(env, report);
  return () =>
    composeServer(found, workspace, choices).catch((error) => {
      if (error instanceof DefinitionError) throw new AgentToolsError('invalid-definition', error.message);
      throw error;
    });
}

/** Calls one tool of a composed server, as {@link callOnce} does. @throws AgentToolsError */
export async function callComposed(
  compose: () => Promise<ServerSpec>,
  { tool: name, args, ...use }: CallOnce,
): Promise<ToolResult> {
  const { report, signal, person, obtain, dataFolder } = use;
  return await withServer(compose, use, async (live, { server, over }) => {
    const find = async () => await live.find('tools', () => findTool(live.current, name), signal);
    const refuse = ({ leftOut }: ServerSpec) =>
      noTool(live.current, name, { leftOut, absences: live.reasons('tools') });
    let tool = await find();
    if (!tool && obtain) {
      const obtained = await composeWithInstall(compose, { obtain, dryRun: false, signal, report });
      await live.replace({ server: obtained.spec });
      tool = await find();
      if (!tool) throw explainNotInstalled(obtained, name) ?? refuse(obtained.spec);
    }
    if (!tool) throw refuse(server);
    const conversation = new TerminalInputScope(person, over);
    const given = typeof args === 'function' ? args(tool.wire.inputSchema) : args;
    const result = await callTool(tool, given, {
      calls: live.calls,
      signal,
      makeContext: contextsWithoutClient(live, { conversation }),
    });
    if (dataFolder !== undefined) await waitForLists(live, signal);
    return result;
  }).catch((error: unknown) => {
    if (error instanceof MissingCapabilityError) return failure(error.message);
    if (isBranded(error, brands.protocolError)) throw protocolFailure(error as ProtocolError);
    throw error;
  });
}

/**
 * The tools of a composed server, without the hidden ones.
 * @throws AgentToolsError if packages or upstream servers are missing
 */
export async function listTools(
  compose: () => Promise<ServerSpec>,
  use: ServerUse,
): Promise<readonly ToolSpec[]> {
  const { report, signal, obtain } = use;
  return await withServer(compose, use, async (live, { server, note }) => {
    let { leftOut } = server;
    if (obtain && leftOut.some(({ missingPackage }) => missingPackage !== undefined)) {
      const obtained = await composeWithInstall(compose, { obtain, dryRun: false, signal, report });
      await live.replace({ server: obtained.spec });
      ({ leftOut } = obtained.spec);
    }
    await live.ready('tools', signal);
    const { items: tools } = live.current.registry.list('tools', { pageSize: Number.MAX_SAFE_INTEGER });
    const skipped = leftOut.filter(({ kind }) => kind === 'tools').map(({ message }) => message);
    const absences = [...skipped, ...live.reasons('tools')];
    if (tools.length === 0 && absences.length > 0) throw new AgentToolsError('failed', absences.join('\n'));
    for (const absence of absences) note(absence);
    return tools;
  });
}

/** Runs a server in this process while the work uses it. */
async function withServer<T>(
  compose: () => Promise<ServerSpec>,
  { env, report, signal, dataFolder, signIns, signIn }: ServerUse,
  work: (
    live: LiveServer,
    run: {
      readonly server: ServerSpec;
      /** Aborts at the end of the work, too. */
      readonly over: AbortSignal;
      /** Reports a line that upstream servers then need not report. */
      readonly note: (line: string) => void;
    },
  ) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const calling = { env, signal: AbortSignal.any([signal, over.signal]) };
  const server = await compose();
  // Held back until the end: the error, or the list, may have the same lines.
  const held = new Set<string>();
  const openUpstreams = openUpstreamsWith({
    ...calling,
    report: (line) => void held.add(line),
    patience: unlimitedWait,
    isOnce: true,
    signIns,
    signIn,
    ...(dataFolder !== undefined && { dataFolder }),
  });
  const live = await LiveServer.open({ server, env, report, openUpstreams });
  let reported = '';
  const note = (line: string) => {
    reported += `${line}\n`;
    report(line);
  };
  try {
    return await work(live, { server, over: calling.signal, note });
  } catch (error) {
    if (error instanceof Error) reported += error.message;
    throw error;
  } finally {
    over.abort();
    await live.close();
    for (const line of held) if (!reported.includes(line)) report(line);
  }
}

/** Longest wait for lists that only the record of a call needs, in milliseconds. */
const recordWaitMs = 1000;

/** Waits for the lists of upstream servers, which were requested before the call. Never rejects. */
async function waitForLists(live: LiveServer, signal: AbortSignal): Promise<void> {
  if (live.current.upstreams.length === 0) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(recordWaitMs)]);
  await Promise.allSettled((['prompts', 'resources'] as const).map((kind) => live.ready(kind, enough)));
}

/** The call waits for an upstream server as long as its start may take. */
const unlimitedWait = { waitMs: 2 ** 31 - 1, waitAgainMs: 2 ** 31 - 1 };

/** Converts a protocol error, which becomes the cause. */
function protocolFailure(error: ProtocolError): AgentToolsError {
  const message = `${error.message} (JSON-RPC error ${error.code})`;
  return new AgentToolsError('failed', message, { cause: error });
}

function findTool({ registry }: Servable, name: string): ToolSpec | undefined {
  return (
    registry.resolve('tools', name) ??
    registry
      .all('tools')
      .find(({ item, definition }) => definition.kind === 'tools' && [item, definition.item].includes(name))
  );
}

/** Explains a missing tool by the failed installation of its package, or of any package if its own is unknown. */
function explainNotInstalled({ spec, failures }: InstalledServer, name: string): AgentToolsError | undefined {
  const { leftOut, qualifiedName } = spec;
  const own = leftOut.filter(({ kind, item }) => kind === 'tools' && isCalled(item, name));
  const packages = own.length > 0 ? own.map(({ missingPackage }) => missingPackage) : [...failures.keys()];
  const reasons = packages.flatMap((one) => (one === undefined ? [] : (failures.get(one) ?? [])));
  if (reasons.length === 0) return undefined;
  const message = `${qualifiedName} has no tool "${name}". ${[...new Set(reasons)].join('\n')}`;
  return new AgentToolsError('failed', message);
}

/** True if an entry of a server's list seems to mean an item of this name; the item itself is not available. */
function isCalled(item: string, name: string): boolean {
  return item === name || item.endsWith(`/${name}`);
}

function noTool(
  { registry, qualifiedName }: Servable,
  name: string,
  { leftOut, absences }: { readonly leftOut: ServerSpec['leftOut']; readonly absences: readonly string[] },
): AgentToolsError {
  const reason = leftOut.find(({ kind, item }) => kind === 'tools' && isCalled(item, name))?.message;
  const names = registry.all('tools').map((one) => one.name);
  const meant = didYouMean(name, names);
  const hint = reason ?? (meant ? `Did you mean "${meant}"?` : `Its tools: ${names.join(', ') || 'none'}.`);
  const message = [`${qualifiedName} has no tool "${name}".`, hint, ...absences].join(' ');
  return new AgentToolsError('not-found', message);
}

/** Position of a call among nested calls. */
interface TerminalCallContext {
  /** Takes the input requests of its handlers. */
  readonly conversation: TerminalInputScope;
  /** Number of calls between this one and the requested one. Default: 0. */
  readonly depth?: number;
  /** Prefix of its input request keys. */
  readonly prefix?: string;
  /** Deadlines of the calls around it. */
  readonly outer?: readonly CallDeadline[];
}

/** Creates handler contexts for calls without a client. */
function contextsWithoutClient(
  live: LiveServer,
  { conversation, depth = 0, prefix = '', outer = [] }: TerminalCallContext,
): MakeContext {
  const { calls } = live;
  const { server, env, report } = calls;
  const toolOptions = parseToolOptions(env.MCP_TOOL_OPTIONS, depth === 0 ? report : () => {});
  const logLine = (level: LogLevel) => (data: unknown) =>
    report(`${level}: ${typeof data === 'string' ? data : JSON.stringify(toJsonValue(data))}`);
  return (limit, tool) => {
    const limits = [...outer, limit];
    const what = tool ? `Tool "${tool.name}"` : 'This';
    const can = (capability: string) => conversation.can(capability);
    const speaker = new HandlerInput(conversation, { prefix, limits, what, can, note: logLine('info') });
    return {
      signal: limit.signal,
      progress: (progress, { total, message } = {}) =>
        report(
          `progress: ${progress}${total === undefined ? '' : ` of ${total}`}${message ? ` ${message}` : ''}`,
        ),
      log: {
        debug: () => {},
        info: logLine('info'),
        notice: logLine('notice'),
        warning: logLine('warning'),
        error: logLine('error'),
      },
      options: tool ? findToolOptions(tool, toolOptions) : {},
      client: { name: undefined, version: undefined, capabilities: {} },
      can,
      ui: false,
      registry: {
        ...server.registry.forHandlers,
        shown: async (query) => {
          // Waits for pending tools, as a list request does.
          await live.ready('tools', limit.signal);
          return await live.current.registry.forHandlers.shown(query);
        },
      },
      callTool: (...call) => {
        const inner = { conversation, prefix: speaker.nextPrefix(), outer: limits };
        const makeContext = contextsWithoutClient(live, { ...inner, depth: depth + 1 });
        return speaker.outcome(callNestedTool({ calls, limit, depth, makeContext }, ...call));
      },
      ...speaker.interaction(),
      root: undefined,
      session: undefined,
      auth: undefined,
      meta: {},
      notifyChanged: () => {},
      notifyResourceUpdated: () => {},
      closeStream: () => {},
      beginTask: () => {},
      locals: {},
      protocolVersion: 'none',
      requestId: undefined,
      server: { name: server.info.name, version: server.info.version },
      ...(tool && { tool: { name: tool.name } }),
    };
  };
}
