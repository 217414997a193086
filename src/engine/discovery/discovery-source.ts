import type { ListedServer, SourceName } from './listed-server.js';

/** A package and its servers. Later sources skip a package that an earlier source has. */
export interface FoundPackage {
  /** Undefined if the servers belong to no package. */
  readonly name: string | undefined;
  readonly servers: readonly ListedServer[];
  /** npm packages with the same server. It is left out if an earlier source has one of them. */
  readonly sameAs?: readonly string[];
  /** Other names that patterns match. Default: none. */
  readonly aliases?: readonly string[];
  /** Skipped parts of the package, with reasons. */
  readonly notes: readonly string[];
}

/** Callbacks of a source for its results. Results after its time limit are ignored. */
export interface ReportFound {
  found(found: FoundPackage): void;
  /** Reports another skipped part, with the reason. */
  note(text: string): void;
}

/** A source of servers. */
export interface DiscoverySource {
  readonly name: SourceName;
  /** Subject of messages, such as `… did not answer in time`. */
  readonly title: string;
  readonly timeLimitMs: number;
  /** Finds all servers within the time limit. An error ends only this source. */
  search(report: ReportFound, signal: AbortSignal): Promise<void>;
}

/** Result of one source. */
export interface SourceResult {
  readonly packages: readonly FoundPackage[];
  readonly notes: readonly string[];
}

/** Runs a source until its time limit, and returns the results so far. */
export async function querySource(source: DiscoverySource): Promise<SourceResult> {
  const packages: FoundPackage[] = [];
  const notes: string[] = [];
  const controller = new AbortController();
  let isOver = false;
  const report: ReportFound = {
    found: (found) => void (isOver || packages.push(found)),
    note: (text) => void (isOver || notes.push(text)),
  };
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      notes.push(
        `${source.title} did not answer within ${source.timeLimitMs / 1000} s; some of its servers may be missing.`,
      );
      resolve();
    }, source.timeLimitMs);
    controller.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  const searching = source.search(report, controller.signal).catch((error: unknown) => {
    report.note(
      `${source.title} cannot be searched: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  await Promise.race([searching, late]);
  isOver = true;
  controller.abort();
  return { packages, notes };
}
