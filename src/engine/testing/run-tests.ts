import { errorMessage } from '../base/thrown-value.js';
import type { PackageSurface } from '../surface/recorded-surface.js';
import { readCases } from './case-files.js';
import { CaseSnapshots } from './case-snapshots.js';
import { readSurface } from './read-surface.js';
import {
  type Baseline,
  compareRelease,
  type NoBaseline,
  type ReleaseComparison,
} from './release-comparison.js';
import { type CaseResult, type RunOptions, runCases, type TestServers } from './run-cases.js';
import { checkSnapshot, isGoodSurface, type SurfaceCheck } from './surface-check.js';
import type { CaseFault } from './test-case.js';

export interface TestRequest extends Pick<RunOptions, 'severityOf' | 'onResult'> {
  /** Folder of the cases and of the surface snapshot. */
  readonly directory: string;
  readonly servers: TestServers;
  /** Writes snapshots instead of comparing with them. */
  readonly update: boolean;
  /** Runs only cases with a matching name or file, and leaves the surface out. */
  readonly filter?: RegExp | undefined;
  /** Looks up the earlier surface to compare with. */
  readonly baseline?: (() => Promise<Baseline | NoBaseline>) | undefined;
  /** True if a missing snapshot of the surface is a failure. Without cases it always is: nothing else is checked. */
  readonly requiresSurface: boolean;
  /** Version of the package. */
  readonly version?: string | undefined;
  readonly signal: AbortSignal;
}

/** Outcome of a test run. */
export interface TestReport {
  readonly ok: boolean;
  /** Number of case files. */
  readonly files: number;
  readonly results: readonly CaseResult[];
  /** Case files, or parts of them, that cannot be used. */
  readonly faults: readonly CaseFault[];
  /** Number of cases that the filter leaves out. */
  readonly filtered: number;
  readonly surface: SurfaceCheck;
  readonly release?: ReleaseComparison | NoBaseline;
  /** Written files with the snapshots of cases, relative to the folder. */
  readonly written: readonly string[];
  /** Duration in milliseconds. */
  readonly ms: number;
}

/** Runs the cases of a folder and compares the surface. Failures are data. @throws AgentToolsError if a file cannot be written */
export async function runTests(request: TestRequest): Promise<TestReport> {
  const { directory, servers, update, filter, signal, onResult, severityOf, version } = request;
  const started = performance.now();
  const earlier = filter ? undefined : request.baseline?.();
  // A rejection is reported where it is awaited.
  earlier?.catch(() => {});
  const { files, cases, faults } = await readCases(directory);
  const chosen = filter
    ? cases.filter(({ name, place }) => filter.test(name) || filter.test(place.file))
    : cases;
  const snapshots = new CaseSnapshots(directory);
  const results = await runCases(chosen, servers, {
    snapshots,
    update,
    signal,
    ...(onResult && { onResult }),
    ...(severityOf && { severityOf }),
  });
  const written = update ? await snapshots.write(cases) : [];
  const served = filter ? undefined : await readSurfaces(servers);
  const surface: SurfaceCheck =
    served === undefined
      ? { state: 'skipped', changes: [] }
      : typeof served === 'string'
        ? { state: 'failed', changes: [], message: served }
        : await checkSnapshot(directory, served, {
            update,
            required: request.requiresSurface || results.length === 0,
          });
  const found = await earlier;
  const release =
    found && 'surface' in found && typeof served === 'object'
      ? compareRelease(found, served, version)
      : found;
  const isChosen = !filter || chosen.length > 0;
  return {
    ok:
      isChosen &&
      faults.length === 0 &&
      results.every(({ failures }) => failures.length === 0) &&
      isGoodSurface(surface),
    files: files.length,
    results,
    faults,
    filtered: cases.length - chosen.length,
    surface,
    ...(release && !('surface' in release) && { release }),
    written,
    ms: performance.now() - started,
  };
}

/** The surfaces of all servers, or a sentence about the first that cannot be read. */
async function readSurfaces({ names, eras, open }: TestServers): Promise<PackageSurface | string> {
  const surfaces: [string, PackageSurface[string]][] = [];
  const era = eras.includes('modern') ? 'modern' : 'legacy';
  for (const name of names) {
    try {
      const target = await open(name);
      try {
        const surface = await readSurface(target, era);
        const [fault] = target.skipped;
        if (fault !== undefined) return `The surface lacks an item, so it is not compared: ${fault}`;
        surfaces.push([name.slice(name.lastIndexOf('/') + 1), surface]);
      } finally {
        await target.close();
      }
    } catch (error) {
      return `The server ${name} cannot be listed: ${errorMessage(error)}`;
    }
  }
  return Object.fromEntries(surfaces);
}
