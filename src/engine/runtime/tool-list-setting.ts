import type { ToolList } from './compose-server.js';

/** The tool list that the user wants: `AGENTTOOLS_TOOL_LIST`. */
export function readToolListVariable(
  { AGENTTOOLS_TOOL_LIST: wanted }: Readonly<Record<string, string | undefined>>,
  report: (line: string) => void,
): ToolList | undefined {
  if (!wanted) return undefined;
  if (wanted === 'all' || wanted === 'catalog') return wanted;
  report(`AGENTTOOLS_TOOL_LIST is "${wanted}" and is ignored. Expected "all" or "catalog".`);
  return undefined;
}
