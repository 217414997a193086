import type { Host } from '../../host.js';
import { AgentToolsError } from '../base/errors.js';
import { type FolderFacts, workspaceFolders } from '../base/folders.js';
import { checkSandbox } from '../extension/check-sandbox.js';
import { declaredSandbox, type WrittenSandbox } from '../extension/declared-sandbox.js';
import { describeFault } from '../extension/describe-fault.js';
import { type FoundServer, serverName } from '../extension/workspace.js';
import { type SandboxLevel, strongestLevel } from '../sandbox/levels.js';
import type { SandboxPermissions } from '../sandbox/permissions.js';
import type { Sandbox } from '../sandbox/sandbox.js';

/** The choice of the user. */
export interface SandboxChoice {
  /** `declared`: if the server declares a sandbox. */
  readonly use: 'always' | 'declared' | 'never';
  /** Default: the strongest one. */
  readonly level?: SandboxLevel | undefined;
  /** Permissions in addition to the declared ones. Default: none. */
  readonly allowed?: SandboxPermissions;
}

interface SandboxSetting {
  readonly host: Pick<Host, 'cwd' | 'env' | 'home' | 'platform'>;
  /** True if code runs in this process. */
  readonly inProcess: boolean;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** The sandbox of one server. It is opened once, before any code of the server runs. */
export class ServerSandbox {
  readonly #choice: SandboxChoice;
  readonly #setting: SandboxSetting;
  #opening: Promise<Sandbox | undefined> | undefined;
  #sandbox: Sandbox | undefined;

  constructor(choice: SandboxChoice | undefined, setting: SandboxSetting) {
    this.#choice = choice ?? { use: 'never' };
    this.#setting = setting;
  }

  /** Undefined if the server runs without one. */
  get current(): Sandbox | undefined {
    return this.#sandbox;
  }

  /**
   * Opens the sandbox of a server that was found, before its definitions are read.
   * @throws AgentToolsError if it cannot be enforced here
   */
  readonly openFor = async (found: FoundServer): Promise<void> => {
    this.#opening ??= this.#openFor(found);
    await this.#opening;
  };

  /** Opens the sandbox of an existing server. @throws AgentToolsError if it cannot be enforced here */
  async openForExisting(): Promise<void> {
    const { use, allowed } = this.#choice;
    if (use !== 'always') return;
    const { noPermissions } = await import('../sandbox/permissions.js');
    await this.#open(allowed ?? noPermissions, []);
  }

  async #openFor(found: FoundServer): Promise<Sandbox | undefined> {
    const { use, allowed } = this.#choice;
    if (use === 'never') return undefined;
    const declared = await checkedSandbox(found);
    if (use === 'declared' && declared === undefined) return undefined;
    if (this.#setting.inProcess) {
      const message = `--in-process runs code of ${serverName(found)} in this process, which no sandbox limits. Leave it out, or add --no-sandbox.`;
      throw new AgentToolsError('usage', message);
    }
    const { host } = this.#setting;
    const { directory } = found.extension.manifest;
    const [{ mergePermissions, noPermissions, readPermissions }, { codeFolders }] = await Promise.all([
      import('../sandbox/permissions.js'),
      import('../sandbox/code-folders.js'),
    ]);
    const own = readPermissions(declared ?? {}, { base: directory, home: host.home });
    return await this.#open(
      mergePermissions(own, allowed ?? noPermissions),
      codeFolders(directory, facts(host)),
    );
  }

  async #open(permissions: SandboxPermissions, code: readonly string[]): Promise<Sandbox> {
    const { host, report } = this.#setting;
    const { openSandbox } = await import('../sandbox/open-sandbox.js');
    const { home, platform, env } = host;
    const { dataFolder } = workspaceFolders(facts(host));
    const { level = strongestLevel } = this.#choice;
    const sandbox = await openSandbox({ level, permissions, code, home, dataFolder, platform, env, report });
    report(`sandbox: ${sandbox.means}.`);
    this.#sandbox = sandbox;
    return sandbox;
  }

  /** Removes its private files. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    await this.#sandbox?.close();
  }
}

function facts({ cwd, env, home, platform }: SandboxSetting['host']): FolderFacts {
  return { cwd, env, home, platform };
}

/** The checked sandbox of a server; undefined if it declares none. @throws AgentToolsError if it is malformed */
async function checkedSandbox({ extension, server }: FoundServer): Promise<WrittenSandbox | undefined> {
  if (server === undefined) return undefined;
  const written = await declaredSandbox(extension, server);
  if (written === undefined) return undefined;
  const [fault] = checkSandbox(written, ['sandbox']);
  if (!fault) return written as WrittenSandbox;
  const what = `Server "${server}" of ${extension.name}`;
  throw new AgentToolsError('invalid-definition', describeFault(what, fault));
}
