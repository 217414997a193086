import type { Command } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { isSandboxLevel } from '../../../engine/sandbox/levels.js';
import type { Host } from '../../../host.js';
import { strongest } from './sandbox-options.js';

/** Target files of a command, from its arguments. */
export interface TargetInput {
  /** A client, or a list with commas. Undefined with `--all`, and with `--config` if the client is guessed from the file. */
  readonly client: string | undefined;
  readonly server: string | undefined;
  /** Folder of the project config file. */
  readonly project: string | undefined;
  readonly config: string | undefined;
  readonly all: boolean;
}

/** Options that select the target file. */
const placeOptions = [
  {
    flags: '--project [folder]',
    description: "the project's own file, in this folder or the one given as --project=<folder>",
  },
  { flags: '--config <file>', description: 'this very file; the client is guessed from it' },
  { flags: '--client <client>', description: 'client of the --config file' },
  { flags: '--all', description: 'all installed clients' },
] as const;

/** Adds the options that select the target file. */
export function addPlaceOptions(command: Command): Command {
  for (const { flags, description } of placeOptions) command.option(flags, description);
  return command;
}

/** Parsed values of these options. */
export interface TargetFlags {
  readonly project?: string;
  readonly config?: string;
  readonly client?: string;
  readonly all?: boolean;
}

/**
 * Expands `--project`, `--adapt` and `--sandbox` without a value: such options would consume the next word, a client or a
 * server. A value follows "=", and a level of `--sandbox` may also be the next word. `--project` of `start` has no value.
 */
export function expandOptionalValues(argv: readonly string[]): readonly string[] {
  const servesProject = ['start', 'dev'].includes(argv.find((word) => !word.startsWith('-')) ?? '');
  const end = argv.indexOf('--');
  return argv.flatMap((word, index) => {
    if (end !== -1 && index >= end) return word;
    if (word === '--adapt') return '--adapt=on';
    if (word === '--inspect' || word === '--inspect-brk') return `${word}=9229`;
    const hasLevel = isSandboxLevel(argv[index + 1]);
    if (word === '--sandbox') return hasLevel ? [] : `--sandbox=${strongest}`;
    if (argv[index - 1] === '--sandbox' && isSandboxLevel(word)) return `--sandbox=${word}`;
    return word === '--project' && !servesProject ? '--project=.' : word;
  });
}

/**
 * Reads the target from two arguments; with `--config` and `--all` the first one is the server.
 * @throws AgentToolsError `usage`
 */
export async function placeInput(
  [first, second]: readonly [string | undefined, string | undefined],
  options: TargetFlags,
  host?: Host,
): Promise<TargetInput> {
  const { project, config, client, all = false } = options;
  requireOnePlace(options);
  if (config === undefined && !all) {
    if (first === undefined) throw await missingClient(host);
    if (second === undefined && looksLikeServer.test(first))
      throw usage(`"${first}" is no client. The client comes before the server: <client> ${first}`);
    return { client: first, server: second, project, config, all };
  }
  if (second !== undefined) {
    const which = all ? '--all selects every client' : '--config takes its client from --client';
    const message = `${which}, so only a server may follow, but there are two words: ${first}, ${second}.`;
    throw usage(message);
  }
  if (config !== undefined && client === undefined && first !== undefined && (await isClient(first))) {
    const message = `"${first}" is a client. With --config, name the client with --client: --config ${config} --client ${first}`;
    throw usage(message);
  }
  return { client, server: first, project, config, all };
}

/** Paths, qualified names, and references such as `npm:name`. Names of clients have none of these characters. */
const looksLikeServer = /[:/\\@]|^\.+$/;

function requireOnePlace({ project, config, client, all = false }: TargetFlags): void {
  if (config !== undefined && (all || project !== undefined))
    throw usage('--config names one file; it goes neither with --project nor with --all.');
  if (client?.includes(','))
    throw usage('--client names one client, because the --config file belongs to one.');
  if (client !== undefined && config === undefined)
    throw usage('--client requires --config. Without --config, the client is the first word.');
}

/** A command line without a client. Lists the clients of a machine. */
async function missingClient(host: Host | undefined): Promise<AgentToolsError> {
  const advice = 'Name one of list-clients, or give --all or --config <file>.';
  if (!host) return usage(`Which client? ${advice}`);
  const [{ clients }, { isDetected }, { installationFolders }] = await Promise.all([
    import('../../../engine/clients/table/index.js'),
    import('../../../engine/clients/detect-client.js'),
    import('../../../engine/installation/installation-folders.js'),
  ]);
  const { surroundings } = installationFolders(host);
  const found = clients.filter((client) => isDetected(client, surroundings)).map(({ id }) => id);
  const here = found.length === 0 ? '' : ` Found on this machine: ${found.join(', ')}.`;
  return usage(`Which client?${here} ${advice}`);
}

/** A command line that names the server twice. */
export function commandWithServer(server: string): AgentToolsError {
  return usage(`The server is the command after "--", so "${server}" before it has no meaning.`);
}

/** Loads the client table on first use. */
async function isClient(word: string): Promise<boolean> {
  const { clients } = await import('../../../engine/clients/table/index.js');
  const bare = (name: string) => name.toLowerCase().replace(/[ -]/g, '');
  return clients.some(({ id, aliases }) => [id, ...aliases].some((name) => bare(name) === bare(word)));
}

function usage(message: string): AgentToolsError {
  return new AgentToolsError('usage', message);
}
