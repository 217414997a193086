import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findCopyFaults } from '../../../src/engine/base/plain-data.js';
import { type Definition, Extension, importDefault } from '../../../src/engine/extension/extension.js';
import { copyOfExport } from '../../../src/engine/extension/live-definition.js';
import { describeModule } from '../../../src/engine/host/describe-module.js';
import { readDescription } from '../../../src/engine/host/read-description.js';
import { compileSchema } from '../../../src/engine/schema/index.js';
import { packageJson, writeFolder } from '../../support/packages.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** The way of a description from a host to the front. */
async function describeInFront(file: string) {
  const description = readDescription(JSON.parse(JSON.stringify(await describeModule(file))));
  if (description === undefined) throw new Error('The description was refused.');
  return description;
}

async function defineTool(source: string): Promise<Definition> {
  const folder = writeFolder({
    'package.json': packageJson({ tools: ['forecast'] }),
    'agenttools/tools/forecast.js': source,
  });
  const extension = await Extension.open(folder, { loadCode: describeInFront });
  return await extension.definition('tools', 'forecast');
}

describe('a description', () => {
  test('shares one copy with the definition, though getters return other values later', async () => {
    const source = `let reads = 0; export default { get description() { reads += 1; return 'Read ' + reads; }, handler() {} };`;
    const file = path.join(writeFolder({ 'tool.js': source }), 'tool.js');
    const { live } = (await importDefault(file, 'tool.js')) as { readonly live: unknown };
    const described = [await describeModule(file), await describeModule(file), copyOfExport(live)];
    expect(described.map(({ value }) => value)).toMatchObject(Array(3).fill({ description: 'Read 1' }));
  });

  test('replaces the definition in the front', async () => {
    const { value } = await defineTool(`export default {
      description: 'Forecast',
      input: { city: 'string' },
      meta: { 'example.com/a': [1, { b: null }] },
      handler: async function forecast(args, ctx) {},
    };`);
    expect(value).toEqual({
      description: 'Forecast',
      input: { city: 'string' },
      meta: { 'example.com/a': [1, { b: null }] },
      handler: { '@@': 'function', name: 'forecast', length: 2 },
    });
  });

  test.each([
    [
      'fields()',
      `import { fields } from '${root}/src/index.ts'; const input = fields({ city: { type: 'string', required: true } });`,
    ],
    [
      'jsonSchema()',
      `import { jsonSchema } from '${root}/src/index.ts';
        const input = jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });`,
    ],
    [
      'a Standard Schema',
      `import { z } from '${root}/node_modules/zod/index.js'; const input = z.object({ city: z.string() });`,
    ],
  ])('compiles the schema of %s', async (_, source) => {
    const { value } = await defineTool(`${source} export default { input, handler() {} };`);
    const { wire } = await compileSchema(value.input, { side: 'input' });
    expect(wire).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  test('names the parts without a JSON form', async () => {
    const { value } = await defineTool(`const meta = { a: 1n, b: 2 }; meta.self = meta;
      export default { meta, handler() {} };`);
    expect(value.meta).toEqual({ b: 2 });
    expect(findCopyFaults(value.meta)).toEqual([
      { path: ['a'], what: 'a BigInt', lacksForm: true },
      { path: ['self'], what: 'a value that holds itself', lacksForm: true },
    ]);
  });

  test('fails with definition-failed if the module throws', async () => {
    await expect(defineTool("throw new Error('no key')")).rejects.toMatchObject({
      code: 'definition-failed',
      message: expect.stringContaining('no key'),
    });
  });
});

describe('a description from a host that is not trusted', () => {
  test.each([
    ['text', 'text'],
    ['nothing but a value', { value: {} }],
    ['faults that are no list', { value: {}, faults: {} }],
    ['a fault without a path', { value: {}, faults: [{ what: 'x' }] }],
    ['a path of objects', { value: {}, faults: [{ what: 'x', path: [{}] }] }],
    ['an endless path', { value: {}, faults: [{ what: 'x', path: Array(2000).fill('a') }] }],
    ['a fault without words', { value: {}, faults: [{ path: [] }] }],
    ['a list', []],
  ])('is refused if it is %s', (_, sent) => {
    expect(readDescription(sent)).toBeUndefined();
  });

  test('is cut where it exceeds the budget of plain data', () => {
    const deep = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`);
    const { value, faults } = readDescription({ value: { name: 'x', deep }, faults: [] })!;
    expect(value).toMatchObject({ name: 'x' });
    expect(faults).toHaveLength(1);
    expect(faults[0]!.what).toMatch(/^a value nested deeper than/);
  });

  test('keeps a thousand faults', () => {
    const faults = Array.from({ length: 5000 }, () => ({ path: ['a'], what: 'x' }));
    expect(readDescription({ value: {}, faults })!.faults).toHaveLength(1000);
  });
});
