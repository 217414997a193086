import type { Client, ClientEnvironment } from '../clients/client.js';
import type { Receipts } from '../clients/receipts.js';
import type { InstallMissing } from '../extension/installer.js';
import type { WorkspaceOptions } from '../extension/workspace.js';
import type { Scope } from './entry-target.js';
import type { ServerVariable } from './secrets.js';

/** A server for each kind of client. */
export type ServersByKind = Readonly<Record<Client['kind'], string>>;

/** One server for one or more clients, or one by the kind of each. */
export interface InstallRequest {
  readonly clients: readonly Client[];
  readonly scope: Scope;
  /** A path, a qualified name or a built-in server; of several, the one for each kind of client. */
  readonly reference: string | ServersByKind;
  /** Key of the entry; the server's own when absent. */
  readonly name: string | undefined;
  readonly variables: readonly ServerVariable[];
  readonly toolOptions: readonly string[];
  readonly apps: boolean;
  /** `node`: this very program by absolute paths; `npx`: this version of it from the registry. */
  readonly by: 'node' | 'npx';
  readonly cwd: string | undefined;
  /** Longest time the server may take to answer; undefined: it is not started. */
  readonly verifyTimeoutMs: number | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** What the flow stands on. */
export interface InstallDeps {
  readonly workspace: WorkspaceOptions;
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
  /** How this program runs, for `node`. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly version: string;
  /** A data folder other than the usual one, which entries must name. */
  readonly dataFolder: string | undefined;
  /** Gets packages that are not here; undefined: they stay missing. */
  readonly obtain: InstallMissing | undefined;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
  /** Takes a line that stays, about packages that were added. */
  readonly report: (line: string) => void;
}
