import type { ListedServer, SourceName } from './listed-server.js';

/** A package and its servers. A package that one source has is not looked for in those after it. */
export interface FoundPackage {
  /** Absent: these servers belong to no package. */
  readonly name: string | undefined;
  readonly servers: readonly ListedServer[];
  /** What of it is not listed, and why. */
  readonly notes: readonly string[];
}

/** What a source says as it goes. What comes after its time is not heard. */
export interface ReportFound {
  found(found: FoundPackage): void;
  /** What else is not listed, and why. */
  note(text: string): void;
}

/** A place where servers may be. */
export interface DiscoverySource {
  readonly name: SourceName;
  /** As in `… did not answer in time`. */
  readonly title: string;
  readonly timeLimitMs: number;
  /** Looks for all servers there are, within its time. Whatever it throws ends this source alone. */
  search(report: ReportFound, signal: AbortSignal): Promise<void>;
}

/** What a source came up with. */
export interface SourceResult {
  readonly packages: readonly FoundPackage[];
  readonly notes: readonly string[];
}

/** Lets a source search for as long as it may, and takes what it has by then. */
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
