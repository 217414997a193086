import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite } from '../base/file-fault.js';
import { withLock } from '../base/files/lock.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isStringList } from '../base/value-checks.js';
import { findingLine, type TextFinding } from './text-findings.js';

/** Findings that stop a command. */
export class FindingsError extends AgentToolsError {
  readonly findings: readonly TextFinding[];

  constructor(message: string, findings: readonly TextFinding[]) {
    super('refused', message);
    this.findings = findings;
  }
}

/** Most findings that a message lists. */
const maxListed = 10;

export interface FindingsRequest {
  /** Package or server with the texts. Consent holds for its later versions. */
  readonly subject: string;
  readonly findings: readonly TextFinding[];
  /** Codes that the user allows now. */
  readonly codes: readonly string[];
  /** The way on, up to the codes: `agenttools add left --allow-findings`. */
  readonly command: string;
}

/** Texts that the user has allowed, by package or server, in the data folder. */
export class AllowedFindings {
  readonly #file: string;

  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'allowed-findings.json');
  }

  /**
   * Returns a function that records the consent, to be called after the command has succeeded.
   * @throws FindingsError for errors that the user allows neither now nor before, for the same text
   */
  async require({ subject, findings, codes, command }: FindingsRequest): Promise<() => Promise<void>> {
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (errors.length === 0) return async () => {};
    const known = new Set((await this.#read())[subject]);
    const isNew = (one: TextFinding) => !known.has(consentFor(one));
    const refused = errors.filter((one) => isNew(one) && !codes.includes(one.code));
    if (refused.length > 0) throw refusal({ subject, findings: refused, codes, command });
    const allowed = errors.filter(isNew).map(consentFor);
    return async () => {
      if (allowed.length > 0) await this.#add(subject, allowed);
    };
  }

  async #read(): Promise<Readonly<Record<string, readonly string[]>>> {
    try {
      const { text } = await readTextFile(this.#file);
      const value = JSON.parse(text ?? '{}') as unknown;
      const { allowed } = isRecord(value) ? value : {};
      const entries = Object.entries(isRecord(allowed) ? allowed : {});
      return Object.fromEntries(entries.flatMap(([key, list]) => (isStringList(list) ? [[key, list]] : [])));
    } catch {
      return {};
    }
  }

  async #add(subject: string, consents: readonly string[]): Promise<void> {
    await guardWrite(this.#file, () =>
      withLock(`${this.#file}.lock`, async () => {
        const allowed = await this.#read();
        const all = [...new Set([...(allowed[subject] ?? []), ...consents])].sort();
        const text = JSON.stringify({ version: 1, allowed: { ...allowed, [subject]: all } }, undefined, 1);
        await replaceTextFile(await readTextFile(this.#file), `${text}\n`);
      }),
    );
  }
}

/** Consent is for one code and one text, wherever the text is. */
function consentFor({ code, hash }: TextFinding): string {
  return `${code} ${hash}`;
}

function refusal({ subject, findings, codes: allowed, command }: FindingsRequest): FindingsError {
  const lines = findings.slice(0, maxListed).map((one) => `  ${findingLine(one)}`);
  const more = findings.length - maxListed;
  // The option replaces the codes of an earlier command.
  const codes = [...new Set([...findings.map(({ code }) => code), ...allowed])].join(',');
  const message = [
    `${subject} has texts that models read and people do not see. Nothing was written.`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `Do not use it unless you know why. To allow these texts: ${command} ${codes}`,
  ].join('\n');
  return new FindingsError(message, findings);
}
