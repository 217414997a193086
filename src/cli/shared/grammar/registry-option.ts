/** Option of commands that ask the MCP Registry. */
export const registryOption = {
  flags: '--mcp-registry <url>',
  description:
    'base URL of the MCP Registry, or none; default: AGENTTOOLS_MCP_REGISTRY, else the official one',
} as const;
