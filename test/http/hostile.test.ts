import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileCode } from '../support/hostile-code.js';
import { connectHttp } from '../support/http-client.js';
import { type HttpProgram, startHttp } from '../support/http-program.js';
import { writePackage } from '../support/packages.js';
import type { Message } from '../support/program.js';

const directory = writePackage(
  { tools: ['run', 'ok', 'block'] },
  {
    'agenttools/tools.json': {
      run: { description: 'Runs code.', handler: './run.js#run', timeoutMs: 1000 },
      ok: { description: 'Answers.', handler: './run.js#ok' },
      block: { description: 'Blocks.', handler: './run.js#block', timeoutMs: 3000 },
    },
    'run.js': `
      const AsyncFunction = (async () => {}).constructor;
      export const run = async ({ body }, ctx) => await new AsyncFunction('args', 'ctx', body)({ body }, ctx);
      export const ok = () => 'ok';
      export const block = () => { for (;;); };`,
  },
);

/** One of each family. `test/stdio/hostile-handlers.full.test.ts` has them all. */
const sample = hostileCode.filter(
  ({ family }, index) => hostileCode.findIndex((one) => one.family === family) === index,
);

describe('a server over HTTP', () => {
  let program: HttpProgram;

  beforeAll(async () => {
    program = await startHttp(directory);
  });

  afterAll(async () => {
    expect(await program.end()).toBe(0);
  });

  test.each(sample)('serves all users on after $family: $name', async ({ body }) => {
    const [one, other] = await Promise.all([
      connectHttp(program.url, { mode: 'legacy' }),
      connectHttp(program.url, { mode: 'pinned' }),
    ]);
    const result = (await one.callTool({ name: 'run', arguments: { body } })) as Message;
    expect(Array.isArray(result.content)).toBe(true);
    for (const client of [one, other]) {
      expect((await client.listTools()).tools).toHaveLength(3);
      expect(((await client.callTool({ name: 'ok' })) as Message).content[0].text).toBe('ok');
      await client.close();
    }
    expect((await fetch(new URL('/healthz', program.url))).status).toBe(200);
  });

  test('reports bad health while its code blocks, and recovers', async () => {
    const client = await connectHttp(program.url, { mode: 'pinned' });
    const blocked = client.callTool({ name: 'block' });
    // The call is with the host before the question is.
    await client.listTools();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const health = await fetch(new URL('/healthz', program.url));
    expect([health.status, await health.json()]).toEqual([503, { status: 'unresponsive' }]);
    expect(((await blocked) as Message).isError).toBe(true);
    expect((await fetch(new URL('/healthz', program.url))).status).toBe(200);
    await client.close();
  });
});
