import { workspaceFolders } from '../../../engine/base/folders.js';
import { shortenText } from '../../../engine/base/visible-text.js';
import { listServers } from '../../../engine/discovery/list-servers.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { registryAddress } from '../../shared/mcp-registry.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { withProgress } from '../../shared/progress.js';
import { terminalWidth } from '../../shared/terminal-width.js';
import { renderJson } from '../../shared/text/json.js';
import { writeNote } from '../../shared/write-note.js';
import { renderServers, serverData } from './text.js';

export interface ListServersInput {
  readonly pattern: string | undefined;
  readonly builtIn: boolean;
  readonly remote: boolean;
  readonly refresh: boolean;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  readonly json: boolean;
}

/** Lists installed servers, and on request published servers of the npm registry and the MCP Registry. */
export async function listServersCommand(input: ListServersInput, host: Host): Promise<ExitCode> {
  const { pattern, builtIn, remote, refresh, mcpRegistry, json } = input;
  const { cwd, color } = host;
  const { servers, notes } = await withProgress(host, (tell) =>
    listServers({
      folders: { ...workspaceFolders(host), cwd },
      pattern,
      builtIn,
      remote: remote
        ? { npm: npmSetting(host), refresh, mcpRegistry: registryAddress(mcpRegistry, host), tell }
        : undefined,
    }),
  );
  for (const note of notes) writeNote(host, shortenText(note, longestNote));
  host.stdout.write(
    json
      ? renderJson(servers.map(serverData))
      : renderServers(servers, { ...input, color, width: terminalWidth(host.stdout) }),
  );
  return ExitCode.Ok;
}

/** Longest note, in characters. Notes quote texts of packages and the registry. */
const longestNote = 2000;
