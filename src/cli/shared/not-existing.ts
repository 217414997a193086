import { AgentToolsError } from '../../engine/base/errors.js';
import { joinNames } from '../../engine/base/join-names.js';

/** A command that refuses options of existing servers. */
interface RefusingCommand {
  /** Name of the command. */
  readonly command: string;
  /** The server of an extension, as the command line names it; undefined: it names none. */
  readonly server: string | undefined;
}

/** Rejects options that only existing servers take. @throws AgentToolsError `usage` if `flags` are not empty */
export function refuseExistingFlags(flags: readonly string[], { command, server }: RefusingCommand): void {
  if (flags.length === 0) return;
  const what = server ? `"${server}"` : 'the server of an extension';
  throw new AgentToolsError(
    'usage',
    `${forExisting(flags)}, and ${command} gets ${what}. Leave ${them(flags)} out, or name an existing server such as npm:@acme/mcp or https://example.com/mcp.`,
  );
}

/** Rejects these options where only `--from` names an existing server. @throws AgentToolsError `usage` if `flags` are not empty */
export function refuseWithoutSource(flags: readonly string[]): void {
  if (flags.length === 0) return;
  throw new AgentToolsError(
    'usage',
    `${forExisting(flags)}. Leave ${them(flags)} out, or name one, such as --from npm:@acme/mcp or --from https://example.com/mcp.`,
  );
}

function forExisting(flags: readonly string[]): string {
  return `${joinNames(flags)} ${flags.length === 1 ? 'is' : 'are'} for existing MCP servers`;
}

function them(flags: readonly string[]): string {
  return flags.length === 1 ? 'it' : 'them';
}
