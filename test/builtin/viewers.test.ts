import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { minified } from '../../.scripts/apps.mjs';
import { root } from '../support/program.js';

const read = (file: string) =>
  readFileSync(path.join(root, 'src/builtin/wolfram/agenttools/apps', file), 'utf8');
const frameDomains = ['https://www.wolframcloud.com', 'https://wolfr.am'];

describe.each<[viewer: string, csp: object | undefined]>([
  ['mcp-apps-test', undefined],
  ['notebook-viewer', { frameDomains }],
  ['evaluator-viewer', { frameDomains }],
  ['wolframalpha-viewer', { resourceDomains: ['https://*.wolframalpha.com'], frameDomains }],
])('%s', (viewer, csp) => {
  test('weighs less than hosts load in passing', () => {
    expect(Buffer.byteLength(read(`${viewer}.html`))).toBeLessThan(60_000);
  });

  test('declares the origins that it reaches', () => {
    expect(JSON.parse(read(`${viewer}.json`)).csp).toEqual(csp);
  });
});

test('the bridge stays small', () => {
  expect(Buffer.byteLength(minified('bridge.js'))).toBeLessThan(6 * 1024);
});
