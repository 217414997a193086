import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { derive, writeDerivation } from '../../../src/engine/derive/derive.js';
import { kinds } from '../../../src/engine/extension/item-kinds.js';
import { keepLibraries } from '../../engine/derive/support/project.js';
import { addFiles, type Files, writeFolder } from '../../support/packages.js';
import type { Block } from './pages.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** What the examples may import besides `agenttools`. */
const libraries = ['zod', 'arktype', 'valibot', '@valibot/to-json-schema', '@types'];

/** Libraries that make tools of the same shape as the real ones. */
const standIns: Files = {
  'node_modules/ai/package.json': { name: 'ai', version: '6.0.0', type: 'module', main: 'index.js' },
  'node_modules/ai/index.js': 'export const tool = (it) => it;',
  'node_modules/@langchain/core/package.json': {
    name: '@langchain/core',
    type: 'module',
    exports: { './tools': './tools.js' },
  },
  'node_modules/@langchain/core/tools.js':
    'export const tool = (func, fields) => ({ ...fields, func, async invoke(args) { return await this.func(args); } });',
};

/** Pages that say to run `agenttools derive`. */
const derivedPages = ['derive', 'example-expert-system'];

/** Words of blocks that belong to no package. */
const elsewhere = [
  'program',
  'dialogue',
  'deploy',
  'workflow',
  'run',
  'repository',
  'output',
  'fault',
  'set',
  'table',
  'capture',
];

/** A package that the blocks of a page make together. */
export interface ExamplePackage {
  readonly page: string;
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the page says its server lists and answers. */
  readonly claims: readonly Block[];
}

/** The packages of all pages. Blocks without `package` belong to the one called `kit`. */
export function examplePackages(blocks: readonly Block[]): readonly ExamplePackage[] {
  const byKey = new Map<string, Block[]>();
  for (const block of blocks) {
    const isElsewhere = elsewhere.some((word) => word in block.words);
    if (Object.keys(block.words).length === 0 || isElsewhere) continue;
    const key = `${block.page}/${block.words.package ?? 'kit'}`;
    byKey.set(key, [...(byKey.get(key) ?? []), block]);
  }
  return [...byKey].map(([key, own]) => {
    const [page = '', name = ''] = key.split('/');
    const written = own.filter(({ words }) => words.file !== undefined);
    return {
      page,
      name,
      files: Object.fromEntries(written.map(({ words, text }) => [words.file!, text])),
      claims: own.filter(({ words }) => words.file === undefined),
    };
  });
}

/**
 * Writes the packages below one folder, in which they find `agenttools` and the schema libraries. TypeScript below `src`
 * is also there as JavaScript below `dist`, as `tsc` would leave it, and what a page says to derive is derived.
 */
export async function writeExamples(packages: readonly ExamplePackage[]): Promise<string> {
  const root = writeFolder({
    'node_modules/agenttools/package.json': { name: 'agenttools', type: 'module', main: 'index.js' },
    ...standIns,
  });
  await build({
    absWorkingDir: repository,
    entryPoints: { 'node_modules/agenttools/index': 'src/index.ts' },
    outdir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.js' },
  });
  for (const library of libraries) {
    const link = path.join(root, 'node_modules', library);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(repository, 'node_modules', library), link);
  }
  symlinkSync(path.join(repository, 'fixtures/extensions'), path.join(root, 'node_modules/@acme'));
  // What examples of derivation are built with.
  symlinkSync(path.join(repository, 'node_modules/typescript-5'), path.join(root, 'node_modules/typescript'));
  keepLibraries('typescript-5');
  for (const { page, name, files } of packages) {
    const compiled = await Promise.all(Object.entries(files).map(([file, text]) => compile(file, text)));
    addFiles(path.join(root, page, name), {
      ...defaults(name, files),
      ...files,
      ...Object.fromEntries(compiled.flat()),
    });
    if (derivedPages.includes(page)) await writeDerivation(await derive(path.join(root, page, name)));
  }
  return root;
}

async function compile(file: string, text: string): Promise<[file: string, text: string][]> {
  const [, stem] = /^src\/(.*)\.ts$/.exec(file) ?? [];
  if (stem === undefined) return [];
  const { code } = await transform(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcefile: `${'../'.repeat(stem.split('/').length)}${file}`,
  });
  return [[`dist/${stem}.js`, code]];
}

/** What the code of the pages may import. */
const imported = [
  'agenttools',
  'ai',
  '@langchain/core',
  'zod',
  'arktype',
  'valibot',
  '@valibot/to-json-schema',
];

/** A package.json that declares what the other files define, for pages that leave it out. */
function defaults(name: string, files: ExamplePackage['files']): object {
  const root = Object.keys(files).some((file) => /^src\/(?:tools|prompts|resources|servers)\//.test(file))
    ? 'dist'
    : 'agenttools';
  const declared = kinds.flatMap((kind) => {
    const items = Object.keys(files).flatMap((file) => {
      const [, folder, item] = /^(?:agenttools|src)\/(\w+)\/([^/]+?)(?<!\.case)\.\w+$/.exec(file) ?? [];
      return folder === kind ? [item] : [];
    });
    return items.length > 0 ? [[kind, items]] : [];
  });
  return {
    'package.json': {
      name: `@acme/${name}`,
      version: '1.0.0',
      type: 'module',
      keywords: ['agenttools-extension'],
      dependencies: Object.fromEntries(imported.map((library) => [library, '*'])),
      agenttools: { root, ...Object.fromEntries(declared) },
    },
  };
}

/** What the compiler has against the TypeScript below a folder, with the types that authors get. */
export async function typeErrors(root: string): Promise<string> {
  const config = {
    extends: path.join(repository, 'tsconfig.json'),
    compilerOptions: {
      noEmit: true,
      rootDir: '/',
      paths: {
        agenttools: [path.join(repository, 'dist/types/index.d.ts')],
        'agenttools/engine': [path.join(repository, 'dist/types/engine.d.ts')],
        'agenttools/testing': [path.join(repository, 'dist/types/testing.d.ts')],
      },
    },
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  };
  writeFileSync(path.join(root, 'tsconfig.json'), JSON.stringify(config));
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc');
  return await promisify(execFile)(process.execPath, [compiler, '-p', root], { cwd: root }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}
