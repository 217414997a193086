import { describe, expect, test } from 'vitest';
import { validateExtension } from '../../../src/engine/validate/validate.js';
import { makePackage, packageJson } from './support/package.js';
import { optionsFor } from './support/validating.js';

async function messagesOf(files: Parameters<typeof makePackage>[0], load = true) {
  const folder = await makePackage(files);
  const { diagnostics } = await validateExtension(folder, optionsFor({ load }));
  return diagnostics
    .filter(({ code }) => code !== 'not-checked')
    .map(({ code, message }) => `${code} ${message}`);
}

/** A package with one tool, whose handler is the function `pay` of a module. */
const withHandler = (source: string, more: Readonly<Record<string, string>> = {}) => ({
  'package.json': packageJson({ tools: ['pay'] }),
  'agenttools/tools/pay.json': { description: 'Pays.', handler: './pay.js#pay' },
  'pay.js': source,
  ...more,
});

describe('a function that takes its arguments one by one, of which nothing was derived', () => {
  test.each([true, false])('is reported, with and without loading code (%s)', async (load) => {
    const source = 'export function pay(who, amount = 5) {}';
    expect(await messagesOf(withHandler(source), load)).toEqual([
      'stale-derivation Tool "pay" has no "input", and "./pay.js#pay" takes its arguments one by one (who, amount), but there is no agenttools/derived.json. Run "agenttools derive". A function that takes them as (args, ctx) has "input": {}.',
    ]);
  });

  test.each([
    ['export const pay = async (x, y, z) => x + y + z;'],
    ['export function pay(who, amount, ctx) {}'],
    ['export function pay(...names) {}'],
    ['/** @param {string} who */\nexport function pay(who) {}'],
    ['/** @param {string} who */\nexport function pay(who, ctx) {}'],
    ['/** Pays. @mcp */\nexport function pay(who) {}'],
    ['function give(a, b) {}\nexport { give as pay };'],
    ["export { give as pay } from './other.js';"],
    ["export * from './all.js';"],
  ])('%s', async (source) => {
    const more = { 'other.js': 'export function give(a, b) {}', 'all.js': 'export const pay = (a, b) => a;' };
    const [message, ...others] = await messagesOf(withHandler(source, more));
    expect(message).toMatch(/^stale-derivation .*Run "agenttools derive"/);
    expect(others).toEqual([]);
  });

  test.each([
    ['export const pay = () => 1;'],
    ['export const pay=(e,t)=>e;'],
    ['export const pay = (args) => 1;'],
    ['export const pay = (who) => 1;'],
    ['export const pay = ({ who, amount }, { log }) => 1;'],
    ['export const pay = (_, ctx) => 1;'],
    ['export const pay = (input, extra) => 1;'],
    ['export const pay = (args, ctx, fetch = globalThis.fetch) => 1;'],
    ['/** @param {{ who: string }} all */\nexport function pay(all, ctx) {}'],
  ])('is not what a handler is: %s', async (source) => {
    expect(await messagesOf(withHandler(source))).toEqual([]);
  });

  test('needs nothing derived where an input is given', async () => {
    const files = withHandler('export const pay = (a, b) => 1;');
    const definition = { ...files['agenttools/tools/pay.json'], input: {} };
    expect(await messagesOf({ ...files, 'agenttools/tools/pay.json': definition })).toEqual([]);
  });
});

test('distinguishes a marked function from a missing tool', async () => {
  const files = {
    'package.json': packageJson({ tools: ['pay', 'give.all', 'gone'] }),
    'agenttools/README.md': '',
    'index.js':
      '/** Pays. @mcp */\nexport function pay(a) {}\n/**\n * Gives.\n * @mcp name=give.all\n */\nexport function give(b) {}\n',
  };
  const derive = 'but there is no agenttools/derived.json. Run "agenttools derive".';
  expect(await messagesOf(files)).toEqual([
    `missing-definition Tool "pay" has no definition. A function of index.js is marked "@mcp" and has that name, ${derive}`,
    `missing-definition Tool "give.all" has no definition. A function of index.js is marked "@mcp" and has that name, ${derive}`,
    'missing-definition Tool "gone" has no definition. Expected agenttools/tools/gone.json.',
  ]);
});

test.each([
  ['its functions are named', ['pay']],
  ['its module is a toolkit', [{ toolkit: 'kit', module: './index.js' }]],
])('a package without definitions needs no folder made by hand (%s)', async (_, tools) => {
  const files = {
    'package.json': packageJson({ tools }),
    'index.js': '/** @mcp */\nexport function pay(a) {}',
  };
  expect(await messagesOf(files)).toEqual([
    expect.stringMatching(/^missing-root There is no folder .* run "agenttools derive", which makes it/),
  ]);
});
