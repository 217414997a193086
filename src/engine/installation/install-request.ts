import type { ItemChoices } from '../bridge/existing-resolver.js';
import type { Client, ClientEnvironment } from '../clients/client.js';
import type { Drafts } from '../clients/config-change.js';
import type { Receipts } from '../clients/receipts.js';
import type { ResolveDeps } from '../existing-servers/resolve-existing.js';
import type { InstallMissing } from '../extension/installer.js';
import type { WorkspaceOptions } from '../extension/workspace.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { Adapt } from '../runtime/adapt.js';
import type { SecretStore } from '../secrets/secret-store.js';
import type { InstallUser } from './ask-inputs.js';
import type { Scope } from './entry-target.js';
import type { InstallResult } from './install-result.js';
import type { NamedText } from './named-text.js';
import type { ServerVariable } from './secrets.js';
import type { ServerDeclaration } from './server-declaration.js';

/** Request to install a server into one or more clients. */
export interface InstallRequest {
  readonly clients: readonly Client[];
  readonly scope: Scope;
  /** Path, qualified name, built-in server, or reference of an existing server. */
  readonly reference: string;
  /** Key of the entry. Default: the server's key. */
  readonly name: string | undefined;
  readonly variables: readonly ServerVariable[];
  /** Words of `--arg` and `--header`, for existing servers. */
  readonly args: readonly string[];
  readonly headers: readonly string[];
  /** Command of an existing server, in place of a reference. */
  readonly command: readonly string[] | undefined;
  /** Transport of a remote server. Default: found out by asking. */
  readonly transport: 'http' | 'sse' | undefined;
  /** Chosen and renamed tools of an existing server; empty: all of them. */
  readonly choices: ItemChoices;
  /** Packages that may run their install scripts. */
  readonly allowScripts: readonly string[];
  /** Refuses a package without a verified provenance. */
  readonly requireProvenance: boolean;
  /** Codes of findings in texts that the user allows. */
  readonly allowFindings: readonly string[];
  /** Expected SHA-256 of a bundle; undefined: any. */
  readonly sha256: string | undefined;
  readonly toolOptions: readonly string[];
  /** True or false: UI apps are switched on or off. Default: the server shows them, and nothing is written. */
  readonly apps: boolean | undefined;
  /** `node`: this program by absolute paths; `npx`: this version from the registry. */
  readonly by: 'node' | 'npx';
  readonly cwd: string | undefined;
  /** Timeout for the answer of the server; undefined: the server is not started. */
  readonly verifyTimeoutMs: number | undefined;
  readonly force: boolean;
  /** True for an entry that runs `dev`, which serves changes of the files. */
  readonly dev: boolean;
  /** True for an entry with `--frozen`. */
  readonly frozen: boolean;
  /** Adaptation of tools to the client. Default: the choice of the server; none for direct entries of existing servers. */
  readonly adapt?: Adapt | undefined;
  /** Options of `start` for the sandbox; empty: the sandbox that the server declares. */
  readonly sandbox: readonly string[];
  readonly dryRun: boolean;
  /** Server set that declares the server. Default: none. */
  readonly set?: { readonly name: string; readonly declared: ServerDeclaration } | undefined;
  /** Given values that come from variables of the environment. Entries get references of the client instead. Default: none. */
  readonly named?: readonly NamedText[] | undefined;
  /** Accepts a surface that differs from its record. */
  readonly yes: boolean;
}

/** Dependencies for servers that are not extensions. */
interface ExistingServerDeps {
  /** Source of registries, credentials and proxies. */
  readonly npm: NpmDeps;
  readonly openRegistry: ResolveDeps['openRegistry'];
  /** Data folder with the npm servers and the unpacked bundles. */
  readonly dataFolder: string;
  readonly cacheFolder: string;
}

/** Dependencies of `install`. */
export interface InstallDeps {
  readonly workspace: WorkspaceOptions;
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
  /** Planned states of files, for a dry run of several installs. */
  readonly drafts?: Drafts | undefined;
  /** Command line of this program, for `node`. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly version: string;
  /** Data folder that entries must name; undefined: the default folder. */
  readonly dataFolder: string | undefined;
  readonly existing: ExistingServerDeps;
  readonly secrets: SecretStore;
  /** The user at a terminal; undefined: no terminal. */
  readonly user?: InstallUser | undefined;
  /** Reviews the planned changes before they are written. May reject, and then nothing is written. Default: no review. */
  readonly review?: ((planned: readonly InstallResult[]) => Promise<void>) | undefined;
  /** Installs missing packages; undefined: they stay missing. */
  readonly obtain: InstallMissing | undefined;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
  /** Prints a permanent line about an added package. */
  readonly report: (line: string) => void;
}
