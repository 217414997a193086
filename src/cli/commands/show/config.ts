import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { install } from '../../../engine/installation/install.js';
import type { InstallResult } from '../../../engine/installation/install-result.js';
import { installationFolders, namedClients } from '../../../engine/installation/installation-folders.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { installDeps } from '../../shared/install-deps.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';

interface ConfigInput {
  readonly reference: string;
  readonly command?: readonly string[] | undefined;
  readonly property: string | undefined;
  readonly mcpRegistry: string | undefined;
  readonly client?: string | undefined;
  readonly json: boolean;
}

/**
 * Prints the config of a client that has only this server. Starts nothing and writes nothing.
 * @throws AgentToolsError `usage` if the property or the client is missing
 */
export async function showConfig(input: ConfigInput, host: Host): Promise<ExitCode> {
  const { reference, command, property, mcpRegistry, json } = input;
  if (property?.toLowerCase() !== 'config') throw usage('--client needs the property config.');
  const folders = installationFolders(host);
  const { clients } =
    namedClients({ client: input.client, project: undefined, config: undefined, all: false }) ?? {};
  const [client] = clients ?? [];
  if (!client || clients!.length > 1) throw usage('config needs one client.');
  // A file that does not exist, so that the planned file has no other entries.
  const file = path.join(workspaceFolders(host).dataFolder, `${randomUUID()}.config`);
  const [result] = await runWithProgress(host, (signal, tell) =>
    install(
      {
        ...{ clients: [client], scope: { kind: 'config', file }, reference: command?.join(' ') ?? reference },
        ...{ command, name: undefined, cwd: undefined, transport: undefined, sha256: undefined },
        ...{ variables: [], args: [], headers: [], choices: {}, toolOptions: [], sandbox: [] },
        ...{ allowScripts: [], allowFindings: [], requireProvenance: false, verifyTimeoutMs: undefined },
        ...{ apps: true, by: 'node', force: false, dev: false, frozen: false, dryRun: true, yes: false },
      },
      installDeps(host, {
        ...{ folders, mcpRegistry, yes: false, autoInstall: false, allowFindings: [] },
        ...{ requireProvenance: false, signal, tell },
      }),
    ),
  );
  const { key, text } = readSnippet(result!);
  host.stdout.write(json ? renderJson({ client: client.id, key, snippet: text }) : visibleText(text));
  return ExitCode.Ok;
}

function readSnippet(result: InstallResult): { readonly key: string; readonly text: string } {
  if ('error' in result) throw result.error;
  const text = 'after' in result ? result.after : result.snippet;
  if (typeof text === 'string') return { key: result.key, text };
  const { name, manual } = result.client;
  throw new AgentToolsError('failed', `${name} has no config to paste. ${manual?.instructions ?? ''}`.trim());
}

function usage(message: string): AgentToolsError {
  return new AgentToolsError(
    'usage',
    `${message} Write, for example: agenttools show <reference> config --client cursor`,
  );
}
