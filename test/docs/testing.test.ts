import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import * as testing from '../../src/testing.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { execute } from '../support/packed.js';
import { root } from '../support/program.js';
import { runCli } from '../support/run-cli.js';
import { examplePackages, typeErrors } from './support/example-packages.js';
import { blocks, pages } from './support/pages.js';

const [example] = examplePackages(blocks.filter(({ page }) => page === 'testing'));

/** The package of the page, in which `agenttools` is installed. */
function writeExample(): string {
  const folder = writeFolder();
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(root, path.join(folder, 'node_modules/agenttools'));
  addFiles(folder, {
    'package.json': {
      name: 'book',
      version: '1.0.0',
      private: true,
      type: 'module',
      agenttools: { tools: ['book'] },
    },
    ...example!.files,
  });
  return folder;
}

test('the cases of the page pass, once their snapshots are recorded', async () => {
  const cwd = writeExample();
  const before = await runCli(['test'], { cwd });
  expect([before.code, before.stdout]).toEqual([1, expect.stringContaining('The case has no snapshot.')]);
  expect((await runCli(['test', '--update'], { cwd })).code).toBe(0);
  expect(existsSync(path.join(cwd, 'agenttools/tools/book.case.snapshot.json'))).toBe(true);
  const { code, stdout } = await runCli(['test'], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('8 passed, the surface is as recorded')]);
});

test('the tests of the page pass in node:test', async () => {
  const cwd = writeExample();
  const { code, stdout } = await execute(
    process.execPath,
    ['--test', '--test-reporter', 'tap', 'test/book.test.js', 'test/handler.test.js'],
    { cwd },
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining('# pass 3')]);
}, 60_000);

test('calls, cases and the context have types', async () => {
  const folder = writeFolder({
    'package.json': { type: 'module' },
    'a.ts': `import { defineTool } from 'agenttools';
import { createTestContext, startTestServer, type TestCases } from 'agenttools/testing';
type Tools = { book: { arguments: { people: number }; output: { table: string } } };
const server = await startTestServer<Tools>('.', { user: { elicit: [{ accept: { place: 'inside' } }] } });
const { structuredContent } = await server.callTool('book', { people: 2 });
export const table: string | undefined = structuredContent?.table;
// @ts-expect-error an argument of another type
await server.callTool('book', { people: 'two' });
// @ts-expect-error an unknown tool
await server.callTool('cook', { people: 2 });
await (await startTestServer('.')).callTool('anything', { people: 2 });
export default { tool: 'book', cases: [{ expect: { check: () => {} } }] } satisfies TestCases;
const tool = defineTool({ input: { people: 'integer' }, handler: ({ people }, ctx) => [people, ctx.client.name].join() });
await tool.handler({ people: 2 }, createTestContext());
`,
  });
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.join(root, 'node_modules/@types'), path.join(folder, 'node_modules/@types'));
  expect(await typeErrors(folder)).toBe('');
}, 60_000);

test.each(Object.keys(testing))('the page shows %s', (name) => {
  expect(pages.testing).toContain(`${name}(`);
});
