import type { Launch } from '../clients/client.js';

export interface LaunchRequest {
  /** What `start` is given. */
  readonly argument: string;
  readonly qualifiedName: string;
  /** `node`: this very program by absolute paths; `npx`: this version of it from the registry. */
  readonly by: 'node' | 'npx';
  /** How this program runs, for `node`. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly version: string;
  readonly inProject: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly toolOptions: Readonly<Record<string, unknown>>;
  readonly apps: boolean;
  readonly cwd: string | undefined;
  /** A data folder other than the usual one. */
  readonly dataFolder: string | undefined;
}

/** What a client is to run. Clients with a window have no shell's PATH, so by default every path is absolute. */
export function launchOf(request: LaunchRequest): Launch {
  const { argument, qualifiedName, by, program, version, inProject, cwd } = request;
  const start = ['start', ...(inProject ? ['--project'] : []), argument];
  const { MCP_SERVER_NAME: _, ...given } = request.env;
  const env = {
    MCP_SERVER_NAME: qualifiedName,
    ...(!request.apps && { MCP_APPS_ENABLED: 'false' }),
    ...(Object.keys(request.toolOptions).length > 0 && {
      MCP_TOOL_OPTIONS: JSON.stringify(request.toolOptions),
    }),
    ...(request.dataFolder !== undefined && { AGENTTOOLS_HOME: request.dataFolder }),
    ...given,
  };
  const command = by === 'npx' ? 'npx' : program.command;
  const args = by === 'npx' ? ['-y', `agenttools@${version}`, ...start] : [...program.args, ...start];
  return { command, args, env, ...(cwd !== undefined && { cwd }) };
}
