import path from 'node:path';
import { autocomplete, confirm, multiselect, select } from '@clack/prompts';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { shellWord } from '../../../engine/base/shell-word.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { listServers } from '../../../engine/discovery/list-servers.js';
import type { ListedServer } from '../../../engine/discovery/listed-server.js';
import { hasPlace } from '../../../engine/installation/entry-target.js';
import type { InstallResult } from '../../../engine/installation/install-result.js';
import { installationFolders, selectClients } from '../../../engine/installation/installation-folders.js';
import { PackageStore } from '../../../engine/packages/package-store.js';
import type { Host } from '../../../host.js';
import type { TargetInput } from '../../shared/grammar/target-options.js';
import { registryAddress } from '../../shared/mcp-registry.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { withProgress } from '../../shared/progress.js';
import { answer, interrupted, openTerminal, type Terminal } from '../../shared/terminal-prompts.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { installDiff, installLines } from './text.js';

/** Answers of the user. */
export interface Walk {
  /** Ids of clients, with commas. */
  readonly client: string;
  readonly server: string | undefined;
  readonly project: string | undefined;
}

/** Values of the command line that need no question. */
export interface WalkInput {
  readonly project: string | undefined;
  readonly mcpRegistry: string | undefined;
  /** True if words after `--` are the server. */
  readonly hasCommand: boolean;
}

/**
 * Asks for the server and the clients, and for the scope where there is a choice. Writes nothing.
 * @throws AgentToolsError `interrupted` at Ctrl+C, Escape and Ctrl+D; `not-found` without any client
 */
export async function walkThrough(input: WalkInput, host: Host): Promise<Walk> {
  const terminal = openTerminal(host);
  const folders = installationFolders(host);
  const options = { client: undefined, project: undefined, config: undefined, all: true };
  const { clients } = await selectClients(options, { scope: { kind: 'user' }, ...folders });
  const server = input.hasCommand ? undefined : await pickServer(input, host, terminal);
  const chosen = await answer(
    multiselect<string>({
      message: 'Into which clients? Space selects, Enter goes on',
      options: clients.map(({ id, name }) => ({ value: id, label: name, hint: id })),
      required: true,
      ...terminal,
    }),
  );
  const project = { kind: 'project', folder: host.cwd } as const;
  const hasChoice =
    input.project === undefined &&
    host.cwd !== host.home &&
    clients
      .filter(({ id }) => chosen.includes(id))
      .every((one) => hasPlace(one, project, folders.surroundings));
  const scope = hasChoice
    ? await answer(
        select<string | undefined>({
          message: 'For which projects?',
          options: [
            { value: undefined, label: 'All of them', hint: 'your own config files' },
            { value: '.', label: 'This folder', hint: host.cwd },
          ],
          ...terminal,
        }),
      )
    : input.project;
  return { client: chosen.join(','), server, project: scope };
}

/** Shows the planned changes, and asks for consent, if there are any. @throws AgentToolsError `interrupted` without it */
export async function reviewInstall(planned: readonly InstallResult[], host: Host): Promise<void> {
  const isChange = (result: InstallResult) => 'outcome' in result && result.outcome !== 'unchanged';
  // The report without a question follows.
  if (!planned.some(isChange)) return;
  host.stderr.write(installDiff(planned));
  host.stderr.write(installLines(planned, { dryRun: true, verified: true, absent: undefined }));
  const isAccepted = await answer(
    confirm({ message: 'Write this?', initialValue: true, ...openTerminal(host) }),
  );
  if (!isAccepted) throw interrupted();
}

/** The command line that does the same without questions. */
export function sameCommand({ client = '', server, project }: Pick<TargetInput, keyof Walk>): string {
  const words = ['install', client, ...(server === undefined ? [] : [server])].map(shellWord);
  const scope = project === undefined ? '' : ' --project';
  const rest = server === undefined ? ' -- <command…>' : '';
  return `The same without questions: agenttools ${words.join(' ')}${scope}${rest}\n`;
}

/** Removes the packages that an interrupted installation has added. */
export async function withoutLeftovers<T>(work: () => Promise<T>, host: Host): Promise<T> {
  const store = new PackageStore(workspaceFolders(host).packagesFolder);
  const before = new Set((await store.all()).map(({ name }) => name));
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgentToolsError && error.code === 'interrupted')) throw error;
    const added = (await store.all()).filter(({ name }) => !before.has(name));
    if (added.length > 0)
      await store.exclusively(async () => {
        for (const one of added) await store.delete(one);
      });
    throw error;
  }
}

/** An answer to the question for the server: a name, or words to search for. */
type ServerAnswer = { readonly server: string } | { readonly words: string };

async function pickServer({ mcpRegistry }: WalkInput, host: Host, terminal: Terminal): Promise<string> {
  const folders = workspaceOptions(host);
  let { servers } = await listServers({ folders, builtIn: true });
  let message = 'Which server? Type to search';
  for (;;) {
    const picked = await answer(askServer(message, servers, terminal));
    if ('server' in picked) return picked.server;
    const { words } = picked;
    const remote = { npm: npmSetting(host), mcpRegistry: registryAddress(mcpRegistry, host) };
    const found = await withProgress(host, (tell) =>
      listServers({ folders, pattern: `*${words}*`, builtIn: true, remote: { ...remote, tell } }),
    );
    servers = found.servers;
    message = visibleText(`${servers.length} servers for "${words}". Type to search again`);
    for (const note of servers.length === 0 ? found.notes : []) host.stderr.write(visibleText(`${note}\n`));
  }
}

function askServer(
  message: string,
  servers: readonly ListedServer[],
  terminal: Terminal,
): Promise<ServerAnswer | symbol> {
  const listed = servers.map(({ name, description, source, location }) => ({
    // Entries search no project for names.
    value: { server: source === 'project' && location ? path.join(location, name.split('/').at(-1)!) : name },
    label: visibleText(name),
    hint: visibleText(`${source}${description ? `, ${description.slice(0, 60)}` : ''}`),
  }));
  return autocomplete<ServerAnswer>({
    message,
    maxItems: 10,
    placeholder: 'a name, or words',
    options() {
      const words = this.userInput.trim();
      const has = (text: string) =>
        words.split(/\s+/).every((word) => text.toLowerCase().includes(word.toLowerCase()));
      const named = listed.filter(({ label }) => has(label));
      const described = listed.filter(({ label, hint }) => !has(label) && has(`${label} ${hint}`));
      const matches = [...named, ...described];
      if (words === '') return matches;
      // A path, an address or a prefix such as npm:.
      const asNamed = { value: { server: words }, label: `Take ${words} as it is` };
      const search = { value: { words }, label: `Search npm and the MCP Registry for "${words}"` };
      return /[:/.]/.test(words) ? [...matches, asNamed, search] : [...matches, search];
    },
    ...terminal,
  });
}
