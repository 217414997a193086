import { describe, expect, test } from 'vitest';
import { checkBudget } from '../../../src/engine/compatibility/token-budget.js';
import { estimate, measureServer } from '../../../src/engine/compatibility/token-cost.js';
import { findTokenCounter } from '../../../src/engine/compatibility/token-counter.js';
import { addFiles, writeFolder } from '../../support/packages.js';
import { recordedServers } from '../../support/recorded-servers.js';

/** Tokens of o200k for the tools of real servers, as gpt-tokenizer 4.0.0 counted them. */
const counted: Readonly<Record<string, number>> = {
  filesystem: 1737,
  'chrome-devtools': 6117,
  notion: 17_142,
  mongodb: 14_071,
  kubernetes: 5089,
  'desktop-commander': 10_834,
};

function toolsOf(name: string) {
  return recordedServers[name]!.exchanges.filter(({ method }) => method === 'tools/list').flatMap(
    ({ result }) => result!.tools as { name: string }[],
  );
}

describe('the estimate for tools', () => {
  test.for(Object.entries(counted))('is within 10 %% for %s, which has %i tokens', ([name, tokens]) => {
    const cost = measureServer({ key: name, tools: toolsOf(name) });
    expect(Math.abs(cost.tokens / tokens - 1)).toBeLessThan(0.1);
  });

  test('counts each character of scripts without spaces', () => {
    expect(estimate.count('读取文件并返回内容')).toBe(10);
    expect(estimate.count('')).toBe(0);
  });
});

test('names the largest part, and the tokens of clients that change tools', () => {
  const tool = {
    name: 'find',
    description: 'Finds notes. '.repeat(800),
    inputSchema: { type: 'object', properties: { query: { type: 'string', default: 'a b c d e f' } } },
  };
  const cost = measureServer({ key: 'notes', tools: [tool] });
  expect(cost.tools[0]!.largest.part).toBe('description');
  expect(cost.clients['claude-code']).toBeLessThan(cost.tokens / 2);
  expect(cost.clients.codex).toBeLessThan(cost.tokens);
});

test('the budget is a number, or the default for servers and tools', () => {
  const words = (count: number) => ({ name: `t${count}`, description: 'note '.repeat(count) });
  const cost = measureServer({ key: 'notes', tools: [words(10), words(1200)] });
  const codes = (tokens?: number) =>
    [...checkBudget(cost, { tokens })].map(({ severity, tool = 'server' }) => `${severity} ${tool}`);
  expect(codes()).toEqual(['warning t1200']);
  expect(codes(500)).toEqual(['error server']);
  expect(codes(5000)).toEqual([]);
  const [fault] = checkBudget(cost, { tokens: 500 });
  expect(fault!.message).toMatch(
    /^The tools of the server "notes" need ≈ 1,\d{3} tokens of each request, more than 500\. Most: t1200 1,\d{3} \(description\), t10 \d+ \(description\)\./,
  );
});

test('the tokenizer of the project counts if there is one', async () => {
  const folder = writeFolder({});
  expect((await findTokenCounter(folder)).name).toBe('estimate');
  addFiles(folder, {
    'node_modules/gpt-tokenizer/package.json': {
      name: 'gpt-tokenizer',
      type: 'module',
      exports: { './*': './*.js' },
    },
    'node_modules/gpt-tokenizer/encoding/o200k_base.js': 'export const countTokens = (text) => text.length;',
  });
  const counter = await findTokenCounter(folder);
  expect([counter.name, counter.errorPercent, counter.count('four')]).toEqual(['o200k', 0, 4]);
});
