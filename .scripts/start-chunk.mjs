// Puts all modules of the start path into one file. Each file that Node loads costs about half a millisecond.
import path from 'node:path';

const namespace = 'entry';

/**
 * An esbuild plugin for a bundle with splitting: all static imports of a module, of any depth, become one chunk.
 *
 * esbuild puts modules into the same chunk if the same entry points reach them. Targets of dynamic imports are entry
 * points, too. The plugin replaces each entry point with a module that imports `start` and exports the original, so
 * every entry point reaches everything that `start` imports.
 */
export function mergeStartPath({ root, start }) {
  return {
    name: 'merge-start-path',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(?:\.|src\/)/ }, ({ kind, path: named, importer, resolveDir }) => {
        const isEntry = kind === 'entry-point' || kind === 'dynamic-import';
        if (!isEntry || importer.includes('node_modules')) return undefined;
        return { path: path.resolve(resolveDir, named).replace(/\.js$/, '.ts'), namespace };
      });
      onLoad({ filter: /.*/, namespace }, ({ path: file }) => ({
        contents: `import ${JSON.stringify(path.join(root, start))}; export * from ${JSON.stringify(file)};`,
        resolveDir: path.dirname(file),
      }));
    },
  };
}

/**
 * Gives the chunk of the start path the name of its entry point, which does nothing but export parts of it.
 * @throws Error if the entry point does more.
 */
export function nameStartChunk(outputFiles, entryFile) {
  const entry = outputFiles.find(({ path: file }) => file === entryFile);
  const exportsOnly = /^import\{([^}]+)\}from"\.\/([\w-]+\.js)";(?:import"[^"]+";)*export\{\1\};$/m;
  const [, , chunk] = exportsOnly.exec(entry.text) ?? [];
  if (!chunk) throw new Error(`${entryFile} does more than to export parts of one chunk:\n${entry.text}`);
  const name = path.basename(entryFile);
  return outputFiles
    .filter((file) => file !== entry)
    .map(({ path: file, text }) => ({
      path: file.replace(chunk, name),
      text: text.replaceAll(`"./${chunk}"`, `"./${name}"`),
    }));
}
