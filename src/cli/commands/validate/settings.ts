import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { TokenBudget } from '../../../engine/compatibility/token-budget.js';
import type { TokenCounter } from '../../../engine/compatibility/token-cost.js';
import { findTokenCounter } from '../../../engine/compatibility/token-counter.js';
import {
  configFault,
  findSharedConfig,
  readSharedConfig,
  rulesFor,
  type SharedConfig,
} from '../../../engine/validate/shared-config.js';
import type { SharedRules } from '../../../engine/validate/validate.js';
import type { Host } from '../../../host.js';
import { chooseClients } from './client-choice.js';
import type { SubjectReport } from './validation.js';

/** Settings of the command line. They override the shared config. */
export interface GivenSettings {
  /** Ids of clients, `all` or `installed`. Empty: the shared config decides. */
  readonly clientWords: readonly string[];
  /** Absent: the shared config decides. */
  readonly budget: TokenBudget | undefined;
  /** File, relative to the working directory. */
  readonly baseline: string | undefined;
}

/** Settings for one package or server. */
export interface Settings {
  readonly config: SharedConfig | undefined;
  readonly shared: SharedRules | undefined;
  /** Absent: only faults that lose tools or descriptions in some client. */
  readonly clients: ReadonlySet<string> | undefined;
  /** Absent: tokens are not counted. */
  readonly budget: (TokenBudget & { readonly counter: TokenCounter }) | undefined;
  /** Absolute path. */
  readonly baseline: string | undefined;
}

/** A report with the settings that it was made with. */
export interface SettledReport extends SubjectReport {
  readonly settings: Settings;
}

/** Combines the command line with the shared configs of packages. Reads each config once. */
export class SettingsReader {
  readonly #configs = new Map<string, Promise<Omit<Settings, 'shared'>>>();
  #counter: Promise<TokenCounter> | undefined;

  constructor(
    readonly given: GivenSettings,
    readonly host: Host,
  ) {}

  /** @throws AgentToolsError `usage` with the position of a fault in a config, or for an unknown client */
  async settingsFor(directory: string): Promise<Settings> {
    const file = findSharedConfig(directory);
    const key = file ?? '';
    const known = this.#configs.get(key);
    const reading = known ?? this.#read(file);
    if (!known) this.#configs.set(key, reading);
    const settings = await reading;
    return { ...settings, shared: settings.config && rulesFor(settings.config, directory) };
  }

  async #read(file: string | undefined): Promise<Omit<Settings, 'shared'>> {
    const { given, host } = this;
    const config = file === undefined ? undefined : await readSharedConfig(file);
    const tokens = config?.budget;
    const shared = tokens === undefined ? undefined : { tokens: tokens === true ? undefined : tokens };
    const budget = given.budget ?? shared;
    return {
      config,
      clients: await this.#clients(config),
      budget: budget && { ...budget, counter: await this.#findCounter() },
      baseline: given.baseline === undefined ? config?.baseline : path.resolve(host.cwd, given.baseline),
    };
  }

  async #clients(config: SharedConfig | undefined): Promise<ReadonlySet<string> | undefined> {
    const { clientWords } = this.given;
    if (clientWords.length > 0) return await chooseClients(clientWords, this.host);
    if (!config?.clients || config.clients.length === 0) return undefined;
    try {
      return await chooseClients(config.clients, this.host);
    } catch (error) {
      throw error instanceof AgentToolsError ? await configFault(config, error.message, ['clients']) : error;
    }
  }

  #findCounter(): Promise<TokenCounter> {
    this.#counter ??= findTokenCounter(this.host.cwd);
    return this.#counter;
  }
}
