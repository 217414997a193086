import { expect, test } from 'vitest';
import { expandOptionalValues } from '../../src/cli/shared/grammar/target-options.js';
import { blocks } from './support/pages.js';

test('the launch recipe attaches to the default port of --inspect', () => {
  const recipe = blocks.find(({ words }) => words.repository === '.vscode/launch.json');
  const [{ request, port }] = JSON.parse(recipe!.text).configurations;
  expect({ request, port }).toEqual({ request: 'attach', port: 9229 });
  expect(expandOptionalValues(['dev', '--inspect'])).toContain(`--inspect=${port}`);
});
