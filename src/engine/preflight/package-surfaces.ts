import { AgentToolsError } from '../base/errors.js';
import { Extension } from '../extension/extension.js';
import { serverNames } from '../extension/workspace.js';
import type { SurfaceDifference } from '../surface/model-surface.js';
import { withSurfaceFile } from '../surface/surface-file.js';
import type { KeyedSurface, SurfaceRecords } from '../surface/surface-records.js';
import { verifyServer } from './verify-server.js';

/** A server of a package that was started to read its surface. */
export interface SurfaceCheck {
  /** Qualified name. */
  readonly server: string;
  readonly surface?: KeyedSurface;
  /** Differences from the record. Absent: the surface is not recorded. */
  readonly differences?: readonly SurfaceDifference[];
  /** Reason why it was not read. */
  readonly error?: AgentToolsError;
}

interface SurfaceCheckOptions {
  readonly records: SurfaceRecords;
  /** Command line of this program. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Starts each server of the package in a folder, and compares the items that it lists with the record. */
export async function checkSurfaces(
  directory: string,
  options: SurfaceCheckOptions,
): Promise<readonly SurfaceCheck[]> {
  const checks: SurfaceCheck[] = [];
  for (const server of serverNames(await Extension.open(directory))) {
    checks.push(await checkSurface(server, options));
  }
  return checks;
}

async function checkSurface(
  server: string,
  { records, program, cwd, env, timeoutMs, signal }: SurfaceCheckOptions,
): Promise<SurfaceCheck> {
  try {
    const { result, surface } = await withSurfaceFile(async (variables) => {
      const args = [...program.args, 'start', '--no-auto-install', server];
      const child = { command: program.command, args, cwd, env: { ...env, ...variables } };
      return await verifyServer(child, { timeoutMs, signal });
    });
    if (!surface || result.absences.length > 0) {
      const why = result.absences.join(' ') || 'It was not listed.';
      return { server, error: new AgentToolsError('failed', `${server} is not recorded. ${why}`) };
    }
    const differences = await records.compare(surface);
    return { server, surface, ...(differences && { differences }) };
  } catch (error) {
    if (error instanceof AgentToolsError) return { server, error };
    throw error;
  }
}

/** Marks the recorded surfaces of an updated package: the user has confirmed the update. */
export async function outdateSurfaces(directory: string, records: SurfaceRecords): Promise<void> {
  for (const key of serverNames(await Extension.open(directory))) {
    const surface = await records.read(key);
    if (surface) await records.write({ key, surface: { ...surface, isOutdated: true } });
  }
}
