/** A legal name of a variable: `API_KEY` for `--api-key` and `Api-Key`. */
export function toVariableName(text: string): string {
  const name = text.replace(/^-+/, '').toUpperCase().replace(/\W/g, '_').replace(/^\d/, '_$&');
  return name === '' ? 'VALUE' : name;
}

/** True for variables of AgentTools in entries. The server does not get them. */
export function isOwnVariable(name: string): boolean {
  return /^(?:MCP_SERVER_NAME|MCP_TOOL_OPTIONS|MCP_APPS_ENABLED|MCP_TOOL_LIST|AGENTTOOLS_.*)$/.test(name);
}

/** The name, or its first form with a number that is free: `API_KEY_2`. */
export function freeVariableName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name}_${number}`;
  return free;
}
