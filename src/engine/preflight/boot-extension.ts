import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { tellingLine } from '../base/telling-line.js';
import { errorMessage } from '../base/thrown-value.js';
import type { Diagnostic, Location } from '../extension/diagnostics.js';
import type { Manifest } from '../extension/manifest.js';
import { isPackageName, qualify, shortName } from '../extension/names.js';
import { parseInitializeFaults } from '../live/initialize-faults.js';
import { listFaultsIn, parseAbsences, parseMissingNames } from '../live/list-faults.js';
import { withShortWait } from '../live/upstream-wait.js';
import type { ModelSurface } from '../surface/model-surface.js';
import { withSurfaceFile } from '../surface/surface-file.js';
import { type ChildServer, ChildTransport } from '../upstream/child-transport.js';
import { initializing } from './verify-server.js';

/** A server slower than this to its first answer is reported; impatient clients give up after ten seconds. */
const slowStartMs = 3000;

/** Longest time for an idle server to exit after its client disconnects. */
const bootExitTimeoutMs = 5000;

/** Most characters of a server's stderr that are read, from its beginning. */
const maxStderr = 1_000_000;

export interface BootOptions {
  /** The program and its first arguments; `start <server>` follows. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
  /** True if `initialize` hooks of the servers and their tools run. */
  readonly initializes: boolean;
}

/** Result of starting all servers of an extension. */
export interface BootReport {
  readonly diagnostics: readonly Diagnostic[];
  /** Everything that the servers list, by their names in the manifest. */
  readonly surfaces: readonly { readonly server: string; readonly surface: ModelSurface }[];
}

/** Version negotiation of the official client, by era. */
const eras = [
  { name: '2025-11-25', versionNegotiation: { mode: 'legacy' } },
  { name: '2026-07-28', versionNegotiation: { mode: { pin: '2026-07-28' } } },
] as const;

/**
 * Starts every server of an extension as a client would and speaks both eras of MCP to it: handshake, all lists, end.
 * Yields `boot-failed`, `impure-stdout`, `slow-start` and `initialize-failed`, and the items that the servers list.
 */
export async function bootExtension(manifest: Manifest, options: BootOptions): Promise<BootReport> {
  const declared = manifest.declarations.servers.map(({ name }) => name);
  const servers = declared.length > 0 ? declared : [shortName(manifest.packageName)];
  const found: Diagnostic[] = [];
  const surfaces: { server: string; surface: ModelSurface }[] = [];
  for (const server of servers) {
    const about = {
      item: { kind: 'server', name: server },
      location: findServerLocation(manifest, server),
    } as const;
    const { result, surface } = await withSurfaceFile((variables) =>
      bootServer(manifest, server, { ...options, env: { ...options.env, ...variables } }),
    );
    for (const { tool, ...diagnostic } of result) {
      // Several servers may have one tool.
      if (tool !== undefined && found.some(({ message }) => message === diagnostic.message)) continue;
      const place = tool === undefined ? about : toolPlace(manifest, tool, about);
      found.push({ ...diagnostic, ...place });
    }
    if (surface) surfaces.push({ server, surface: surface.surface });
  }
  return { diagnostics: found, surfaces };
}

function findServerLocation(manifest: Manifest, server: string): Location {
  const declaration = manifest.declarations.servers.find(({ name }) => name === server);
  return { file: manifest.document.file, path: declaration?.path ?? manifest.base };
}

type Place = Pick<Diagnostic, 'item' | 'location'>;

/** Location of a tool of the extension; else `server`, the location of the server that uses it. */
function toolPlace(manifest: Manifest, tool: string, server: Place): Place {
  const { packageName, declarations, document } = manifest;
  const own = declarations.tools.find(({ name }) => qualify(packageName, name) === tool);
  if (!own) return server;
  return { item: { kind: 'tool', name: own.name }, location: { file: document.file, path: own.path } };
}

interface BootFinding extends Pick<Diagnostic, 'code' | 'severity' | 'message'> {
  /** The finding is about one list; others may have findings too. */
  readonly isOfList?: true;
  /** Qualified name of the tool that it is about. Absent: the server. */
  readonly tool?: string;
}

async function bootServer(
  manifest: Manifest,
  server: string,
  options: BootOptions,
): Promise<readonly Omit<BootFinding, 'isOfList'>[]> {
  const { reference, cwd = options.cwd } = serverLocator(manifest, server);
  // Another rule reports missing packages. Their installation takes time and shows nothing about this package.
  const env = withShortWait({ ...options.env, AGENTTOOLS_AUTO_INSTALL: 'false' });
  const child: ChildServer = { ...options, cwd, env, args: [...options.args, 'start', reference] };
  const findings = new Map<string, BootFinding>();
  const within = options.initializes ? initializing(options.timeoutMs * 0.8) : {};
  for (const [index, era] of eras.entries()) {
    // The hooks run once.
    const started = index === 0 ? { ...child, env: { ...child.env, ...within } } : child;
    for (const finding of await checkServer(server, era, started, options.timeoutMs)) {
      const key = finding.isOfList || finding.tool ? finding.message : finding.code;
      if (!findings.has(key)) findings.set(key, finding);
    }
  }
  return [...findings.values()].map(({ isOfList: _, ...finding }) => finding);
}

/**
 * Returns an unambiguous reference to a server: `<package folder>/<server>` might be another package. A qualified name
 * is looked up in the package at the working directory first.
 */
function serverLocator(
  { directory, packageName, declarations }: Manifest,
  server: string,
): { readonly reference: string; readonly cwd?: string } {
  if (declarations.servers.length === 0) return { reference: directory };
  if (!isPackageName(packageName)) return { reference: path.join(directory, server) };
  return { reference: qualify(packageName, server), cwd: directory };
}

async function checkServer(
  server: string,
  { name: era, versionNegotiation }: (typeof eras)[number],
  child: ChildServer,
  timeoutMs: number,
): Promise<readonly BootFinding[]> {
  const findings: BootFinding[] = [];
  const failed = (message: string) => findings.push({ code: 'boot-failed', severity: 'error', message });
  const transport = new ChildTransport(child);
  let said = '';
  transport.ontext = (text) => {
    said = (said + text).slice(0, maxStderr);
  };
  const client = new Client({ name: 'agenttools-validate', version: '1.0.0' }, { versionNegotiation });
  const started = performance.now();
  let listed = 0;
  try {
    await client.connect(transport, { timeout: timeoutMs });
    const readyMs = performance.now() - started;
    listed = await askForLists(client, timeoutMs);
    if (readyMs > slowStartMs) {
      const message = `Server "${server}" took ${(readyMs / 1000).toFixed(1)} s to its first answer. Clients may give up: do slow work in "initialize" or at the first call.`;
      findings.push({ code: 'slow-start', severity: 'warning', message });
    }
  } catch (error) {
    failed(
      `Server "${server}" does not answer a client of ${era}: ${errorMessage(error)}.${failureLine(transport.stderr)}`,
    );
  }
  await client.close().catch(() => {});
  await transport.close();
  const ending = await stopServer(transport);
  if (!ending)
    failed(`Server "${server}" was still running ${bootExitTimeoutMs / 1000} s after its client had gone.`);
  else if (ending.code !== 0 && findings.length === 0) {
    const how = ending.signal ? `was ended by ${ending.signal}` : `exited with code ${ending.code}`;
    failed(
      `Server "${server}" ${how} when its client had gone; it must exit with 0.${failureLine(transport.stderr)}`,
    );
  }
  for (const fault of listFaultsIn(said)) {
    const message = `Server "${server}" has faulty lists: ${fault}`;
    findings.push({ code: 'boot-failed', severity: 'error', message, isOfList: true });
  }
  for (const absence of parseAbsences(said)) {
    const message = `Server "${server}" lists no tools of an existing server. ${absence}`;
    // A variable and a slow download are no faults of the package, unless nothing is left without them.
    const severity = listed > 0 && needsMore.test(absence) ? 'warning' : 'error';
    findings.push({ code: 'boot-failed', severity, message, isOfList: true });
  }
  for (const missing of parseMissingNames(said)) {
    const message = `Server "${server}" chooses an item that does not exist. ${missing} Correct the name in "only", "except" or "rename".`;
    findings.push({ code: 'boot-failed', severity: 'error', message, isOfList: true });
  }
  for (const { kind, item, reason, isLate } of parseInitializeFaults(said)) {
    const what = `"initialize" of ${kind} "${kind === 'tool' ? item : server}"`;
    findings.push({
      code: 'initialize-failed',
      severity: isLate ? 'warning' : 'error',
      message: isLate ? `${what} has not ended: it ${reason}.` : `${what} failed: ${reason}`,
      ...(kind === 'tool' && { tool: item }),
    });
  }
  const [impure] = transport.impureLines;
  if (impure !== undefined) {
    const message = `Server "${server}" wrote something to stdout that is not MCP: ${JSON.stringify(impure)}. Clients fail on it; write to stderr.`;
    findings.push({ code: 'impure-stdout', severity: 'error', message });
  }
  return findings;
}

/** Absences of upstream servers that another environment may not have: for lack of a variable, or of time. */
const needsMore = /needs the environment variable \S+, which is not set|is not available yet: /;

/**
 * Requests every list that the server declares; the client checks each answer against the protocol. Returns the number of
 * items.
 */
async function askForLists(client: Client, timeout: number): Promise<number> {
  const has = client.getServerCapabilities() ?? {};
  const tools = has.tools ? (await client.listTools({}, { timeout })).tools : [];
  const prompts = has.prompts ? (await client.listPrompts({}, { timeout })).prompts : [];
  if (!has.resources) return tools.length + prompts.length;
  const { resources } = await client.listResources({}, { timeout });
  const { resourceTemplates } = await client.listResourceTemplates({}, { timeout });
  return tools.length + prompts.length + resources.length + resourceTemplates.length;
}

/** Waits for the process to end; kills it if it does not. */
async function stopServer(transport: ChildTransport) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), bootExitTimeoutMs);
  });
  const ending = await Promise.race([transport.ended, late]);
  clearTimeout(timer);
  if (!ending) transport.kill();
  return ending;
}

/** The line of stderr that explains a failure, as the end of a message. */
function failureLine(stderr: string): string {
  const line = tellingLine(stderr);
  return line ? ` It wrote to stderr: ${line}` : '';
}
