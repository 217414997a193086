/** Base URL of the official MCP Registry. `--mcp-registry` and `AGENTTOOLS_MCP_REGISTRY` name another one. */
export const officialRegistry = 'https://registry.modelcontextprotocol.io';
