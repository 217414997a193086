import { AgentToolsError } from '../base/errors.js';
import { readTextFile } from '../base/files/text-file.js';
import { PublishedError, readPublishedFile } from '../discovery/published.js';
import { openRegistries } from '../discovery/registries.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import {
  type PackageSurface,
  parsePackageSurface,
  surfaceSnapshotFile,
} from '../surface/recorded-surface.js';
import { greatestStep, type ReleaseStep, stepBetween, versionAfter } from '../surface/release-step.js';
import { type SurfaceChange, surfaceChanges } from '../surface/surface-changes.js';

/** An earlier surface of a package. */
export interface Baseline {
  /** Version, or file. */
  readonly label: string;
  /** Absent for a file. */
  readonly version?: string;
  readonly surface: PackageSurface;
}

/** Sentence about a missing baseline. */
export interface NoBaseline {
  readonly note: string;
  /** True if the package is not published yet. */
  readonly isFirst?: boolean;
}

/** Changes since an earlier surface. */
export interface ReleaseComparison {
  readonly against: string;
  readonly changes: readonly SurfaceChange[];
  /** The step that the changes need; absent without changes. */
  readonly needed?: ReleaseStep;
  /** The version that the package has, and the least one that it needs. Absent for a file. */
  readonly versions?: { readonly published: string; readonly current: string; readonly needed: string };
  /** True if the version of the package is too small for the changes. */
  readonly isTooSmall: boolean;
}

interface BaselineRequest {
  readonly name: string;
  /** A version or a tag. Default: `latest`. */
  readonly version?: string | undefined;
  readonly npm: NpmDeps;
  readonly signal: AbortSignal;
}

/**
 * Reads the surface of a published version of a package from the user's registry. A registry that cannot be reached and a
 * version without a snapshot are no errors.
 */
export async function publishedBaseline({
  name,
  version: wanted = 'latest',
  npm,
  signal,
}: BaselineRequest): Promise<Baseline | NoBaseline> {
  try {
    const registries = await openRegistries({ npm });
    const { version, isExtension, text } = await readPublishedFile(name, {
      file: surfaceSnapshotFile,
      wanted,
      registries,
      signal,
    });
    if (!isExtension) return { note: `The published ${name}@${version} is no AgentTools extension.` };
    if (text === undefined)
      return {
        note: `${name}@${version} is published without ${surfaceSnapshotFile}, so nothing is compared with it. Add the file to "files" in package.json before the next release.`,
      };
    const surface = parsePackageSurface(text);
    if (typeof surface === 'string')
      return { note: `${surfaceSnapshotFile} of ${name}@${version} cannot be read: ${surface}` };
    return { label: `${name}@${version}`, version, surface };
  } catch (error) {
    if (error instanceof PublishedError && error.fault === 'not-found')
      return {
        note:
          wanted === 'latest'
            ? `${name} is not published yet.`
            : `${name}@${wanted} is not published: ${error.message}.`,
        isFirst: wanted === 'latest',
      };
    if (!(error instanceof AgentToolsError)) throw error;
    return { note: `${name} is not compared with its published version: ${error.message}.` };
  }
}

/** Reads a snapshot file. @throws AgentToolsError if it cannot be read */
export async function fileBaseline(file: string, label: string): Promise<Baseline> {
  const { text } = await readTextFile(file);
  const surface = text === null ? 'It does not exist.' : parsePackageSurface(text);
  if (typeof surface === 'string')
    throw new AgentToolsError('failed', `${label} cannot be read as a surface snapshot: ${surface}`);
  return { label, surface };
}

/** Compares the present surface of a package with an earlier one. */
export function compareRelease(
  { label, version: published, surface }: Baseline,
  now: PackageSurface,
  current: string | undefined,
): ReleaseComparison {
  const changes = [...surfaceChanges(surface, now)];
  const needed = greatestStep(changes.map(({ step }) => step));
  const about = { against: label, changes, ...(needed && { needed }) };
  if (published === undefined || current === undefined || !needed) return { ...about, isTooSmall: false };
  const versions = { published, current, needed: versionAfter(published, needed) };
  return { ...about, versions, isTooSmall: !suffices(stepBetween(published, current), needed) };
}

function suffices(step: ReleaseStep | undefined, needed: ReleaseStep): boolean {
  return step !== undefined && greatestStep([step, needed]) === step;
}
