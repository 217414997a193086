import { expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { startProgram } from '../support/program.js';

test('a long call of a client that ends calls without progress gets progress up to its result', async () => {
  const folder = writeFolder({
    'package.json': JSON.stringify({ name: 'slow', version: '1.0.0', agenttools: { tools: ['wait'] } }),
    'agenttools/tools/wait.js': `export default {
      description: 'Waits.',
      handler: async () => await new Promise((resolve) => setTimeout(() => resolve('done'), 9000)),
    };`,
  });
  const program = startProgram(folder);
  await program.initialize('2025-11-25', {}, 'opencode');
  const result = await program.request('tools/call', { name: 'wait', _meta: { progressToken: 'p' } });
  expect(result).toMatchObject({ content: [{ text: 'done' }] });
  const isProgress = ({ method }: { method?: string }) => method === 'notifications/progress';
  const values = program.messages.filter(isProgress).map(({ params }) => params.progress);
  expect(values).toEqual([0, 1e-6]);
  expect(isProgress(program.messages.at(-1))).toBe(false);
  expect(await program.end()).toEqual({ code: 0, signal: null });
});
