import process from 'node:process';
import type { Writable } from 'node:stream';
import type { Host } from '../../host.js';
import { AgentToolsError } from '../errors.js';
import type { Location } from '../extension/diagnostics.js';
import { DefinitionError } from '../extension/extension.js';
import { type FoundServer, serverName, Workspace } from '../extension/workspace.js';
import { workspaceFolders } from '../folders.js';
import { Initializers } from '../items/initialize.js';
import { composeServer, type LeftOut, type ServerSpec } from '../items/server.js';
import { parseToolOptions } from '../items/tool-options.js';
import { visibleText } from '../visible-text.js';
import { createServer } from './factory.js';
import { killTree, watchEnds } from './process/ends.js';
import { installGuard } from './process/guard.js';
import { type StdioSession, serveStdio } from './stdio/serve-stdio.js';

/** Served when neither an argument nor `MCP_SERVER_NAME` names a server. */
const defaultServer = 'agenttools';

/** How long calls under way may go on after a signal; the official client kills 1 to 2 s after its own. */
const drainAfterSignalMs = 800;

/** How long the last words may take to reach who reads stderr, if anybody does. */
const lastWordsMs = 500;

export interface StartOptions {
  readonly server: string | undefined;
  /** Refuse to start when an item has to be left out. */
  readonly strict: boolean;
  /** Look in the project at the working directory, whoever wrote the command line; not unless told. */
  readonly project?: boolean;
  readonly host: Host;
}

interface Preparation extends StartOptions {
  readonly report: (line: string) => void;
}

/**
 * Serves a server over stdio until its client has gone, then ends the process.
 * @throws AgentToolsError before anything is served.
 */
export async function startServer(options: StartOptions): Promise<never> {
  const { host } = options;
  const guard = installGuard({ stderr: host.stderr });
  const report = (line: string) => void host.stderr.write(`${line}\n`);
  const leave = async (): Promise<never> => {
    await killTree({ spawned: guard.spawned });
    await lastWords(host.stderr);
    return guard.exit(0);
  };
  let session: StdioSession | undefined;
  const stopWatching = watchEnds({
    onEnd: () => void (session?.end({ drainMs: drainAfterSignalMs }) ?? leave()),
  });
  const spec = await prepare({ ...options, report }).catch(async (error) => {
    stopWatching();
    await killTree({ spawned: guard.spawned });
    guard.restore();
    throw error;
  });
  const served = {
    calls: { server: spec, initializers: new Initializers(), env: host.env, report },
    toolOptions: parseToolOptions(host.env.MCP_TOOL_OPTIONS, report),
  };
  session = serveStdio({
    createServer: (era) => createServer(served, era),
    input: guard.stdin,
    output: guard.stdout,
    report,
  });
  await session.ended;
  return await leave();
}

async function prepare({ server, strict, project = false, host, report }: Preparation): Promise<ServerSpec> {
  const { found, workspace } = await findServer({ server, project, host });
  const spec = await composed(found, workspace);
  for (const item of spec.leftOut) report(await leftOutLine(item));
  if (strict && spec.leftOut.length > 0) {
    throw new AgentToolsError(
      'invalid-definition',
      `${spec.qualifiedName} is not complete, and --strict was given.`,
    );
  }
  return spec;
}

interface Finding {
  readonly found: FoundServer;
  readonly workspace: Workspace;
}

/** The server that is meant, and where what it refers to is looked for. */
async function findServer({ server, project, host }: Omit<StartOptions, 'strict'>): Promise<Finding> {
  const named = host.env.MCP_SERVER_NAME || undefined;
  const options = { ...workspaceFolders(host), cwd: host.cwd };
  if (!project && server !== undefined && named !== undefined) {
    // An entry that `install` wrote says the server twice; it means what was verified then, wherever the client runs.
    const workspace = new Workspace({ ...options, ignoreProject: true });
    const finding = workspace.findServer(server);
    if (server === named) return { found: await finding, workspace };
    const found = await finding.catch(() => undefined);
    if (found && serverName(found) === named) return { found, workspace };
  }
  const workspace = new Workspace(options);
  return { found: await workspace.findServer(server ?? named ?? defaultServer), workspace };
}

/** A server whose own definition is bad cannot be started. */
async function composed(found: FoundServer, workspace: Workspace): Promise<ServerSpec> {
  try {
    return await composeServer(found, workspace);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const place = await placeOf(found.extension.manifest.directory, error.location);
    throw new AgentToolsError('invalid-definition', `${place}: ${oneLine(error.message)}`);
  }
}

/** Waits until what was printed and reported has left this process, for as long as that may take. */
async function lastWords(stderr: Writable): Promise<void> {
  const limit = new Promise<void>((resolve) => void setTimeout(resolve, lastWordsMs).unref());
  await Promise.race([limit, written(process.stdout).then(() => written(stderr))]);
}

async function written(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}

/** One line for an item that is left out: which, where, why. */
export async function leftOutLine({ item, extension, location, message }: LeftOut): Promise<string> {
  const name = item.includes('/') ? item : extension.qualify(item);
  return `left out: ${name} (${await placeOf(extension.manifest.directory, location)}): ${oneLine(message)}`;
}

/** What an extension threw may be several lines long. */
function oneLine(message: string): string {
  return visibleText(message.trim().replace(/\s*[\r\n]+\s*/g, ' '));
}

/** `file:line` of a location; the line is looked up in the file. */
async function placeOf(directory: string, { file, path, key, position }: Location): Promise<string> {
  if (position) return `${file}:${position.line}`;
  if (!path || !/\.jsonc?$/.test(file)) return file;
  const { readFile } = await import('node:fs/promises');
  const { positionsIn } = await import('../files/json-text.js');
  const text = await readFile(`${directory}/${file}`, 'utf8').catch(() => undefined);
  return text === undefined ? file : `${file}:${positionsIn(text)(path, { key: key ?? false }).line}`;
}
