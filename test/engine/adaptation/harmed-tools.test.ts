import { describe, expect, test } from 'vitest';
import { findHarmedTools } from '../../../src/engine/adaptation/harmed-tools.js';
import { recordedServers } from '../../support/recorded-servers.js';

const object = (properties: Readonly<Record<string, unknown>> = {}) => ({ type: 'object', properties });
const named = (name: string, inputSchema: unknown = object()) => ({ name, inputSchema });

const harms = (...[tools, client, adapt]: Parameters<typeof find>) =>
  find(tools, client, adapt).map(({ limit, tools }) => [limit.code, ...tools]);
const find = (
  tools: Parameters<typeof findHarmedTools>[0],
  client: string,
  adapt: 'auto' | 'on' | 'off' = 'off',
) => findHarmedTools(tools, client, { serverKey: 'kit', adapt });

const large = object(
  Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [
      `p${index}`,
      { type: 'string', description: 'Word '.repeat(120) },
    ]),
  ),
);
const tuple = object({ pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } });

describe('harmed tools', () => {
  test('are tools that the client loses, or whose descriptions it drops', () => {
    const tools = [named('plain'), named('large', large), named('pair', tuple)];
    expect(harms(tools, 'codex')).toEqual([
      ['compat/schema-size', 'large'],
      ['compat/schema-tuple', 'pair'],
    ]);
  });

  test('are tools whose names the client cannot keep apart', () => {
    expect(harms([named('a_b'), named('a.b')], 'opencode')).toEqual([['compat/tool-name-collision', 'a.b']]);
  });

  test('are found in the form that the client gets', () => {
    const tools = [named('large', large), named('pair', tuple)];
    expect(harms(tools, 'codex', 'auto')).toEqual([['compat/schema-size', 'large']]);
    expect(harms(tools, 'codex', 'on')).toEqual([]);
  });

  test('are unknown for a client without known limits', () => {
    expect(harms([named('pair', tuple)], 'warp')).toEqual([]);
  });

  test.each([
    'claude-code',
    'codex',
    'gemini-cli',
    'opencode',
    'qwen-code',
    'copilot-cli',
    'vscode',
    'cursor',
  ])('do not exist in %s with adaptation, for all recorded servers', (client) => {
    const rest = Object.entries(recordedServers).flatMap(([name, { exchanges }]) => {
      const tools = exchanges.find(({ method }) => method === 'tools/list')!.result!.tools;
      return harms(tools as never, client, 'on').map((harm) => [name, ...harm]);
    });
    expect(rest).toEqual([]);
  });
});
