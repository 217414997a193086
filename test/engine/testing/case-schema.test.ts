import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { caseItems, caseSchema } from '../../../src/engine/testing/case-schema.js';
import { pages } from '../../docs/support/pages.js';
import { root } from '../../support/program.js';

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const { properties } = caseSchema as unknown as Schema;

test('the package contains the schema of case files', () => {
  const file = path.join(root, 'dist/schemas/case.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(caseSchema);
});

test('a case in a list has the keys of a file with one case', () => {
  const { $schema: _, cases, ...own } = properties;
  expect(Object.keys(cases!.items!.properties)).toEqual(Object.keys(own));
  expect(Object.keys(own)).toEqual(expect.arrayContaining([...caseItems]));
});

test('the page explains each key and each expectation', () => {
  const { $schema: _, cases: __, name: ___, ...keys } = properties;
  const { check: ____, ...expectations } = properties.expect!.properties;
  for (const key of [...Object.keys(keys), ...Object.keys(expectations)])
    expect(pages.testing).toContain(`\`${key}\``);
});
