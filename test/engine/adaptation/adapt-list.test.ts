import { describe, expect, test } from 'vitest';
import { adaptInstructions, adaptTools } from '../../../src/engine/adaptation/adapt-list.js';
import { adaptationTarget, adaptationTargetOf } from '../../../src/engine/adaptation/adaptation-target.js';
import { limitSubjects } from '../../../src/engine/compatibility/client-limits.js';

type Mode = 'auto' | 'on';

const target = (client: string, mode: Mode, serverKey = 'demo') =>
  adaptationTargetOf(client, { mode, serverKey })!;

const tool = (name: string, rest: object = {}) => ({
  name,
  description: 'Does it.',
  inputSchema: object(),
  ...rest,
});

function object(properties: object = {}, rest: object = {}) {
  return { type: 'object', properties, ...rest };
}

function adapt(tools: readonly ReturnType<typeof tool>[], client: string, mode: Mode = 'on', key = 'demo') {
  return adaptTools(tools, target(client, mode, key));
}

function schemaFor(client: string, schema: object, mode: Mode = 'on') {
  return adapt([tool('x', { inputSchema: schema })], client, mode)[0]!.tool.inputSchema;
}

describe('names', () => {
  test('get an alias in plain characters, which is the same for each start and list', () => {
    const [first] = adapt([tool('a.b')], 'crush');
    const [, again] = adapt([tool('other'), tool('a.b')], 'crush');
    expect(first!.tool).toMatchObject({ name: 'a_b_2e7336dc', title: 'a.b' });
    expect(again!.tool.name).toBe(first!.tool.name);
    expect(first).toMatchObject({ original: 'a.b', changes: ['compat/tool-name-charset'] });
  });

  test('get different aliases if they differ in odd characters only', () => {
    const names = adapt([tool('a.b'), tool('a/b'), tool('a b'), tool('ä_b'), tool('a_b')], 'crush').map(
      ({ tool: { name } }) => name,
    );
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]*$/);
    expect(names.at(-1)).toBe('a_b');
  });

  test.each(['opencode', 'cursor', 'claude-code', 'kiro', 'goose', 'continue'])(
    'fit the limit of %s with the key of the server',
    (client) => {
      for (const key of ['a', 'a-rather-long-key-of-a-server']) {
        const [{ tool: adapted } = { tool: undefined }] = adapt(
          [tool(`long_${'name_'.repeat(30)}`)],
          client,
          'on',
          key,
        );
        expect(adapted!.name.length + key.length).toBeLessThanOrEqual(56);
      }
    },
  );

  test('get an alias if clients take two for one: only the odd one changes', () => {
    const names = adapt([tool('a_b'), tool('a.b')], 'opencode', 'auto').map(({ tool: { name } }) => name);
    expect(names).toEqual(['a_b', expect.stringMatching(/^a_b_[0-9a-f]{8}$/)]);
  });

  test('stay where clients keep names apart that differ in case only', () => {
    const names = (client: string) =>
      adapt([tool('A_b'), tool('a_B')], client).map(({ tool: { name } }) => name);
    expect(names('opencode')).toEqual(['A_b', 'a_B']);
    expect(names('cline')).toEqual(['A_b', expect.stringMatching(/^a_B_[0-9a-f]{8}$/)]);
  });

  test('get no alias that another tool has as its name', () => {
    const names = adapt([tool('a.b'), tool('a_b_2e7336dc')], 'crush').map(({ tool: { name } }) => name);
    expect(names).toEqual([expect.stringMatching(/^a_b_2e7336dc[0-9a-f]{4}$/), 'a_b_2e7336dc']);
  });

  test('stay if they fit', () => {
    const tools = [tool('read_file'), tool('write-file')];
    for (const { id } of limitSubjects)
      expect(adapt(tools, id).map(({ tool: { name } }) => name)).toEqual(['read_file', 'write-file']);
  });
});

describe('a tool that fits', () => {
  test('is the same object, for each client', () => {
    const plain = tool('read_file', {
      inputSchema: object({ path: { type: 'string', description: 'A path.' } }, { required: ['path'] }),
    });
    for (const { id } of limitSubjects) {
      const [adapted] = adapt([plain], id);
      expect(adapted!.tool).toBe(plain);
      expect(adapted!.changes).toEqual([]);
    }
  });

  test('is the same object for unknown clients, unless the mode is on', () => {
    const union = tool('x', { inputSchema: object({}, { oneOf: [object()] }) });
    for (const name of ['my-own-client', undefined]) {
      const [adapted] = adaptTools([union], adaptationTarget(name, { mode: 'auto', serverKey: 'x' }));
      expect(adapted!.tool).toBe(union);
    }
    const [adapted] = adaptTools([union], adaptationTarget('my-own-client', { mode: 'on', serverKey: 'x' }));
    expect(adapted!.changes).toContain('compat/root-union');
  });
});

test('clients are known by their names in MCP', () => {
  const id = (name: string) => adaptationTarget(name, { mode: 'on', serverKey: 'x' }).id;
  expect(id('claude-code')).toBe('claude-code on x');
  expect(id('codex-mcp-client')).toBe('codex on x');
  expect(id('qwen-cli-mcp-client-weather')).toBe('qwen-code on x');
  expect(id('Visual Studio Code - Insiders')).toBe('vscode on x');
  expect(id('constructor')).toBe('any on x');
});

describe('schemas', () => {
  const circle = object(
    { kind: { const: 'circle' }, radius: { type: 'number' } },
    { required: ['kind', 'radius'] },
  );
  const square = object(
    { kind: { const: 'square' }, side: { type: 'number' } },
    { required: ['kind', 'side'] },
  );

  test.each(['oneOf', 'anyOf'])(
    'with %s at the root become one object, and the tool names the variants',
    (keyword) => {
      const [adapted] = adapt(
        [tool('draw', { inputSchema: { type: 'object', [keyword]: [circle, square] } })],
        'claude-desktop',
        'auto',
      );
      expect(adapted!.tool.inputSchema).toEqual(
        object(
          {
            kind: { type: 'string', enum: ['circle', 'square'] },
            radius: { type: 'number' },
            side: { type: 'number' },
          },
          { required: ['kind'] },
        ),
      );
      expect(adapted!.tool.description).toBe(
        'Does it.\n\nGive either kind "circle" and radius, or kind "square" and side.',
      );
    },
  );

  test('with allOf at the root have the properties of all parts', () => {
    expect(
      schemaFor('claude-desktop', {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        allOf: [object({ b: { type: 'number' } }, { required: ['b'] }), object({ c: {} })],
      }),
    ).toEqual(object({ a: { type: 'string' }, b: { type: 'number' }, c: {} }, { required: ['a', 'b'] }));
  });

  test('with a condition at the root have its properties as optional ones', () => {
    expect(
      schemaFor('claude-desktop', {
        ...object({ mode: { type: 'string' } }, { required: ['mode'] }),
        if: { properties: { mode: { const: 'fast' } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
        then: { properties: { speed: { type: 'number' } }, required: ['speed'] },
      }),
    ).toEqual(object({ mode: { type: 'string' }, speed: { type: 'number' } }, { required: ['mode'] }));
  });

  test('have no references left, and repeat a recursive part twice', () => {
    const schema = schemaFor('crush', {
      ...object({ tree: { $ref: '#/$defs/node', description: 'The tree.' } }),
      $defs: { node: object({ name: { type: 'string' }, child: { $ref: '#/$defs/node' } }) },
    });
    const node = (child: object) => object({ name: { type: 'string' }, child });
    expect(schema).toEqual(object({ tree: { ...node(node(node({}))), description: 'The tree.' } }));
  });

  test('with many references to each other stay as they are', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `d${index}`,
        object({ a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } }),
      ]),
    );
    const schema = { ...object({ a: { $ref: '#/$defs/d0' } }), $defs: { ...defs, d20: {} } };
    expect(schemaFor('crush', schema)).toEqual(schema);
  });

  test.each(['items', 'prefixItems'])(
    'with positions (%s) become lists, and name the positions',
    (keyword) => {
      const positions = [{ type: 'number', description: 'Latitude.' }, { type: 'string' }];
      expect(schemaFor('codex', object({ at: { type: 'array', [keyword]: positions } }))).toMatchObject({
        properties: {
          at: {
            type: 'array',
            items: { anyOf: positions },
            description: 'Elements in this order: Latitude, string.',
          },
        },
      });
    },
  );

  test('give arrays a schema for their elements', () => {
    expect(schemaFor('vscode', object({ list: { type: 'array' } }), 'auto')).toEqual(
      object({ list: { type: 'array', items: {} } }),
    );
  });

  test('keep the description of a parameter of any type for clients that read lists of types', () => {
    const any = object({ value: { description: 'Any value.' } });
    expect(schemaFor('codex', any)).toEqual(
      object({
        value: {
          description: 'Any value.',
          type: ['string', 'number', 'boolean', 'object', 'array', 'null'],
        },
      }),
    );
    expect(schemaFor('gemini-cli', any)).toEqual(any);
  });

  test('have one type, and parameters that can be null are optional', () => {
    expect(
      schemaFor(
        'gemini-cli',
        object({ a: { type: ['string', 'null'], default: null } }, { required: ['a'] }),
        'auto',
      ),
    ).toEqual(object({ a: { type: 'string' } }));
  });

  test('have choices that are strings', () => {
    expect(schemaFor('gemini-cli', object({ size: { enum: [1, 2, 'x'], default: 2 } }), 'auto')).toEqual(
      object({ size: { type: 'string', enum: ['1', '2', 'x'], default: '2' } }),
    );
  });

  test('keep choices with two values of one text', () => {
    const schema = object({ size: { enum: [1, '1'] } });
    expect(schemaFor('gemini-cli', schema, 'auto')).toEqual(schema);
  });

  test('have names of parameters that APIs accept', () => {
    const schema = object({ 'a.b': { type: 'string' }, a_b: { type: 'string' } }, { required: ['a.b'] });
    expect(schemaFor('gemini-cli', schema, 'auto')).toEqual(
      object({ a_b_2: { type: 'string' }, a_b: { type: 'string' } }, { required: ['a_b_2'] }),
    );
  });

  test('repeat constraints in words for clients that delete the keywords', () => {
    const schema = object({ count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many.' } });
    expect(schemaFor('codex', schema)).toMatchObject({
      properties: { count: { description: 'How many. (at least 1; at most 9)' } },
    });
  });

  test('get smaller than the limit, and keep the names, types and some words of all parameters', () => {
    const words = 'A sentence about this parameter, with many words. Another one that nothing needs. ';
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `p${index}`,
        { type: 'string', description: words.repeat(3) },
      ]),
    );
    const schema = schemaFor('codex', object(properties));
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(5000);
    for (const [name, property] of Object.entries(properties))
      expect(schema).toMatchObject({
        properties: {
          [name]: { type: property.type, description: expect.stringMatching(/^A sentence about/) },
        },
      });
  });
});

describe('texts', () => {
  const sentences = 'One sentence after another. '.repeat(200);

  test('end with a sentence in a tool', () => {
    const [adapted] = adapt([tool('x', { description: sentences })], 'claude-code');
    const { description } = adapted!.tool as unknown as { description: string };
    expect(description.length).toBeLessThanOrEqual(4096);
    expect(description).toMatch(/another\. …$/);
  });

  test('do not end with an abbreviation', () => {
    const description = `${'Word '.repeat(600)}end. ${'word '.repeat(150)}(e.g. ${'x'.repeat(1000)})`;
    const [adapted] = adapt([tool('x', { description })], 'claude-code');
    expect(adapted!.tool.description).toMatch(/ end\. …$/);
  });

  test('end with a sentence in the instructions of a server', () => {
    const text = adaptInstructions(sentences, target('claude-code', 'on'));
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text).toMatch(/another\. …$/);
    expect(adaptInstructions(sentences, target('codex', 'on'))).toBe(sentences);
    // Cut instructions lose no tool.
    expect(adaptInstructions(sentences, target('claude-code', 'auto'))).toBe(sentences);
  });
});
