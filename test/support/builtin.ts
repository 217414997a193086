import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './program.js';

/** What a module of a bundled extension exports. These are plain JavaScript, without types. */
// biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
export async function loadBuiltin(file: string): Promise<any> {
  return await import(pathToFileURL(path.join(root, 'src/builtin', file)).href);
}
