import type { Client, Launch, RemoteLaunch } from '../clients/client.js';
import type { ListedItem } from '../preflight/read-record.js';
import type { Adapt } from '../runtime/adapt.js';
import type { ToolOptionValues } from '../runtime/tool-options.js';
import type { UpstreamRecord } from '../runtime/upstream-records.js';
import type { TextFinding } from '../text-checks/text-findings.js';
import type { ServerVariable } from './secrets.js';

/** A server to install, independent of the client: of an extension, or an existing one. */
export interface InstallSource {
  /** As the user named it. */
  readonly reference: string;
  /** Qualified name, or the reference with the exact version. */
  readonly server: string;
  /** Reference that leads to the server from any folder. */
  readonly argument: string;
  readonly isExisting: boolean;
  /** `extension`, or the source of an existing server. */
  readonly kind: string;
  /** Exact version; undefined: the source has none. */
  readonly version: string | undefined;
  /** Servers of one family may replace each other. */
  readonly family: string | undefined;
  /** True if no other machine can start the server by its name. */
  readonly isOnlyHere: boolean;
  /** Packages that may run their install scripts. */
  readonly allowedScripts?: readonly string[];
  /** Folder with the package or the bundle of an existing server, if it has one. */
  readonly folder?: string;
  readonly launch: Launch | RemoteLaunch;
  /** True if the launch is `agenttools start`. */
  readonly isOurs: boolean;
  /** The same server through `agenttools start`; undefined for extensions, which always run so. */
  readonly bridge?: BridgedParts;
  /** Records the facts of an existing server, for its start through AgentTools and for `list-servers`. */
  readonly record?: () => Promise<void>;
  /** Records the items of an existing server, for `show` and `list-servers`. */
  readonly recordItems?: (record: UpstreamRecord) => Promise<void>;
  /** Names of headers with secrets, for a remote server. */
  readonly secretHeaders: readonly string[];
  /** Names of declared secrets in the arguments or the URL. */
  readonly secretArguments: readonly string[];
  /** True if given values refer to stored secrets, which only AgentTools can read. */
  readonly usesStore?: boolean;
  /** Set if the server wants a sign-in. */
  readonly signIn?: { readonly server: string; readonly isSignedIn: boolean };
  /** Variables in the launch that the user has given or the server declares. */
  readonly variables: readonly ServerVariable[];
  readonly toolOptions: ToolOptionValues;
  /** Package or server for consent to findings. Versions share it. */
  readonly subject: string;
  /** Faults of its texts that are known before its start. */
  readonly findings: readonly TextFinding[];
  /** Everything that a remote server lists. */
  readonly items?: Iterable<ListedItem>;
  /** Removes the facts that {@link record} writes, unless they were there before. */
  readonly forget?: () => Promise<void>;
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
  readonly keyFor: (client: Client) => string;
  /** Key that `agenttools start` assumes. */
  readonly ownKey: string;
  /** Adaptation that the server chooses. Default: the default of `agenttools start`. */
  readonly adapt?: Adapt;
  /** Returns notes. @throws AgentToolsError if the client cannot have the server */
  readonly checkClient: (client: Client) => Promise<readonly string[]>;
  /** Adds knowledge of the source to the failure of a test start. Default: the failure itself. */
  readonly explainFailure?: (error: unknown) => unknown;
}

/** The parts of a source that differ if the server runs through `agenttools start`. */
export type BridgedParts = Pick<InstallSource, 'launch' | 'isOurs' | 'variables' | 'secretArguments'>;
