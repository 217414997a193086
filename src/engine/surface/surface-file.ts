import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type KeyedSurface, parseKeyed } from './surface-records.js';
import { surfaceVariable } from './surface-variable.js';

/** Runs a server that gets the variables of `env`. Returns the surface that it wrote; undefined if it wrote none. */
export async function withSurfaceFile<T>(
  run: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<{ readonly result: T; readonly surface: KeyedSurface | undefined }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agenttools-surface-'));
  try {
    const file = path.join(folder, 'surface.json');
    const result = await run({ [surfaceVariable]: file });
    const text = await readFile(file, 'utf8').catch(() => '');
    return { result, surface: parseKeyed(text) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
