import path from 'node:path';
import { guardWrite } from '../base/file-fault.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import {
  formatPackageSurface,
  type PackageSurface,
  parsePackageSurface,
  surfaceSnapshotFile,
} from '../surface/recorded-surface.js';
import { type SurfaceChange, surfaceChanges } from '../surface/surface-changes.js';

/** Comparison of the served surface with the snapshot file. */
export interface SurfaceCheck {
  /** `skipped`: a filter or a fault is the reason not to compare. `unrecorded`: nothing to compare with yet. */
  readonly state:
    | 'same'
    | 'changed'
    | 'missing'
    | 'unrecorded'
    | 'unreadable'
    | 'written'
    | 'failed'
    | 'skipped';
  readonly changes: readonly SurfaceChange[];
  /** Sentence for `unreadable` and `failed`. */
  readonly message?: string;
}

interface SnapshotOptions {
  readonly update: boolean;
  /** True if a surface without a snapshot is a failure. */
  readonly required: boolean;
}

/** True if the surface does not fail the run. */
export function isGoodSurface({ state }: SurfaceCheck): boolean {
  return ['same', 'written', 'skipped', 'unrecorded'].includes(state);
}

/** Compares a surface with the snapshot in a folder, or writes the snapshot. @throws AgentToolsError if it cannot be written */
export async function checkSnapshot(
  directory: string,
  surface: PackageSurface,
  { update, required }: SnapshotOptions,
): Promise<SurfaceCheck> {
  const file = path.join(directory, surfaceSnapshotFile);
  const found = await readTextFile(file);
  const before = found.text === null ? undefined : parsePackageSurface(found.text);
  const changes = typeof before === 'object' ? [...surfaceChanges(before, surface)] : [];
  if (typeof before === 'object' && changes.length === 0) return { state: 'same', changes };
  if (update) {
    await guardWrite(file, async () => await replaceTextFile(found, formatPackageSurface(surface)));
    return { state: 'written', changes };
  }
  if (before === undefined) return { state: required ? 'missing' : 'unrecorded', changes };
  return typeof before === 'string'
    ? { state: 'unreadable', changes, message: before }
    : { state: 'changed', changes };
}
