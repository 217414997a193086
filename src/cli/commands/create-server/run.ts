import { existsSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../../engine/base/value-checks.js';
import type { ItemChoices } from '../../../engine/bridge/existing-resolver.js';
import { type NamedReference, openExisting } from '../../../engine/bridge/open-existing.js';
import { upstreamRecordKey } from '../../../engine/existing-servers/existing-records.js';
import { withExistingHint } from '../../../engine/existing-servers/naming-hint.js';
import { type UpstreamRecord, UpstreamRecords } from '../../../engine/runtime/upstream-records.js';
import { createUserServer, type FindUpstreamFaults } from '../../../engine/user-servers/create.js';
import { readServerFile, readServerStream } from '../../../engine/user-servers/server-file.js';
import { type WrittenServer, writeUpstreamServer } from '../../../engine/wrapping/upstream-definition.js';
import type { Host } from '../../../host.js';
import { existingDeps, findExisting, givenOptions, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { commandWithServer } from '../../shared/grammar/target-options.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { refuseWithoutSource } from '../../shared/not-existing.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { writeNote } from '../../shared/write-note.js';
import { renderMadeServer, withoutNotes } from './text.js';

export interface CreateServerInput {
  readonly name: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly apps: readonly string[];
  readonly skills: readonly string[];
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  /** A file, a reference to an existing server, or `-` for stdin. */
  readonly from: string | undefined;
  /** Command of an existing server. */
  readonly command?: readonly string[] | undefined;
  /** Inputs of an existing server. */
  readonly existing: InputOptions;
  /** Chosen and renamed tools of an existing server. */
  readonly choices: ItemChoices;
  /** Starts or reaches the existing servers, and checks the names of their items. */
  readonly verify: boolean;
  readonly overwrite: boolean;
  readonly json: boolean;
}

/** Creates a user server and prints the next steps. */
export async function createServerCommand(input: CreateServerInput, host: Host): Promise<ExitCode> {
  const { from, command, existing, choices, json, verify, title, description, instructions, ...rest } = input;
  if (command && from !== undefined) throw commandWithServer(from);
  if (!command && from === undefined) refuseWithoutSource(existing.flags);
  const { values = {}, ...source } = await findDefinition(input, host);
  const made = await createUserServer(
    {
      ...rest,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(instructions !== undefined && { instructions }),
      ...source,
    },
    workspaceOptions(host),
    verify ? async (server) => await findFaults(server, values, host) : undefined,
  );
  for (const note of made.notes) writeNote(host, note);
  host.stdout.write(json ? renderJson(withoutNotes(made)) : renderMadeServer(made, { color: host.color }));
  return ExitCode.Ok;
}

/** Longest wait for the lists of existing servers, in milliseconds. A container may have to be downloaded. */
const verifyTimeoutMs = 60_000;

async function findFaults(
  server: Parameters<FindUpstreamFaults>[0],
  values: Readonly<Record<string, string>>,
  host: Host,
): Promise<readonly string[]> {
  const { findUpstreamFaults } = await import('../../../engine/preflight/verify-upstreams.js');
  return await runWithProgress(host, async (signal, tell) => {
    tell('Asking the existing servers');
    const env = { ...host.env, ...values };
    return await findUpstreamFaults(server, { env, timeoutMs: verifyTimeoutMs, signal });
  });
}

interface DefinitionSource extends Awaited<ReturnType<typeof readServerFile>> {
  /** Values of variables in the definition. */
  readonly values?: Readonly<Record<string, string>>;
  readonly lastItems?: UpstreamRecord | undefined;
}

async function findDefinition(
  { from, command, ...rest }: CreateServerInput,
  host: Host,
): Promise<Partial<DefinitionSource>> {
  if (from !== undefined) return await definitionIn(from, rest, host);
  const named = await findExisting(undefined, command, host);
  return named ? await existingDefinition(named, rest, host) : {};
}

async function definitionIn(
  from: string,
  { existing, choices }: Pick<CreateServerInput, 'existing' | 'choices'>,
  host: Host,
): Promise<DefinitionSource> {
  const { cwd, stdin } = host;
  const named = from === '-' ? undefined : await findReference(from, host);
  if (!named || (await isDefinition(from, cwd))) {
    refuseWithoutSource(existing.flags);
    if (from === '-') return await readServerStream(stdin, cwd);
    return await readServerFile(path.resolve(cwd, from)).catch((error: unknown) => {
      throw withExistingHint(error, from);
    });
  }
  return await existingDefinition(named, { existing, choices }, host);
}

async function existingDefinition(
  named: NamedReference,
  options: Pick<CreateServerInput, 'existing' | 'choices'>,
  host: Host,
): Promise<DefinitionSource> {
  const { definition, values, lastItems } = await writeDefinition(named, options, host);
  return { definition, values, lastItems, directory: host.cwd };
}

/** The existing server of `--from`. Another word that is a file is a definition. */
async function findReference(from: string, host: Host): Promise<NamedReference | undefined> {
  if (!mayBeExisting(from) && existsSync(path.resolve(host.cwd, from))) return undefined;
  return await findExisting(from, undefined, host);
}

/** Keys of files with existing servers. A definition has none of them. */
const foreignKeys = [
  'mcpServers',
  'servers',
  'context_servers',
  'mcp',
  'packages',
  'remotes',
  'server',
  'manifest_version',
  'dxt_version',
];

/** True for a JSON file with the definition of a server. */
async function isDefinition(from: string, cwd: string): Promise<boolean> {
  if (!from.endsWith('.json') || /^[a-z]{2,}:/i.test(from)) return false;
  const { definition } = await readServerFile(path.resolve(cwd, from));
  return !isRecord(definition) || !foreignKeys.some((key) => Object.hasOwn(definition, key));
}

async function writeDefinition(
  named: NamedReference,
  { existing, choices }: Pick<CreateServerInput, 'existing' | 'choices'>,
  host: Host,
): Promise<WrittenServer & Pick<DefinitionSource, 'lastItems'>> {
  const { transport, mcpRegistry } = existing;
  const given = givenOptions(existing, host);
  const note = (line: string) => writeNote(host, line);
  return await runWithProgress(host, async (signal, tell) => {
    const deps = existingDeps(host, { mcpRegistry, signal, report: note, tell });
    const server = await openExisting(named, deps, note);
    const written = await writeUpstreamServer(server, { given, choices, transport }, deps);
    const { variables, omitted } = written;
    if (variables.length > 0)
      note(`The server needs these variables where it starts: ${variables.join(', ')}`);
    if (omitted.length > 0) note(`Optional inputs without a value: ${omitted.join(', ')}`);
    const lastItems = new UpstreamRecords(deps.dataFolder).read(upstreamRecordKey(server));
    return { ...written, lastItems };
  });
}
