import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  defineToolkit,
  expand,
  fields,
  jsonSchema,
  type ToolContext,
  type ToolDefinition,
  tool,
  use,
} from '../../../src/index.js';

function read() {
  return '';
}

describe('tool', () => {
  test('is named by its function unless an option set gives a name', () => {
    function server_time() {
      return 'now';
    }
    const arrow = async () => 'soon';
    expect(tool(server_time)).toEqual({ name: 'server_time', handler: server_time });
    expect(tool({}, arrow).name).toBe('arrow');
    expect(tool({ name: 'files.read' }, read).name).toBe('files.read');
  });

  test('merges several option sets by key; the last one wins', () => {
    const made = tool(
      { name: 'a', category: 'A', meta: { one: 1 }, title: 'T' },
      { category: 'B', meta: { two: 2 } },
      { name: 'b', title: undefined } as object,
      read,
    );
    expect(made).toEqual({ name: 'b', category: 'B', meta: { two: 2 }, title: 'T', handler: read });
  });

  test('types arguments and result by the merged options', () => {
    const made = tool(
      { input: { path: 'string' }, output: { size: { type: 'integer', required: true } } },
      {
        name: 'open',
        input: fields({
          path: { type: 'string', required: true },
          mode: { type: 'enum', values: ['r', 'w'] },
        }),
      },
      ({ path, mode }, ctx) => {
        expectTypeOf(path).toEqualTypeOf<string>();
        expectTypeOf(mode).toEqualTypeOf<'r' | 'w' | undefined>();
        expectTypeOf(ctx).toEqualTypeOf<ToolContext>();
        return { size: path.length };
      },
    );
    expectTypeOf(made.handler).parameter(0).toEqualTypeOf<{ path: string; mode?: 'r' | 'w' }>();
    tool({ name: 'sum', input: z.object({ x: z.number() }) }, async ({ x }) => {
      expectTypeOf(x).toEqualTypeOf<number>();
      return x;
    });
    tool(
      { name: 'raw', input: { q: 'string' } },
      { inputSchema: { type: 'object' } },
      { title: 'Raw' },
      { description: 'Takes anything.' },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
        return args;
      },
    );
    tool({ name: 'text', input: '{"type":"object"}' }, (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      return 1;
    });
    tool({ name: 'default', input: { n: { type: 'integer', default: 1 } } }, ({ n }) => n + 1);
    expect(() => {
      // @ts-expect-error the result is no number
      tool({ name: 'size', output: { size: { type: 'integer', required: true } } }, () => ({ size: 'big' }));
      // @ts-expect-error three parameters
      tool({ name: 'sum' }, (a: object, b: ToolContext, c: number) => [a, b, c]);
    }).toThrow(/"sum"/);
    // @ts-expect-error no tool has this key
    expect(() => tool({ name: 'typo', hiden: true }, read)).toThrow(
      /^Tool "typo" has an unknown key "hiden"\. Did you mean "hidden"\?/,
    );
  });

  test('is what defineTool makes, so that both go into one list', () => {
    expectTypeOf(tool({ name: 'read' }, read)).toExtend<ToolDefinition>();
  });

  const three = (a: unknown, b: unknown, c: unknown) => [a, b, c];
  const anything = tool as (...parts: unknown[]) => unknown;
  test.for<[string, unknown[], RegExp]>([
    ['no function', [{ name: 'read' }, {}], /^Tool "read" has no function: its last argument is an object/],
    ['nothing at all', [], /^A tool has no function: its last argument is undefined/],
    [
      'three parameters',
      [{ name: 'sum' }, three],
      /^Tool "sum" .*at most \(args, ctx\); it has 3 parameters/,
    ],
    ['three parameters, unnamed', [{}, three], /^Tool "three" /],
    ['an anonymous function', [{}, () => 1], /^A tool has no name/],
    [
      'a default export',
      [Object.defineProperty(() => 1, 'name', { value: 'default' })],
      /^A tool has no name/,
    ],
    [
      'an option set that is no object',
      [{ name: 'read' }, 'Files', read],
      /^Tool "read": its option set 2 is a string/,
    ],
    ['a list as option set', [[], read], /^Tool "read": its option set 1 is a list/],
    ['null as option set', [null, read], /^Tool "read": its option set 1 is null/],
    [
      'an unknown annotation',
      [{ annotations: { readonly: true } }, read],
      /^Tool "read" .*unknown key "annotations\.readonly"/,
    ],
    [
      'an annotation that is no hint',
      [{ annotations: { readOnlyHint: 'yes' } }, read],
      /"annotations\.readOnlyHint"/,
    ],
    ['a title that is no text', [{ title: 5 }, read], /^Tool "read" has an unusable "title"/],
    [
      'a name that clients refuse',
      [{ name: 'read file' }, read],
      /^Tool "read file" has a name that clients refuse/,
    ],
    ['a bound function', [read.bind(undefined)], /^Tool "bound read" has a name that clients refuse/],
    [
      'JSON text that is none',
      [{ input: '{\n  "type": object\n}' }, read],
      /^Tool "read" has an unusable "input": Not valid JSON: /,
    ],
    [
      'JSON text of no object',
      [{ output: '[]' }, read],
      /"output": The JSON text must hold an object, not an array/,
    ],
    [
      'an enum without values',
      [{ input: { m: { type: 'enum' } } }, read],
      /^Tool "read" .*"input": Field "m": /,
    ],
    ['an object without fields', [{ input: { o: { type: 'object' } } }, read], /"input": Field "o": /],
    ['an unknown type', [{ input: { o: 'text' } }, read], /^Tool "read" has an unusable "input"/],
    [
      'a field spec under a raw key',
      [{ inputSchema: fields({}) }, read],
      /"inputSchema": inputSchema takes JSON Schema only/,
    ],
    ['an input that is no object', [{ inputSchema: { type: 'string' } }, read], /must describe an object/],
    ['a schema that contains itself', [{ input: jsonSchema(endless()) }, read], /contains itself/],
  ])('refuses %s', ([, parts, message]) => {
    expect(() => anything(...parts)).toThrow(TypeError);
    expect(() => anything(...parts)).toThrow(message);
  });

  function endless(): object {
    const schema: Record<string, unknown> = { type: 'object' };
    schema.properties = { again: schema };
    return schema;
  }
});

describe('defineToolkit', () => {
  test('is its options and its tools', () => {
    const one = tool(read);
    expect(defineToolkit({ category: 'Files', hidden: true }, [one])).toEqual({
      category: 'Files',
      hidden: true,
      tools: [one],
    });
    expect(defineToolkit([one])).toEqual({ tools: [one] });
  });

  const anything = defineToolkit as (...parts: unknown[]) => unknown;
  test.for<[string, unknown[], RegExp]>([
    ['no list', [{}, tool(read)], /tools of a toolkit are an object/],
    ['options that are no object', ['Files', []], /options of a toolkit are a string/],
    ['an unknown key', [{ categry: 'x' }, []], /unknown key "categry"/],
    ['a category of a wrong type', [{ category: 5 }, []], /unusable "category"/],
    ['an entry that is no tool', [{}, [tool(read), 'write']], /no tool as entry 2/],
    ['a function', [{}, [read]], /no tool as entry 1/],
    ['a plain tool without a name', [{}, [{ handler: () => 1 }]], /tool without a name as entry 1/],
    [
      'a plain tool that is wrong',
      [{}, [{ name: 'read', handler: 5 }]],
      /^Tool "read" has an unusable "handler"/,
    ],
    [
      'names that several tools have',
      [{}, [tool(read), tool(read), tool({ name: 'a' }, read), tool({ name: 'a' }, read)]],
      /several tools named "read", "a"\./,
    ],
  ])('refuses %s', ([, parts, message]) => {
    expect(() => anything(...parts)).toThrow(TypeError);
    expect(() => anything(...parts)).toThrow(message);
  });
});

describe('use', () => {
  const one = tool({ name: 'one' }, read);
  const kit = defineToolkit({}, [one, tool({ name: 'two' }, read)]);

  test('takes names, items and toolkits', () => {
    expect(use('catalog', { hidden: true })).toEqual({ use: 'catalog', hidden: true });
    expect(use(one)).toEqual({ use: one });
    expect(use(use(kit, { category: 'A' }), { hidden: true })).toEqual({
      use: { use: kit, category: 'A' },
      hidden: true,
    });
  });

  test.for([
    ['a name of several tools', () => use(kit, { name: 'x' }), /"name".*ambiguous for a toolkit of 2 tools/],
    ['a description of several', () => use(use(kit), { description: 'x' }), /"description".*ambiguous/],
    ['what is not for a whole toolkit', () => use(kit, { timeoutMs: 5 }), /unknown key "timeoutMs"/],
    ['changes that are no object', () => use(one, 'x' as never), /changes of use\(\) are a string/],
    ['nothing', () => use(undefined as never), /not undefined/],
  ] as const)('refuses %s', ([, make, message]) => {
    expect(make).toThrow(message);
  });

  test('gives an only tool of a toolkit a name and a description', () => {
    const [spec] = expand([use(defineToolkit([one]), { name: 'uno', description: 'Just one.' })]);
    expect(spec).toMatchObject({ name: 'uno', item: 'one', definition: { description: 'Just one.' } });
  });
});

describe('expand', () => {
  const shown = (registrations: Parameters<typeof expand>[0]) =>
    expand(registrations).map(({ name, hidden, definition }) => {
      const { category } = (definition._meta ?? {}) as { category?: string };
      return [name, category ?? null, hidden];
    });
  const kit = defineToolkit({ category: 'Kit', hidden: true }, [
    tool({ name: 'plain' }, read),
    tool({ name: 'own', category: 'Own', hidden: false }, read),
    tool({ name: 'none', category: null, visible: true }, read),
    tool({ name: 'both', hidden: true, visible: true }, read),
  ]);

  test('returns one spec for each tool in order, with the defaults of the toolkit', () => {
    expect(shown([kit])).toEqual([
      ['plain', 'Kit', true],
      ['own', 'Own', false],
      ['none', null, false],
      ['both', 'Kit', true],
    ]);
  });

  test.for<[Parameters<typeof use>[1], (string | null)[], boolean]>([
    [{ category: 'Reg' }, ['Reg', 'Reg', 'Reg', 'Reg'], false],
    [{ category: null }, [null, null, null, null], false],
    [{ hidden: false }, ['Kit', 'Own', null, 'Kit'], false],
    [{ hidden: true }, ['Kit', 'Own', null, 'Kit'], true],
    [{ visible: false }, ['Kit', 'Own', null, 'Kit'], true],
    [{ hidden: true, visible: true }, ['Kit', 'Own', null, 'Kit'], true],
  ])('prefers the changes %j of the whole toolkit to each tool', ([changes, categories, hidden]) => {
    const seen = shown([use(kit, changes)]);
    expect(seen.map(([, category]) => category)).toEqual(categories);
    if ('category' in changes!) expect(seen.map((one) => one[2])).toEqual([true, false, false, true]);
    else expect(new Set(seen.map((one) => one[2]))).toEqual(new Set([hidden]));
  });

  test('prefers the changes of one tool to the changes of its toolkit', () => {
    const one = tool({ name: 'one' }, read);
    const pair = defineToolkit({ category: 'Kit' }, [one, tool({ name: 'two' }, read)]);
    const registered = use(pair, { category: 'All', hidden: true });
    expect(shown([registered, use(one, { category: 'One', hidden: false })])).toEqual([
      ['two', 'All', true],
      ['one', 'One', false],
    ]);
    expect(shown([registered, use(one, { hidden: false })])).toEqual([
      ['two', 'All', true],
      ['one', 'All', false],
    ]);
    expect(shown([registered, use(one, { name: 'uno' })])).toEqual([
      ['one', 'All', true],
      ['two', 'All', true],
      ['uno', null, false],
    ]);
  });

  test('numbers what is listed twice under one name', () => {
    const one = tool({ name: 'one' }, read);
    expect(expand([one, one]).map(({ name, definition }) => [name, definition.name])).toEqual([
      ['one1', 'one1'],
      ['one2', 'one2'],
    ]);
    expect(expand([kit, kit])).toHaveLength(8);
    expect(expand([one, use(one, { name: 'uno' })]).map(({ name }) => name)).toEqual(['one', 'uno']);
  });

  test('gives module, function and arity of the handler, if they are known', () => {
    const specs = expand([
      tool({ name: 'sum' }, function sum(_: unknown, __: unknown) {
        return '';
      }),
      tool({ name: 'none' }, () => ''),
      { name: 'far', handler: './dist/far.js#go' } as never,
      { name: 'usual', handler: './dist/far.js' } as never,
    ]);
    const facts = specs.map(({ module, function: name, arity }) => ({ module, name, arity }));
    expect(facts).toEqual([
      { module: undefined, name: 'sum', arity: 2 },
      { module: undefined, name: undefined, arity: 0 },
      { module: './dist/far.js', name: 'go', arity: undefined },
      { module: './dist/far.js', name: 'default', arity: undefined },
    ]);
  });

  test('shows what tools/list shows', () => {
    const divide = tool(
      {
        name: 'divide',
        title: 'Division',
        input: { x: { type: 'number', required: true } },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        meta: { a: 1, category: 'meta' },
        category: 'Math',
      },
      read,
    );
    const [spec] = expand([use(divide, { meta: { b: 2 }, title: 'Divide' })]);
    expect(spec).toEqual({
      kind: 'tools',
      function: 'read',
      arity: 0,
      name: 'divide',
      item: 'divide',
      hidden: false,
      tool: divide,
      definition: {
        name: 'divide',
        title: 'Divide',
        inputSchema: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        _meta: { a: 1, b: 2, category: 'Math' },
      },
    });
    expect(expand([tool(read)])[0]?.definition).toEqual({
      name: 'read',
      title: 'read',
      inputSchema: { type: 'object', properties: {} },
    });
    expect(
      expand([tool({ name: 'z', input: z.object({ q: z.string() }) }, () => 1)])[0]?.definition,
    ).toMatchObject({ inputSchema: { properties: { q: { type: 'string' } }, required: ['q'] } });
  });

  test('takes plain lists and objects in the same form', () => {
    const plain = { category: 'P', tools: [{ name: 'a', handler: read }, { handler: read }] };
    expect(shown([plain, use([{ name: 'c', handler: read }])])).toEqual([
      ['a', 'P', false],
      ['read', 'P', false],
      ['c', null, false],
    ]);
  });

  test.for<[string, unknown, RegExp]>([
    ['a name', 'catalog', /only a server can look up a name/],
    ['a name in use()', { use: 'catalog' }, /only a server can look up a name/],
    ['a number', 5, /not a number/],
    ['a tool that is none', { name: 'x' }, /^Tool "x" has no "handler"/],
    ['a change of the schema', { use: tool(read), arguments: { a: 1 } }, /ask ctx\.registry/],
    [
      'an ambiguous name',
      { use: { tools: [tool(read), tool({ name: 'x' }, read)] }, name: 'y' },
      /ambiguous/,
    ],
  ])('refuses %s', ([, registration, message]) => {
    expect(() => expand([registration as never])).toThrow(message);
  });
});
