import { type WorkspaceFolders, workspaceFolders } from '../engine/base/folders.js';
import type { LoadCode } from '../engine/extension/extension.js';
import { Workspace, type WorkspaceOptions } from '../engine/extension/workspace.js';
import type { Host } from '../host.js';

/** Names to extensions and items, as they are to be understood where the command runs. */
export function openWorkspace(host: Host, loadCode?: LoadCode): Workspace {
  return new Workspace({ ...workspaceOptions(host), ...(loadCode && { loadCode }) });
}

/** Where packages are looked for when the command runs. */
export function workspaceOptions(host: Host): WorkspaceOptions & WorkspaceFolders {
  return { ...workspaceFolders(host), cwd: host.cwd };
}
