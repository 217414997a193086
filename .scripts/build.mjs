// Builds dist/: the program and the engine as bundles that share chunks, the authoring API as one file, and their types.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeDeclarations } from './declarations.mjs';
import { buildEdge } from './edge.mjs';
import { hashInputs, isBuilt, recordBuild } from './inputs.mjs';
import { buildPreview } from './preview.mjs';
import { shortenNames } from './shorten-names.mjs';
import { mergeStartPath, nameStartChunk } from './start-chunk.mjs';
import { startScript } from './start-script.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
if (process.argv.includes('--if-changed') && isBuilt(root)) process.exit();
const inputs = hashInputs(root);
rmSync(dist, { recursive: true, force: true });

const options = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  alias: {
    '@modelcontextprotocol/server/_shims': './src/engine/protocol/sdk-shims.ts',
    '@modelcontextprotocol/client/_shims': './src/engine/protocol/sdk-shims.ts',
    // One copy: the libraries of npm require this file, and an import would take another.
    glob: './node_modules/glob/dist/commonjs/index.min.js',
  },
  legalComments: 'none',
  // Tables for bodies in old encodings, which registries do not send; minipass-fetch does without where it is not there.
  external: ['iconv-lite'],
  metafile: true,
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  logLevel: 'warning',
};
const { metafile, outputFiles } = await build({
  ...options,
  entryPoints: {
    cli: 'src/cli/main.ts',
    engine: 'src/engine.ts',
    testing: 'src/testing.ts',
    'extension-host': 'src/engine/host/extension-host.ts',
  },
  splitting: true,
  plugins: [mergeStartPath({ root, start: 'src/cli/main.ts' })],
  write: false,
});
mkdirSync(dist, { recursive: true });
const cli = path.join(dist, 'cli.js');
for (const module of nameStartChunk(outputFiles, cli)) {
  const files =
    module.path === cli
      ? await startScript({ root, module, options })
      : [{ path: module.path, text: await shortenNames(module.text, 'esm') }];
  for (const { path: file, text } of files) writeFileSync(file, text);
}
// One file each, because each file takes time to load. `index` is what definitions in code import.
for (const [name, source] of [
  ['index', 'src/index.ts'],
  ['inspector-child', 'src/engine/validate/inspector-child.ts'],
  ['sandbox-relay', 'src/engine/sandbox/relay.ts'],
]) {
  await build({ ...options, minifyIdentifiers: true, entryPoints: { [name]: source } });
}

const pages = await buildPreview({ root, folder: path.join(dist, 'preview') });
const edge = await buildEdge({ root, folder: path.join(dist, 'edge') });
writeFileSync(
  path.join(dist, 'THIRD-PARTY-LICENSES.txt'),
  licensesOf([...Object.keys(metafile.inputs), ...pages, ...edge]),
);
await writeDeclarations({
  root,
  folder: path.join(dist, 'types'),
  entryPoints: ['index', 'engine', 'handler', 'testing'],
});
await writeSchemas();
const limits = path.join(root, 'src/engine/compatibility');
copyFileSync(path.join(limits, 'client-limits.json'), path.join(dist, 'client-limits.json'));
copyFileSync(
  path.join(limits, 'client-limits.schema.json'),
  path.join(dist, 'schemas', 'client-limits.schema.json'),
);
recordBuild(root, inputs);

/** Writes the JSON Schemas for editors; what makes them is TypeScript and is bundled to be run here. */
async function writeSchemas() {
  const { publishedSchemas } = await bundled('src/engine/extension/json-schemas.ts');
  const { caseSchema } = await bundled('src/engine/testing/case-schema.ts');
  const { setSchema } = await bundled('src/engine/sync/set-schema.ts');
  const schemas = {
    ...publishedSchemas(),
    'case.schema.json': caseSchema,
    'set.schema.json': setSchema,
  };
  mkdirSync(path.join(dist, 'schemas'));
  for (const [file, schema] of Object.entries(schemas)) {
    writeFileSync(path.join(dist, 'schemas', file), `${JSON.stringify(schema)}\n`);
  }
}

/** Bundles a module of the source and imports it. */
async function bundled(source) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    write: false,
  });
  return await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
}

/** The licence of every package that a bundle contains. Packages with the same text share it. */
function licensesOf(inputs) {
  const folders = new Set(
    inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
  );
  const owners = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(
      readFileSync(path.join(root, folder, 'package.json'), 'utf8'),
    );
    const file = ['LICENSE', 'LICENSE.md', 'license', 'LICENCE', 'LICENSE.txt'].find((one) =>
      existsSync(path.join(root, folder, one)),
    );
    const lines = file ? readFileSync(path.join(root, folder, file), 'utf8').split('\n') : [];
    // Only these lines differ between packages.
    const isOwn = (line) =>
      /^\W*(?:copyright\b|\(c\)|the (?:mit|isc) license|(?:mit|isc) license)/i.test(line);
    const holders = lines
      .filter((line) => /copyright\b.*\d|\(c\)/i.test(line) && isOwn(line))
      .map((line) => line.trim());
    const text = lines
      .filter((line) => !isOwn(line))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim();
    const owner = [`${name} ${version} (${license})`, ...holders].join('\n  ');
    const key = text || '(no licence file in the package)';
    const same = owners.get(key) ?? {
      owners: [],
      text:
        lines
          .filter((line) => !isOwn(line))
          .join('\n')
          .trim() || key,
    };
    same.owners.push(owner);
    owners.set(key, same);
  }
  return [...owners.values()]
    .map(({ owners: names, text }) => `${names.join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}
