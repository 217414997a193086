import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../support/program.js';

/** `const { name } = await import('package')`, with the names and the package. */
const namedImport = /const \{([^}]*)\} = await import\(\s*'(?!node:)((?:@[\w-]+\/)?[\w-]+)/g;

/** True if bundlers take the CommonJS module of a package, from which only the default export survives. */
function isCommonJs(name: string): boolean {
  const file = path.join(root, 'node_modules', name, 'package.json');
  const { type, module, exports } = JSON.parse(readFileSync(file, 'utf8'));
  return type !== 'module' && module === undefined && !JSON.stringify(exports ?? '').includes('"import"');
}

test('takes the default export of CommonJS packages that are imported late', () => {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const named = sources
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, 'src', file), 'utf8');
      return [...text.matchAll(namedImport)].map(([, names = '', name = '']) => ({ file, names, name }));
    });
  expect(named.some(({ name }) => name === 'yaml')).toBe(true);
  const lost = named.filter(({ names, name }) => !names.includes('default') && isCommonJs(name));
  expect(lost.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
