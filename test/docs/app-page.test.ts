import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appFiles, inlined } from '../../.scripts/apps.mjs';
import { readPage } from '../../src/engine/validate/page/analyze-page.js';
import { root } from '../support/program.js';
import { blocks } from './support/pages.js';

const whole = path.join(root, 'docs/apps/greeting.html');

test('the app of the page is the one to copy, with the bridge as it is now', () => {
  const block = blocks.find(({ page, language }) => page === 'apps' && language === 'html');
  expect(inlined(block!.text)).toBe(readFileSync(whole, 'utf8'));
  expect(appFiles()).toContain(whole);
});

test('the page that a rule shows is one that introduces itself', () => {
  const text = readFileSync(path.join(root, 'docs/rules/app-without-handshake.md'), 'utf8');
  const [, bad, good] = text.split(/^```html\n/m).map((part) => part.split('\n```')[0]!);
  expect(readPage(bad!).unsaid).toHaveLength(3);
  expect(readPage(good!)).toMatchObject({ unsaid: [], reaches: [], faults: [], hasDoctype: true });
});
