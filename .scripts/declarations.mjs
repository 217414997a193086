import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/**
 * Writes the type declarations of the entry points to `folder`, with only the types that these reach.
 * @param {{ root: string, folder: string, entryPoints: readonly string[] }} options
 */
export async function writeDeclarations({ root, folder, entryPoints }) {
  const perModule = mkdtempSync(path.join(os.tmpdir(), 'declarations-'));
  try {
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '-p', '.types.json', '--outDir', perModule], {
      cwd: root,
      stdio: 'inherit',
    });
    const bundle = await rollup({
      input: Object.fromEntries(entryPoints.map((name) => [name, path.join(perModule, `${name}.d.ts`)])),
      plugins: [standInForSdk, dts()],
      external: /^node:/,
      // Types that only private types name stay private.
      onLog: (level, log, handle) => log.plugin !== 'dts' && handle(level, log),
    });
    await bundle.write({ dir: folder, entryFileNames: '[name].d.ts', chunkFileNames: 'shared-[hash].d.ts' });
  } finally {
    rmSync(perModule, { recursive: true });
  }
}

/** The SDK is part of the bundles, so whoever compiles against us does not have it. Its types are anything to them. */
const standInForSdk = {
  name: 'stand-in-for-sdk',
  transform: (text) =>
    text.replace(/import (?:type )?\{([^}]+)\} from '@modelcontextprotocol\/[^']+';/g, (_, list) =>
      list
        .split(',')
        .map(
          (name) =>
            `type ${name
              .trim()
              .replace(/^type /, '')
              .replace(/.* as /, '')} = any;\n`,
        )
        .join(''),
    ),
};
