import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { writeFolder } from './packages.js';

/**
 * Loads modules of `src` as Node itself does. The test runner imports files its own way, and what CommonJS becomes, or
 * what is remembered of a failed import, is not what a user's Node makes of it.
 */
export async function loadNative<T>(entry: string): Promise<T> {
  const outfile = path.join(writeFolder(), 'bundle.cjs');
  const root = path.resolve(import.meta.dirname, '../..');
  await build({
    entryPoints: [path.join(root, 'src', entry)],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    outfile,
    logLevel: 'silent',
  });
  return createRequire(import.meta.url)(outfile) as T;
}
