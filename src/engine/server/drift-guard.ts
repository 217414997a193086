import { AgentToolsError } from '../base/errors.js';
import { type Extension, importDefault } from '../extension/extension.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';

/** Returns the differences of extensions from their state at `add`, one line each. Runs none of their code. */
export type CheckDrift = (extensions: readonly Extension[]) => Promise<readonly string[]>;

/** Refuses packages that have changed since they were added. */
export interface DriftGuard {
  /** Opens a workspace that loads code only from unchanged extensions. */
  open(options: WorkspaceOptions): Workspace;
  /** Requires that extensions are unchanged. @throws AgentToolsError `refused` */
  requireUnchanged(server: string, extensions: readonly Extension[]): Promise<void>;
}

export function createDriftGuard(checkDrift: CheckDrift): DriftGuard {
  const checkOnce = oncePerExtension(checkDrift);
  return {
    open: (options) => frozenWorkspace(options, checkOnce),
    requireUnchanged: (server, extensions) => requireUnchanged(server, extensions, checkOnce),
  };
}

/** Checks each package once, since each of its definitions in code requests a check of the whole package. */
function oncePerExtension(checkDrift: CheckDrift): CheckDrift {
  const known = new Map<Extension, Promise<readonly string[]>>();
  const check = (extension: Extension) => {
    const checking = known.get(extension) ?? checkDrift([extension]);
    known.set(extension, checking);
    return checking;
  };
  return async (extensions) => (await Promise.all(extensions.map(check))).flat();
}

function frozenWorkspace(options: WorkspaceOptions, checkDrift: CheckDrift): Workspace {
  const workspace: Workspace = new Workspace({
    ...options,
    async loadCode(file, relative) {
      const extension = await workspace.open(file.slice(0, -relative.length - 1));
      const [difference] = await checkDrift([extension]);
      if (difference !== undefined) throw new Error(difference);
      return await (options.loadCode ?? importDefault)(file, relative);
    },
  });
  return workspace;
}

async function requireUnchanged(
  server: string,
  extensions: readonly Extension[],
  checkDrift: CheckDrift,
): Promise<void> {
  const differences = await checkDrift(extensions);
  if (differences.length === 0) return;
  const lines = differences.map((line) => `\n  ${line}`).join('');
  throw new AgentToolsError(
    'refused',
    `${server} is not served, since --frozen was given and not all of it is as it was added:${lines}`,
  );
}
