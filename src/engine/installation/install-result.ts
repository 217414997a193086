import type { HarmedTools } from '../adaptation/harmed-tools.js';
import type { AgentToolsError } from '../base/errors.js';
import type { Client, ManualClient } from '../clients/client.js';
import type { Plan } from '../clients/ledger/config-plan.js';
import type { TextFinding } from '../text-checks/text-findings.js';
import type { Scope } from './entry-target.js';

/** Completed or planned install for one client. */
export interface InstallReport {
  readonly client: Client;
  readonly scope: Scope['kind'];
  readonly file: string;
  readonly key: string;
  /** Qualified name. */
  readonly server: string;
  readonly outcome: Plan['outcome'];
  /** The server that it replaced, if the two are alternatives. */
  readonly former?: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Address of the server, if the entry works only after a sign-in with AgentTools. */
  readonly signIn?: string;
  /** Faults of its texts that models read. Errors among them are allowed by the user. */
  readonly findings: readonly TextFinding[];
  /** Its tools that the client loses or damages. */
  readonly harmed: readonly HarmedTools[];
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
}

/** Result for a client without a writable config file. */
export interface ManualReport {
  readonly client: ManualClient;
  readonly key: string;
  readonly server: string;
  /** Text to paste; absent: the client starts no programs. */
  readonly snippet?: string;
}

export interface InstallFailure {
  readonly client: Client;
  readonly error: AgentToolsError;
}

export type InstallResult = InstallReport | ManualReport | InstallFailure;
