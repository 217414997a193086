import type { TestReport } from '../../../engine/testing/run-tests.js';

/** A test run of one package or server. */
export interface TestRun {
  readonly report: TestReport;
  /** Name of the package or server. */
  readonly name: string;
  /** Path of the folder of the cases from the working directory; empty or with a final `/`. */
  readonly prefix: string;
  /** Output of the servers. */
  readonly output: string;
}

interface ReporterOptions {
  readonly color: boolean;
  /** True if the command line can mean several packages. */
  readonly isList: boolean;
  /** Names of listed packages without a server. */
  readonly skipped: readonly string[];
}

/** Renders the reports of test runs. */
export type RenderRuns = (runs: readonly TestRun[], options: ReporterOptions) => string;
