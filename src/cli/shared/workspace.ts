import { type WorkspaceFolders, workspaceFolders } from '../../engine/base/folders.js';
import type { LoadCode } from '../../engine/extension/extension.js';
import { Workspace, type WorkspaceOptions } from '../../engine/extension/workspace.js';
import type { Host } from '../../host.js';

/** Opens the workspace that resolves names of extensions and items from the working directory. */
export function openWorkspace(host: Host, loadCode?: LoadCode): Workspace {
  return new Workspace({ ...workspaceOptions(host), ...(loadCode && { loadCode }) });
}

/** Folders in which the command looks for packages. */
export function workspaceOptions(host: Host): WorkspaceOptions & WorkspaceFolders {
  return { ...workspaceFolders(host), cwd: host.cwd };
}
