import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import type { ClientEnvironment, Launch } from '../clients/client.js';
import { toStartable } from '../clients/entry-shapes.js';
import { platformPaths } from '../clients/table/folders.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import { fillReferences, isThroughAgentTools } from '../installation/entry-inputs.js';
import type { ListedItem } from '../preflight/read-record.js';
import type { EntryPicture, Picture, Probe } from './picture.js';

export interface StartOptions {
  /** True to start entries that AgentTools did not write, too. */
  readonly isForeignStarted: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
  /** Earlier results, by launch. */
  readonly known: Map<string, Promise<Probe>>;
}

/** Most servers that run at once. */
const maxAtOnce = 4;

/** Starts the servers that may be started, each launch once, and asks them for their tools. */
export async function startServers(
  entries: readonly EntryPicture[],
  { surroundings, cwd, dataFolder }: Pick<Picture, 'surroundings' | 'cwd' | 'dataFolder'>,
  options: StartOptions,
): Promise<Picture['probes']> {
  const { isForeignStarted, tell, known, signal } = options;
  const probes = new Map<EntryPicture, Probe>();
  for (const entry of entries) {
    const reason = reasonAgainst(entry, { isForeignStarted, surroundings });
    if (reason !== undefined) probes.set(entry, { state: 'not started', reason });
  }
  const wanted = entries.filter((entry) => !probes.has(entry));
  let count = 0;
  await forEachLimited(wanted, maxAtOnce, async (entry) => {
    signal.throwIfAborted();
    tell(`Starting servers: ${++count} of ${wanted.length}, ${entry.config.client.name} "${entry.key}" …`);
    const name = JSON.stringify([entry.launch, entry.remote, entry.config.project]);
    const probe = known.get(name) ?? probeEntry(entry, { surroundings, cwd, dataFolder }, options);
    known.set(name, probe);
    probes.set(entry, await probe);
  });
  // In the order of the entries, not of the answers.
  return new Map(entries.map((entry) => [entry, probes.get(entry)!]));
}

/** Reason not to start a server; undefined if it may be started. */
function reasonAgainst(
  entry: EntryPicture,
  { isForeignStarted, surroundings }: Pick<StartOptions, 'isForeignStarted'> & Pick<Picture, 'surroundings'>,
): string | undefined {
  const { disabledBy, installed, launch, remote } = entry;
  if (disabledBy !== undefined) return `It is switched off by ${disabledBy}.`;
  if (!launch && !remote) return 'It has neither a program nor an address.';
  const wayOut = 'Add --start-foreign.';
  if (!installed && !isForeignStarted) return `AgentTools did not install it. ${wayOut}`;
  // An edited entry may start another program.
  if (installed?.state === 'edited' && !isForeignStarted) return `It was edited by hand. ${wayOut}`;
  if (installed?.state === 'server missing' && !isForeignStarted) return 'Its program or package is missing.';
  return canStart(entry, surroundings) ? undefined : 'Its program does not exist.';
}

/** Dead paths are separate findings. */
function canStart({ launch }: EntryPicture, { exists, platform }: ClientEnvironment): boolean {
  const { isAbsolute } = platformPaths({ platform });
  return (
    !launch || [launch.command, launch.args[0]].every((word) => !word || !isAbsolute(word) || exists(word))
  );
}

async function probeEntry(
  entry: EntryPicture,
  { surroundings, cwd, dataFolder }: Pick<Picture, 'surroundings' | 'cwd' | 'dataFolder'>,
  options: StartOptions,
): Promise<Probe> {
  const { env } = surroundings;
  const texts = entry.launch ? entry.launch.env : (entry.remote?.headers ?? {});
  const filled = fillReferences(texts, env);
  for (const reference of filled.missing.values())
    return { state: 'not started', reason: `It needs ${reference}, which only its client knows.` };
  try {
    return entry.launch
      ? await probeProgram(entry, filled.values, { surroundings, cwd, dataFolder }, options)
      : await probeRemote(entry, filled.values, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof AgentToolsError) return { state: 'failed', reason: error.message };
    throw error;
  }
}

async function probeProgram(
  { launch, config }: EntryPicture,
  variables: Readonly<Record<string, string>>,
  { surroundings, dataFolder }: Pick<Picture, 'surroundings' | 'cwd' | 'dataFolder'>,
  { timeoutMs, signal }: StartOptions,
): Promise<Probe> {
  const { env, home, platform } = surroundings;
  const { desktopEnvironment, verifyServer } = await import('../preflight/verify-server.js');
  const { command, args } = toStartable(launch!, platform);
  const child = {
    command,
    args,
    cwd: launch!.cwd ?? config.project ?? home,
    env: { ...desktopEnvironment(env, { platform, command }), ...variables },
  };
  const verify = async (more: Readonly<Record<string, string>>) =>
    await verifyServer({ ...child, env: { ...child.env, ...more } }, { timeoutMs, signal });
  if (!isFrozen(launch!)) {
    const { items, absences } = await verify({});
    return { state: 'answers', tools: toolsOf(items), absences };
  }
  // The server then shows everything, and not only the recorded items.
  const { withSurfaceFile } = await import('../surface/surface-file.js');
  const { result, surface } = await withSurfaceFile(verify);
  const { SurfaceRecords } = await import('../surface/surface-records.js');
  const changes = surface ? ((await new SurfaceRecords(dataFolder).compare(surface)) ?? null) : null;
  return { state: 'answers', tools: toolsOf(result.items), absences: result.absences, changes };
}

/** True for an entry with the option of `agenttools start`. */
function isFrozen({ args }: Launch): boolean {
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  return isThroughAgentTools(args) && options.some((word) => /^--frozen(?:=|$)/.test(word));
}

async function probeRemote(
  { remote }: EntryPicture,
  headers: Readonly<Record<string, string>>,
  { timeoutMs, signal }: StartOptions,
): Promise<Probe> {
  const { verifyRemote } = await import('../preflight/verify-remote.js');
  const { url, transport } = remote!;
  const { wantsSignIn, items = [] } = await verifyRemote({ url, headers, transport }, { timeoutMs, signal });
  // Clients keep their sign-ins to themselves.
  if (wantsSignIn) return { state: 'not started', reason: 'It wants the sign-in of its client.' };
  return { state: 'answers', tools: toolsOf(items), absences: [] };
}

function toolsOf(items: readonly ListedItem[]): readonly ListedTool[] {
  return items.flatMap(({ kind, value }) => (kind === 'tool' ? [value as ListedTool] : []));
}
