import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileCode } from '../support/hostile-code.js';
import { writePackage } from '../support/packages.js';
import { openProgram, type Program } from '../support/program.js';

const directory = writePackage(
  { tools: ['run', 'ok'], resources: ['fact'] },
  {
    'agenttools/tools.json': {
      run: { description: 'Runs code.', handler: './run.js#run', timeoutMs: 1000 },
      ok: { description: 'Answers.', handler: './run.js#ok' },
    },
    'agenttools/resources/fact.json': { uri: 'acme://fact', description: 'A fact.', text: 'Water is wet.' },
    'run.js': `
      const AsyncFunction = (async () => {}).constructor;
      export const run = async ({ body }, ctx) => await new AsyncFunction('args', 'ctx', body)({ body }, ctx);
      export const ok = () => 'ok';`,
  },
);

describe('hostile handlers', () => {
  let program: Program;

  beforeAll(async () => {
    program = await openProgram(directory, { env: { NODE_OPTIONS: '--max-old-space-size=256' } });
  });

  afterAll(async () => {
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  test.each(hostileCode)('survives $family: $name', async ({ body }) => {
    const result = await program.call('run', { body });
    expect(Array.isArray(result.content)).toBe(true);
    expect((await program.request('tools/list')).tools).toHaveLength(2);
    expect((await program.request('resources/read', { uri: 'acme://fact' })).contents[0].text).toBe(
      'Water is wet.',
    );
    expect(await program.textOf('ok')).toBe('ok');
    expect(await program.textOf('ok')).toBe('ok');
  });
});
