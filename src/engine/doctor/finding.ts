import type { ConfigPath } from '../clients/edit/editor.js';
import type { ConfigState, Plan } from '../clients/ledger/config-plan.js';
import type { Receipts } from '../clients/receipts.js';
import type { Severity } from '../extension/diagnostics.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { SecretStore } from '../secrets/secret-store.js';
import type { FindingCode } from './codes.js';
import type { ConfigPicture, EntryPicture, Picture } from './picture.js';

/** Means of a repair outside of config files. */
export interface RepairDeps {
  readonly dryRun: boolean;
  readonly npm: NpmDeps;
  readonly dataFolder: string;
  readonly secrets: SecretStore;
  readonly receipts: Receipts;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** The only right answer to a finding. */
export interface Repair {
  /** The change in the imperative, without a full stop. */
  readonly does: string;
  /** Work before the edit. Writes nothing in a dry run. */
  readonly prepare?: (deps: RepairDeps) => Promise<void>;
  /** Change of one config file. */
  readonly edit?: {
    readonly config: ConfigPicture;
    readonly plan: (state: ConfigState) => Promise<Plan>;
  };
  /** Work after the edit. Not done in a dry run, or if the edit fails. */
  readonly finish?: (deps: RepairDeps) => Promise<void>;
}

/** Result of a check. */
export interface Found {
  readonly code: FindingCode;
  /** Without the consequence, which the code implies. In sentences. */
  readonly message: string;
  /** Sentences after the consequence. */
  readonly note?: string;
  /** A command, or an instruction in a sentence. */
  readonly fix: string;
  readonly entry?: EntryPicture;
  readonly config?: ConfigPicture;
  /** Id of the client, if there is neither entry nor config. */
  readonly client?: string;
  readonly file?: string;
  readonly key?: string;
  /** Place in the file. Default: the entry. */
  readonly path?: ConfigPath;
  /** Offset in the text, instead of a path. */
  readonly offset?: number;
  readonly repair?: Repair;
}

/** A check reads the picture. It opens no file and throws nothing. */
export type Check = (picture: Picture) => Iterable<Found>;

/** A finding with its place, as users see it. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly client: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly key: string | null;
  readonly message: string;
  readonly fix: string;
  /** True if `--fix` repairs it. */
  readonly fixable: boolean;
}
