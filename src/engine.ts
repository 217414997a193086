/** The engine as functions, for programs that do what the command line does. */

export { callOnce } from './engine/call-once.js';
export { AgentToolsError, type ErrorCode } from './engine/errors.js';
export { Workspace, type WorkspaceOptions } from './engine/extension/workspace.js';
export { composeServer, type ServerSpec } from './engine/items/server.js';
export { startServer } from './engine/server/start.js';
export type { Host } from './host.js';
