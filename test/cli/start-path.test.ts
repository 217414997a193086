import { build, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** Follows only what is loaded in any case, and the command that clients wait for. */
const startOnly: Plugin = {
  name: 'start-only',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && path !== './commands/start/run.js' ? { path, external: true } : undefined,
    );
  },
};

describe('the way of `start`', () => {
  it('loads no parser, no colours, no command but its own, and nothing that only few servers need', async () => {
    const { metafile } = await build({
      entryPoints: ['src/cli/main.ts'],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      plugins: [startOnly],
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs);
    const packages = new Set(
      inputs.flatMap((file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
    );
    const seldom = inputs.filter((file) =>
      /^src\/engine\/(?:schema\/(?:pin|rewriting|change|change-faults|declared|fits|leads)|server\/(?:pending-packages|frozen|child-transport|(?:http|tasks|skills|upstream)\/.*|requests\/(?:tasks|skills))|(?:packages|skills)\/.*)\.ts$/.test(
        file,
      ),
    );
    expect(seldom).toEqual([]);
    for (const heavy of [
      'commander',
      'chalk',
      'ajv',
      'ajv-formats',
      'jsonc-parser',
      'yaml',
      'esbuild',
      'jose',
    ]) {
      expect([...packages]).not.toContain(heavy);
    }
    expect(inputs.filter((file) => file.startsWith('src/cli/')).sort()).toEqual([
      'src/cli/commands/start/arguments.ts',
      'src/cli/commands/start/run.ts',
      'src/cli/main.ts',
      'src/cli/shared/auto-install.ts',
      'src/cli/shared/exit-code.ts',
      'src/cli/shared/may-be-existing.ts',
    ]);
  });
});
