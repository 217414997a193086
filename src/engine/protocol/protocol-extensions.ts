/** The name of MCP Tasks among extensions. @see SEP-2663, Extension Identifier */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The name of MCP Skills among extensions. @see SEP-2640 */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** The client capability that tasks require. */
export const tasksCapability: string = `extensions.${tasksExtension}`;
