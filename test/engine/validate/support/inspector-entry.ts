import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

/** Builds the program that looks at modules, as the package ships it. */
export async function buildInspector(): Promise<{ entry: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agenttools-inspector-'));
  const entry = path.join(folder, 'inspector-child.mjs');
  await build({
    entryPoints: [new URL('../../../../src/engine/validate/inspector-child.ts', import.meta.url).pathname],
    outfile: entry,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" },
    logLevel: 'error',
  });
  return { entry, remove: () => rm(folder, { recursive: true, force: true }) };
}
