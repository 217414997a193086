import type { TestReport } from '../../../engine/testing/run-tests.js';

/** Inputs of a reporter, in addition to the report. */
interface ReporterOptions {
  readonly color: boolean;
  /** Name of the package or server. */
  readonly name: string;
  /** Path of the folder of the cases from the working directory; empty or with a final `/`. */
  readonly prefix: string;
  /** Output of the servers. */
  readonly output: string;
}

/** Renders the report of a test run. */
export type RenderReport = (report: TestReport, options: ReporterOptions) => string;
