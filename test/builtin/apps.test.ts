import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appFiles, inlined } from '../../.scripts/apps.mjs';
import { root } from '../support/program.js';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const takers = appFiles()
  .map((file) => path.relative(root, file))
  .filter((file) => read(file).includes('data-from='));

test.each(takers)('has the current copy of src/apps in %s (`npm run apps` writes it)', (file) => {
  expect(read(file) === inlined(read(file))).toBe(true);
});

test('an app takes a file by the name of its element', () => {
  const page = '<script data-from="bridge.js">old</script><script>own()</script>';
  expect(inlined(page)).toMatch(
    /^<script data-from="bridge.js">\nconst\{connectApp\}=.*<script>own\(\)<\/script>$/s,
  );
  expect(inlined('<script>own()</script>')).toBe('<script>own()</script>');
});
