import path from 'node:path';
import { readTextFile } from '../base/files/text-file.js';
import type { Diagnostic, Severity } from '../extension/diagnostics.js';
import type { Manifest } from '../extension/manifest.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import { parsePackageSurface, surfaceSnapshotFile } from '../surface/recorded-surface.js';
import { compareRelease, publishedBaseline } from './release-comparison.js';

interface ReleaseCheck {
  readonly npm: NpmDeps;
  readonly signal: AbortSignal;
}

/** Compares the recorded surface of a package with its last published version. Yields `release-version`. */
export async function releaseDiagnostics(
  { directory, packageName, packageVersion, packageJson }: Manifest,
  lookup: ReleaseCheck,
): Promise<readonly Diagnostic[]> {
  const report = (severity: Severity, message: string): readonly Diagnostic[] => [
    { code: 'release-version', severity, message, location: { file: packageJson.file, path: ['version'] } },
  ];
  const { text } = await readTextFile(path.join(directory, surfaceSnapshotFile));
  const surface = text === null ? 'It does not exist.' : parsePackageSurface(text);
  if (typeof surface === 'string')
    return report(
      'error',
      `The version cannot be checked without ${surfaceSnapshotFile}. ${surface} Record it with: agenttools test --update`,
    );
  const baseline = await publishedBaseline({ name: packageName, ...lookup });
  if ('note' in baseline) return baseline.isFirst ? [] : report('info', baseline.note);
  const { isTooSmall, changes, needed, versions } = compareRelease(baseline, surface, packageVersion);
  if (!isTooSmall || !versions) return [];
  const count = changes.length === 1 ? '1 change needs' : `${changes.length} changes need`;
  return report(
    'error',
    `${count} a ${needed} step since ${baseline.label}: at least version ${versions.needed}, and package.json has ${versions.current}. List the changes with: agenttools test`,
  );
}
