// Builds dist/edge/: the handler for platforms without Node, where stand-ins of src/edge take Node's place.
import path from 'node:path';
import { build } from 'esbuild';

/** Modules of Node, and what stands for them. */
const standIns = {
  'node:fs/promises': 'src/edge/files.ts',
  'node:path': 'src/edge/path.ts',
  ...Object.fromEntries(
    ['process', 'module', 'url', 'util', 'async_hooks', 'events', 'timers/promises'].map((name) => [
      `node:${name}`,
      'src/edge/node.ts',
    ]),
  ),
  '@modelcontextprotocol/server/_shims': 'src/engine/protocol/sdk-shims.ts',
};

/** Gives the files that went into it. Whatever of Node nothing stands for makes it fail. */
export async function buildEdge({ root, folder }) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { handler: 'src/handler.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    conditions: ['worker', 'browser'],
    // Platforms limit the size of workers.
    minify: true,
    inject: [path.join(root, 'src/edge/globals.ts')],
    alias: Object.fromEntries(Object.entries(standIns).map(([name, file]) => [name, path.join(root, file)])),
    plugins: [{ name: 'stand-ins', setup: replaceFiles(root) }],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** Files of ours that are made for Node, by room, and what stands for them. */
const replaced = {
  'src/engine/base/files/disk.ts': 'src/edge/disk.ts',
  'src/engine/extension/supply-agenttools.ts': 'src/edge/supply-agenttools.ts',
  'src/engine/secrets/stored-secrets.ts': 'src/edge/stored-secrets.ts',
  'src/engine/schema/validator.ts': 'src/edge/validator.ts',
  'src/engine/runtime/deadlines.ts': 'src/edge/deadlines.ts',
};

function replaceFiles(root) {
  const rows = Object.entries(replaced).map(([from, to]) => [path.join(root, from), path.join(root, to)]);
  const byFile = new Map(rows);
  return ({ onResolve }) => {
    onResolve({ filter: /^\..*\.js$/ }, ({ importer, path: named }) => {
      const file = path.resolve(path.dirname(importer), named).replace(/\.js$/, '.ts');
      return byFile.has(file) ? { path: byFile.get(file) } : undefined;
    });
  };
}
