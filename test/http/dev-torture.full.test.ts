import { expect, it } from 'vitest';
import { startDev } from '../support/dev.js';
import { connectHttp } from '../support/http-client.js';
import { addFiles, type Files, packageJson, writeFolder } from '../support/packages.js';
import { eventually, type Message } from '../support/program.js';

const swaps = 20;
const calls = 1000;

const version = (number: number): Files => ({
  'lib/deep.js': `export const version = ${number};`,
});

it(`loses none of ${calls} calls during ${swaps} swaps`, async () => {
  const folder = writeFolder({
    'package.json': packageJson({ tools: ['echo', 'code'] }),
    'agenttools/tools/echo.json': {
      description: 'Echoes.',
      input: { number: 'integer' },
      handler: './lib/echo.js',
    },
    'agenttools/tools/code.js': `
      import { version } from '../../lib/deep.js';
      export default { description: 'Version ' + version, handler: () => version };`,
    'lib/echo.js': `
      import { version } from './deep.js';
      export default async ({ number }) => {
        await new Promise((resolve) => setTimeout(resolve, number % 40));
        return { number, version };
      };`,
    ...version(0),
  });
  const dev = await startDev(folder, ['--no-page']);
  const clients = await Promise.all(
    (['legacy', 'pinned'] as const).map(async (mode) => await connectHttp(dev.url, { mode })),
  );
  const seen = new Set<number>();
  let next = 0;
  let served = 0;
  const work = async (index: number) => {
    // Calls go on until all versions were served.
    while (next < calls || served < swaps) {
      const number = next;
      next += 1;
      const client = clients[index % clients.length]!;
      const result = (await client.callTool({ name: 'echo', arguments: { number } })) as Message;
      expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
      expect(result.structuredContent.number).toBe(number);
      seen.add(result.structuredContent.version);
    }
  };
  const swapAll = async () => {
    for (let number = 1; number <= swaps; number += 1) {
      addFiles(folder, version(number));
      await eventually(() => dev.stderr().split(/(?:Updated|Fixed) in/).length > number, `version ${number}`);
      served = number;
    }
  };
  await Promise.all([swapAll(), ...Array.from({ length: 8 }, async (_, index) => await work(index))]);
  expect(next).toBeGreaterThanOrEqual(calls);
  expect(seen.size).toBeGreaterThan(swaps / 2);
  const { tools } = await clients[0]!.listTools();
  expect(tools.map(({ description }) => description)).toContain(`Version ${swaps}`);
  await Promise.all(clients.map(async (client) => await client.close()));
  expect(await dev.end()).toBe(0);
}, 300_000);
