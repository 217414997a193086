import path from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { type Program, startProgram } from '../support/program.js';

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

describe('the tools of the probe servers, which clients lose or damage', () => {
  const probeServer = path.resolve(import.meta.dirname, '../../.scripts/capture/probe-server.mjs');
  const log = path.join(writeFolder({}), 'log');
  const probe = (key: string) => [process.execPath, probeServer, key, log] as const;
  const namesIn = async (program: Program): Promise<readonly string[]> =>
    (await program.request('tools/list')).tools.map(({ name }: { name: string }) => name);
  const called = async (program: Program, names: readonly string[]): Promise<readonly string[]> => {
    const results = await Promise.all(
      names.map(async (name) => await program.request('tools/call', { name, arguments: {} })),
    );
    return results.map(({ content }) => content[0].text);
  };
  const keys = ['probe', 'boolean', 'null', 'typeless', 'required', 'output'];

  test.each([
    'claude-code',
    'codex-mcp-client',
    'gemini-cli-mcp-client',
    'qwen-cli-mcp-client-probe',
    'copilot-cli',
    'opencode',
    'some-other-client',
  ])('are all there for %s, and each call reaches its tool, by the original name, too', async (client) => {
    for (const key of keys) {
      const direct = startProgram(undefined, { command: probe(key) });
      await direct.initialize();
      // Clients without UI do not get tools for apps.
      const originals = (await namesIn(direct)).filter((name) => name !== 'app_only');
      const program = startProgram(undefined, { flags: ['--adapt', '--', ...probe(key)] });
      await program.initialize('2025-11-25', {}, client);
      const names = (await namesIn(program)).filter((name) => name !== 'read_result');
      expect(new Set(names).size).toBe(originals.length);
      expect(await called(program, names)).toEqual(originals);
      expect(await called(program, originals)).toEqual(originals);
      await Promise.all([direct.end(), program.end()]);
      expect(program.stderr).toBe('');
    }
  });
});
