import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import type * as schema from '../../../src/engine/schema/index.js';

/** The files that load with a module, without those it imports when it needs them. */
async function loadedWith(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'out',
    logLevel: 'silent',
  });
  const { inputs } = metafile;
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import' && !external) load(next);
    }
  };
  load(file);
  return [...loaded];
}

it('compiling a schema loads no validator and no parser', async () => {
  const loaded = await loadedWith('src/engine/schema/index.ts');
  const others = loaded.filter((file) => !file.startsWith('src/engine/schema/'));
  expect(others.sort()).toEqual([
    'src/engine/base/code-boundary.ts',
    'src/engine/base/parse-url.ts',
    'src/engine/base/plain-data.ts',
    'src/engine/base/thrown-value.ts',
    'src/engine/base/value-checks.ts',
  ]);
});

it.each(['src/engine/schema/fields.ts', 'src/engine/schema/json-schema.ts'])(
  'loads %s without other modules',
  async (file) => {
    expect(await loadedWith(file)).toEqual([file]);
  },
);

it('a bundle of it speaks every dialect', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agenttools-schema-'));
  try {
    await build({
      entryPoints: ['src/engine/schema/index.ts'],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
    });
    const bundle: typeof schema = await import(pathToFileURL(path.join(folder, 'index.mjs')).href);
    for (const dialect of ['draft/2020-12', 'draft/2019-09', 'draft-07', 'draft-06']) {
      const scheme = dialect.includes('/') ? 'https' : 'http';
      const wire = {
        $schema: `${scheme}://json-schema.org/${dialect}/schema`,
        type: 'object',
        required: ['a'],
      };
      const { check } = await bundle.compileSchema(wire, { side: 'input' });
      expect(await check({})).toEqual({ ok: false, issues: [{ path: '/a', message: '"a" is required' }] });
      expect(await bundle.checkWireSchema(wire, 'input')).toEqual([]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('loads neither a dependency nor server code for authors', async () => {
  const loaded = await loadedWith('src/index.ts');
  expect(loaded.filter((file) => file.startsWith('node_modules/'))).toEqual([]);
  const rooms = new Set(loaded.map((file) => file.split('/').slice(0, 3).join('/')));
  expect([...rooms].sort()).toEqual([
    'src/engine/base',
    'src/engine/extension',
    'src/engine/runtime',
    'src/engine/schema',
    'src/index.ts',
  ]);
  const heavy = [
    'compile.ts',
    'validator.ts',
    'fixed-arguments.ts',
    'parameter-overrides.ts',
    'extension.ts',
    'workspace.ts',
    'server.ts',
  ];
  expect(loaded.filter((file) => heavy.includes(file.split('/').at(-1)!))).toEqual([]);
});
