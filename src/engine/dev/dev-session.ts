import path from 'node:path';
import { type ChangedFiles, watchFolder } from '../base/files/watch-folder.js';
import { errorMessage } from '../base/thrown-value.js';
import type { PreparedServer } from '../serve/prepare-server.js';
import type { LocatedDiagnostic } from '../validate/validate.js';
import { findSyntaxErrors } from './syntax-errors.js';
import { VersionJudge } from './version-judge.js';

/** Outcome of the last change. */
export interface DevStatus {
  /** Counts the versions that were served. */
  readonly version: number;
  /** True if the current files cannot be served: the version before is. */
  readonly isBroken: boolean;
  /** Faults of the current files. */
  readonly diagnostics: readonly LocatedDiagnostic[];
}

export interface DevSessionOptions {
  /** The package folder that is watched. Absolute. */
  readonly directory: string;
  /** Folder of the definitions, relative to the package folder. */
  readonly root: string;
  /** Folder that paths in reports are relative to. */
  readonly cwd: string;
  /** True if changes of TypeScript sources count. False: only the compiled files do. */
  readonly watchesSources: boolean;
  /** Checks the package. */
  readonly validate: () => Promise<readonly LocatedDiagnostic[]>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Called after a change of the status. */
  readonly onStatus: () => void;
  /** Called when another version is served. */
  readonly onVersion: () => void;
}

/** Milliseconds within which changes count as one. Editors and compilers write several files at once. */
const debounceMs = 40;

/** Code, definitions, and files that apps and skills contain. Handlers write other files, which must not lead to a swap. */
const watchedFile = /\.(?:[cm]?[jt]sx?|jsonc?|html|css|svg|md|node|wasm)$/;

const sourceFile = /\.[cm]?tsx?$/;

/** Most file names in a report. */
const maxNames = 3;

/** Keeps a served server up to date with the files of its package. */
export class DevSession {
  status: DevStatus = { version: 1, isBroken: false, diagnostics: [] };
  readonly #options: DevSessionOptions;
  readonly #judge = new VersionJudge();
  #served: PreparedServer | undefined;
  /** Files that changed since the served version. */
  readonly #unserved = new Set<string>();
  /** Changes that wait for the end of a renewal. */
  #waiting: Set<string> | undefined;
  #isRenewing = false;
  #stop = () => {};
  /** Counts validations: only the result of the last one is shown. */
  #validations = 0;
  /** Lines of the diagnostics that were printed for the current files. */
  #printed: ReadonlySet<string> = new Set();

  constructor(options: DevSessionOptions) {
    this.#options = options;
  }

  /** For the preparation of the server. */
  get judge(): VersionJudge['judge'] {
    return this.#judge.judge;
  }

  /** Begins to watch the files. Changes before {@link start} are kept. */
  async watch(): Promise<void> {
    const { directory, watchesSources } = this.#options;
    const counts = (file: string) =>
      watchedFile.test(file) && !/\.d\.[cm]?ts$/.test(file) && (watchesSources || !sourceFile.test(file));
    this.#stop = await watchFolder(directory, (files) => void this.change(files), { debounceMs, counts });
  }

  /** Keeps a server up to date until the signal aborts. */
  async start(served: PreparedServer, signal: AbortSignal): Promise<void> {
    this.#served = served;
    signal.addEventListener('abort', () => this.close(), { once: true });
    const early = this.#waiting && this.change();
    await Promise.all([early, served.warm(), this.#diagnose({ isBroken: false })]);
  }

  /** Ends the watch. */
  close(): void {
    this.#stop();
  }

  /** Serves the current files. `files`: the changed ones; empty if they are unknown. */
  async change(files: ChangedFiles = new Set()): Promise<void> {
    this.#waiting = new Set([...(this.#waiting ?? []), ...files]);
    if (this.#isRenewing || !this.#served) return;
    this.#isRenewing = true;
    try {
      while (this.#waiting) {
        const changed: ChangedFiles = this.#waiting;
        this.#waiting = undefined;
        await this.#renew(changed);
      }
    } finally {
      this.#isRenewing = false;
    }
  }

  async #renew(files: ChangedFiles): Promise<void> {
    const served = this.#served;
    if (!served) return;
    const { report } = this.#options;
    const started = performance.now();
    for (const file of files) this.#unserved.add(file);
    const isData = files.size > 0 && [...files].every((file) => this.#isDefinition(file));
    // Code that a broken version has brought is still unchecked.
    const hasSameCode = isData && !this.status.isBroken;
    this.#judge.importsModules = !hasSameCode;
    try {
      await served.renew({ hasSameCode });
    } catch (error) {
      await this.#refuse(errorMessage(error));
      return;
    }
    const ms = Math.round(performance.now() - started);
    report(`${this.status.isBroken ? 'Fixed' : 'Updated'} in ${ms} ms${namesOf(files)}.`);
    this.#unserved.clear();
    this.#become({ version: this.status.version + 1, isBroken: false });
    announceResources(served);
    this.#options.onVersion();
    void served.warm();
    void this.#diagnose({ isBroken: false });
  }

  /** True for a definition in a data file. Other data may be read by code while it loads. */
  #isDefinition(file: string): boolean {
    const inRoot = path.posix.relative(this.#options.root, file);
    return /^(?:(?:tools|prompts|resources|servers)(?:\/[^/]+)?\.jsonc?|apps\/.*)$/.test(inRoot);
  }

  async #refuse(reason: string): Promise<void> {
    const { report } = this.#options;
    this.#become({ isBroken: true });
    const hasErrors = await this.#diagnose({ isBroken: true, intro: `${heldBack}:` });
    if (!hasErrors) report([`${heldBack}:`, reason].join('\n'));
  }

  /** Checks the package, and prints new diagnostics. Resolves with true if it has errors. */
  async #diagnose({
    isBroken,
    intro,
  }: {
    readonly isBroken: boolean;
    readonly intro?: string;
  }): Promise<boolean> {
    this.#validations += 1;
    const number = this.#validations;
    const { validate, report } = this.#options;
    const checked = await validate().catch((error: unknown) => {
      report(`The package cannot be checked: ${errorMessage(error)}`);
      return [];
    });
    const syntax = isBroken ? await findSyntaxErrors(this.#options.directory, this.#unserved) : [];
    const isNew = (one: LocatedDiagnostic) => !checked.some((other) => isSamePlace(one, other));
    const found = [...syntax.filter(isNew), ...checked];
    const hasErrors = found.some(({ severity }) => severity === 'error');
    if (number !== this.#validations) return hasErrors;
    const shown = isBroken ? found.filter(({ severity }) => severity === 'error') : found;
    const lines = shown.map((one) => this.#line(one));
    const fresh = lines.filter((line) => !this.#printed.has(line));
    this.#printed = new Set(lines);
    if (fresh.length > 0) report([...(intro === undefined ? [] : [intro]), ...fresh].join('\n'));
    this.#become({ diagnostics: found });
    return hasErrors;
  }

  #line({ file, line, column, severity, message, code }: LocatedDiagnostic): string {
    const { cwd, directory } = this.#options;
    const place = path.relative(cwd, path.join(directory, file)).split(path.sep).join('/');
    return `${place}:${line}:${column} ${severity} ${message} (${code})`;
  }

  #become(change: Partial<DevStatus>): void {
    this.status = { ...this.status, ...change };
    this.#options.onStatus();
  }
}

const heldBack = 'The files cannot be served. The version before is served until this is fixed';

/** Notifies clients that subscribed resources may have changed. */
function announceResources({ live }: PreparedServer): void {
  for (const { subscribable, uri } of live.current.registry.all('resources')) {
    if (subscribable && uri !== undefined) live.announce({ kind: 'resource_updated', uri });
  }
}

function isSamePlace(one: LocatedDiagnostic, other: LocatedDiagnostic): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}

/** `: a.json, b.js` */
function namesOf(files: ChangedFiles): string {
  if (files.size === 0) return '';
  const names = [...files].slice(0, maxNames).join(', ');
  const more = files.size > maxNames ? ` and ${files.size - maxNames} more` : '';
  return `: ${names}${more}`;
}
