import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addFiles, writeFolder } from '../support/packages.js';
import { execute, installInto, pack } from '../support/packed.js';
import { root } from '../support/program.js';
import { startRegistry } from '../support/registry.js';

const page = readFileSync(path.join(root, 'docs/publishing.md'), 'utf8');

/** The commands of the page by the number of the section. */
const steps = Object.fromEntries(
  page
    .split(/^## /m)
    .map((section) => [
      Number.parseInt(section, 10),
      [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code),
    ]),
) as Readonly<Record<number, readonly string[]>>;

test('the page leads from a folder to a deprecated version on a registry', async () => {
  const machine = writeFolder();
  await installInto(machine, await pack());
  const registry = await startRegistry();
  const run = async (home: string, cwd: string, lines: readonly string[]) => {
    addFiles(home, { '.npmrc': registry.settings({ withCredentials: true }) });
    const env = {
      PATH: `${path.join(machine, 'node_modules/.bin')}:${process.env.PATH}`,
      HOME: home,
      AGENTTOOLS_AUTO_INSTALL: '',
      AGENTTOOLS_MCP_REGISTRY: 'none',
    };
    // The program is already installed.
    return await execute('sh', ['-c', ['set -e', 'npx() { "$@"; }', ...lines].join('\n')], { cwd, env });
  };

  expect(await run(machine, machine, ['agenttools create my-plugin'])).toMatchObject({ code: 0 });
  const folder = path.join(machine, 'my-plugin');
  const checked = await run(machine, folder, steps[1]!);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('valid my-plugin') });
  expect(checked.stderr).toContain('agenttools/tools/greet.json');

  const published = await run(machine, folder, [...steps[2]!, ...steps[3]!]);
  expect(published, published.stderr).toMatchObject({ code: 0 });
  expect(published.stdout).toContain('+ my-plugin@0.2.0');
  expect(published.stdout).toContain('+ my-plugin@0.2.1-beta.0');

  const stranger = writeFolder();
  const used = await run(stranger, stranger, steps[4]!);
  expect(used, used.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Added my-plugin 0.2.1-beta.0'),
  });
  expect(used.stdout).toContain('Hello, Ada!');

  expect(await run(machine, folder, steps[5]!)).toMatchObject({ code: 0 });
  const view = await run(machine, folder, ['npm view my-plugin@0.2.0 deprecated']);
  expect(view.stdout).toContain('Use 0.2.1, which fixes greet.');
}, 300_000);
