import type { Host } from '../../host.js';
import { AgentToolsError } from '../errors.js';
import { DefinitionError } from '../extension/extension.js';
import type { Location } from '../extension/diagnostics.js';
import { Workspace } from '../extension/workspace.js';
import { workspaceFolders } from '../folders.js';
import { parseToolOptions } from '../items/call.js';
import { Initializers } from '../items/initialize.js';
import { composeServer, type LeftOut, type ServerSpec } from '../items/server.js';
import { killTree, watchEnds } from './ends.js';
import { createServer } from './factory.js';
import { installGuard } from './guard.js';
import { serveStdio } from './serve-stdio.js';

/** Served when neither an argument nor `MCP_SERVER_NAME` names a server. */
export const defaultServer = 'agenttools';

/** How long calls under way may go on after a signal; the official client kills 1 to 2 s after its own. */
const drainAfterSignalMs = 800;

export interface StartOptions {
  readonly server: string | undefined;
  /** Refuse to start when an item has to be left out. */
  readonly strict: boolean;
  readonly host: Host;
}

/**
 * Serves a server over stdio until its client has gone, then ends the process.
 * @throws AgentToolsError before anything is served.
 */
export async function startServer({ server, strict, host }: StartOptions): Promise<never> {
  const guard = installGuard({ stderr: host.stderr });
  const report = (line: string) => void host.stderr.write(`${line}\n`);
  const spec = await prepare({ server, host });
  for (const item of spec.leftOut) report(await leftOutLine(item));
  if (strict && spec.leftOut.length > 0) {
    throw new AgentToolsError('invalid-definition', `${spec.qualifiedName} is not complete, and --strict was given.`);
  }
  const served = {
    calls: { server: spec, initializers: new Initializers(), report },
    toolOptions: parseToolOptions(host.env.MCP_TOOL_OPTIONS, report),
  };
  const session = serveStdio({
    createServer: (era) => createServer(served, era),
    input: guard.stdin,
    output: guard.stdout,
    report,
  });
  watchEnds({ onEnd: () => void session.end({ drainMs: drainAfterSignalMs }) });
  await session.ended;
  await killTree({ spawned: guard.spawned });
  return guard.exit(0);
}

async function prepare({ server, host }: Pick<StartOptions, 'server' | 'host'>): Promise<ServerSpec> {
  const workspace = new Workspace({ ...workspaceFolders(host), cwd: host.cwd });
  const reference = server ?? host.env.MCP_SERVER_NAME ?? defaultServer;
  const found = await workspace.findServer(reference);
  return await composed(() => composeServer(found, workspace));
}

/** A server whose own definition is bad cannot be started. */
async function composed(compose: () => Promise<ServerSpec>): Promise<ServerSpec> {
  try {
    return await compose();
  } catch (error) {
    if (error instanceof DefinitionError) throw new AgentToolsError('invalid-definition', error.message);
    throw error;
  }
}

/** One line for an item that is left out: which, where, why. */
export async function leftOutLine({ item, extension, location, message }: LeftOut): Promise<string> {
  const name = item.includes('/') ? item : extension.qualify(item);
  return `left out: ${name} (${await placeOf(extension.manifest.directory, location)}): ${message}`;
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
