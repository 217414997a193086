import { AgentToolsError } from '../base/errors.js';
import { type Extension, importDefault } from '../extension/extension.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';

/** Tells how extensions are not what they were when they were added, a line for each difference. Runs none of their code. */
export type CheckDrift = (extensions: readonly Extension[]) => Promise<readonly string[]>;

/** Keeps a server to what it was. */
export interface DriftGuard {
  /** A workspace that loads code only of extensions that are what they were. */
  open(options: WorkspaceOptions): Workspace;
  /** Makes sure that extensions are what they were. @throws AgentToolsError `refused` */
  requireUnchanged(server: string, extensions: readonly Extension[]): Promise<void>;
}

export function createDriftGuard(checkDrift: CheckDrift): DriftGuard {
  const checkOnce = oncePerExtension(checkDrift);
  return {
    open: (options) => frozenWorkspace(options, checkOnce),
    requireUnchanged: (server, extensions) => requireUnchanged(server, extensions, checkOnce),
  };
}

/** Each definition in code asks about its whole package, whose files are not to be read again for each. */
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
