import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { leftOutLine } from '../../../src/engine/server/server-resolver.js';
import { addFiles, openWorkspace, packageJson, writeFolder } from '../../support/packages.js';
import { type Composed, composeLive, type LiveItems, openSession } from '../../support/session.js';

const handler = () => 'x';
const names = ({ spec }: Composed, kind: 'tools' | 'prompts' | 'resources' = 'tools') =>
  spec.registry.all(kind).map(({ name }) => name);

describe('a server offers', () => {
  const items: LiveItems = {
    tools: { a: { handler }, b: { handler } },
    prompts: { p: { content: 'p' } },
    resources: { r: { uri: 'app://r', text: 'r' } },
  };

  test('lists its items in the order of the definition', async () => {
    expect(names(await composeLive({ ...items, server: { tools: ['b', 'a'] } }))).toEqual(['b', 'a']);
  });

  test('nothing of a kind it does not list', async () => {
    const served = await composeLive({ ...items, server: { tools: ['a'] } });
    expect([names(served, 'prompts'), names(served, 'resources')]).toEqual([[], []]);
  });

  test('all that is declared, by "*"', async () => {
    const served = await composeLive({ ...items, server: { tools: '*', prompts: '*', resources: '*' } });
    expect([names(served), names(served, 'prompts'), names(served, 'resources')]).toEqual([
      ['a', 'b'],
      ['p'],
      ['r'],
    ]);
  });

  test('everything, when the package has no server', async () => {
    const served = await composeLive(items);
    expect(served.spec.qualifiedName).toBe('@acme/kit/kit');
    expect([names(served), names(served, 'prompts'), names(served, 'resources')]).toEqual([
      ['a', 'b'],
      ['p'],
      ['r'],
    ]);
  });

  test('definitions written right there', async () => {
    const served = await composeLive({
      server: {
        tools: [{ name: 'inline', handler }, { handler }],
        prompts: [{ name: 'p', content: 'p' }],
        resources: [{ uri: 'app://r', text: 'r' }],
      },
    });
    expect(names(served)).toEqual(['inline', 'tools-1']);
    expect(names(served, 'resources')).toEqual(['app://r']);
  });
});

test('adds hidden tools that its items require, and reports those that do not exist', async () => {
  const requires = { tools: ['b', 'gone'] };
  const { spec } = await composeLive({
    tools: { a: { handler, requires }, b: { handler } },
    prompts: { p: { content: 'p', requires: { tools: 'a' } } },
    server: { tools: ['a'], prompts: ['p'] },
  });
  expect(spec.registry.all('tools').map(({ name, hidden }) => [name, hidden])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(spec.leftOut).toMatchObject([
    {
      item: '@acme/kit/gone',
      message: expect.stringMatching(
        /^It is called by @acme\/kit\/a, which lacks it in this server\. Tool "gone" /,
      ),
    },
  ]);
});

test('reports prompts under "promptData" as left out, at start too', async () => {
  const directory = writeFolder({
    'package.json': packageJson({ servers: ['desk'], promptData: [] }),
    'agenttools/servers/desk.json': {
      LLMEvaluator: { Tools: [], PromptData: [{ name: 'p', content: 'p' }] },
    },
  });
  const workspace = openWorkspace();
  const { leftOut } = await composeServer(await workspace.findServer(directory), workspace);
  const advice = 'which is no longer read. Define each prompt in its own file and name it under "prompts".';
  expect(await Promise.all(leftOut.map(leftOutLine))).toEqual([
    `left out: @acme/kit/promptData (package.json:9): The manifest has "promptData", ${advice}`,
    `left out: @acme/kit/PromptData (agenttools/servers/desk.json:4): The server "desk" has "PromptData", ${advice}`,
  ]);
});

describe('the facts of a server', () => {
  test('sends the values of its definition', async () => {
    const { spec } = await composeLive({
      tools: { a: { handler } },
      server: {
        name: 'wire',
        title: 'Title',
        description: 'Description',
        version: '9.9.9',
        configKey: 'key',
        instructions: ['One.', 'Two.'],
        icons: [{ src: 'data:,x' }],
        websiteUrl: 'https://example.org',
        pageSize: 2.5,
        cache: { ttlMs: 1000, scope: 'public' },
      },
    });
    expect(spec.info).toEqual({
      name: 'wire',
      title: 'Title',
      description: 'Description',
      version: '9.9.9',
      icons: [{ src: 'data:,x' }],
      websiteUrl: 'https://example.org',
    });
    expect(spec.instructions).toBe('One.\n\nTwo.');
    expect(spec.configKey).toBe('key');
    expect(spec.registry.pageSize).toBe(3);
    expect(spec.cache).toEqual({ ttlMs: 1000, scope: 'public' });
    expect(spec.qualifiedName).toBe('@acme/kit/main');
  });

  test('its qualified name and the version of its package when it does not', async () => {
    const { spec } = await composeLive({ tools: { a: { handler } }, server: {} });
    expect(spec.info).toEqual({ name: '@acme/kit/main', version: '1.2.3' });
    expect([spec.instructions, spec.configKey, spec.registry.pageSize]).toEqual([undefined, 'main', 500]);
  });
});

test('gives items exactly the keys of their definitions', async () => {
  const { spec } = await composeLive({
    tools: {
      bare: { handler },
      full: {
        handler,
        name: 'wire',
        title: 'Title',
        description: 'Description',
        input: { a: { type: 'string' } },
        output: { b: { type: 'string', required: true } },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'data:,x' }],
        category: 'Files',
        meta: { own: 1 },
        hidden: true,
      },
      visible: { handler, visible: false },
      both: { handler, hidden: false, visible: false },
      none: { handler, category: null },
    },
  });
  const [bare, full, ...others] = spec.registry.all('tools');
  expect(bare?.wire).toEqual({
    name: 'bare',
    title: 'bare',
    inputSchema: { type: 'object', properties: {} },
  });
  expect(full?.wire).toMatchObject({
    name: 'wire',
    title: 'Title',
    description: 'Description',
    annotations: { readOnlyHint: true },
    icons: [{ src: 'data:,x' }],
    _meta: { own: 1, category: 'Files' },
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    outputSchema: { type: 'object', required: ['b'] },
  });
  expect(full?.item).toBe('@acme/kit/full');
  expect([full, ...others].map((spec) => spec?.hidden)).toEqual([true, true, false, false]);
});

describe('items of one wire name', () => {
  const search = (title: string) => ({ name: 'Search', title, handler: () => title });

  test('get numbers in the order of the list, and each keeps its own', async () => {
    const { spec } = await composeLive({
      tools: { a: search('A'), b: search('B'), c: { ...search('C'), name: 'Search1' } },
      prompts: { a: { name: 'Search', content: 'a' }, b: { name: 'Search', content: 'b' } },
    });
    expect(spec.registry.all('tools').map(({ name, wire }) => [name, wire.name, wire.title])).toEqual([
      ['Search2', 'Search2', 'A'],
      ['Search3', 'Search3', 'B'],
      ['Search1', 'Search1', 'C'],
    ]);
    expect(spec.registry.all('prompts').map(({ wire }) => wire.name)).toEqual(['Search1', 'Search2']);
    expect(spec.registry.resolve('tools', 'Search3')?.item).toBe('@acme/kit/b');
    expect(spec.registry.resolve('tools', 'Search')).toBeUndefined();
  });
});

describe('"use"', () => {
  const tool = {
    handler: (args: unknown) => args,
    title: 'Title',
    description: 'Description',
    category: 'Files',
    meta: { own: 1, kept: 1 },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'data:,a' }],
    timeoutMs: 5,
    options: { a: 1, b: 2 },
    hidden: true,
    input: { city: { type: 'string', required: true }, days: { type: 'integer', required: true } },
  };
  const used = async (override: object, definition: object = tool) => {
    const { spec } = await composeLive({
      tools: { x: definition },
      server: { tools: [{ use: 'x', ...override }] },
    });
    if (spec.leftOut.length > 0) throw new Error(spec.leftOut[0]?.message);
    return spec.registry.all('tools')[0]!;
  };

  test('alone changes nothing', async () => {
    const { spec } = await composeLive({ tools: { x: tool }, server: { tools: ['x', { use: 'x' }] } });
    const [plain, same] = spec.registry.all('tools');
    expect({ ...same, name: 'x', wire: { ...same?.wire, name: 'x' } }).toEqual({
      ...plain,
      name: 'x',
      wire: { ...plain?.wire, name: 'x' },
    });
  });

  const wires: readonly [object, object][] = [
    [{ name: 'other' }, { name: 'other', title: 'Title' }],
    [{ title: 'Other' }, { name: 'x', title: 'Other' }],
    [{ description: 'Other' }, { description: 'Other' }],
    [{ category: 'Other' }, { _meta: { own: 1, kept: 1, category: 'Other' } }],
    [{ category: null }, { _meta: { own: 1, kept: 1 } }],
    [{ meta: { own: 2 } }, { _meta: { own: 2, kept: 1, category: 'Files' } }],
    [{ icons: [{ src: 'data:,b' }] }, { icons: [{ src: 'data:,b' }] }],
    [{ annotations: { openWorldHint: false } }, { annotations: { openWorldHint: false } }],
  ];

  test.each(wires)('changes what clients see: %j', async (override, wire) => {
    const { wire: seen } = await used(override);
    for (const [key, value] of Object.entries(wire)) expect(seen[key]).toEqual(value);
  });

  test('changes time and options', async () => {
    expect((await used({ timeoutMs: 9 })).timeoutMs).toBe(9);
    expect((await used({ options: { b: 3 } })).options).toEqual({ a: 1, b: 3 });
    expect((await used({ name: 'other' })).item).toBe('@acme/kit/x');
  });

  test.each([
    [{}, tool, true],
    [{ hidden: false }, tool, false],
    [{ visible: true }, tool, false],
    [{ hidden: true, visible: true }, tool, true],
    [{ hidden: false, visible: false }, tool, false],
    [{ visible: false }, { handler }, true],
    [{ hidden: true }, { handler }, true],
    [{}, { handler }, false],
  ])('hides: %j', async (override, definition, hidden) => {
    expect((await used(override, definition)).hidden).toBe(hidden);
  });

  test('fixes arguments: they leave the schema, and win over sent ones', async () => {
    const { wire, input } = await used({ arguments: { days: 3 } });
    expect(wire.inputSchema).toMatchObject({ required: ['city'] });
    expect(Object.keys((wire.inputSchema as { properties: object }).properties)).toEqual(['city']);
    expect(input.wire).toBe(wire.inputSchema);
    for (const sent of [{ city: 'Ostwick' }, { city: 'Ostwick', days: 5 }, { city: 'Ostwick', days: 'x' }]) {
      expect(await input.check(sent)).toEqual({ ok: true, value: { city: 'Ostwick', days: 3 } });
    }
    const all = (await used({ arguments: { days: 3, city: 'Ostwick' } })).wire.inputSchema;
    expect(all).toMatchObject({ properties: {} });
    expect(all).not.toHaveProperty('required');
  });

  test('changes what clients know of arguments, and the handler gets what it knows', async () => {
    const { wire, input } = await used({
      parameters: { city: { name: 'place', description: 'Where' }, days: { default: 3 } },
    });
    expect(wire.inputSchema).toEqual({
      type: 'object',
      properties: {
        place: { type: 'string', description: 'Where' },
        days: { type: 'integer', default: 3 },
      },
      required: ['place'],
    });
    expect(await input.check({ place: 'Ostwick' })).toEqual({
      ok: true,
      value: { city: 'Ostwick', days: 3 },
    });
  });

  test('leaves output, and the tool itself, as they are', async () => {
    const definition = { ...tool, hidden: false, output: { city: { type: 'string', required: true } } };
    const { spec } = await composeLive({
      tools: { x: { ...definition, handler: ({ city }: { city: string }) => ({ city }) } },
      server: { tools: ['x', { use: 'x', name: 'y', parameters: { city: { name: 'place' } } }] },
    });
    const [plain, changed] = spec.registry.all('tools');
    expect(changed?.wire.outputSchema).toEqual(plain?.wire.outputSchema);
    expect(plain?.wire.inputSchema).toMatchObject({ required: ['city', 'days'] });
    expect(changed?.wire.inputSchema).toMatchObject({ required: ['place', 'days'] });
  });

  test.each(['legacy', 'modern'] as const)(
    'is what %s clients list, call and are refused by',
    async (era) => {
      const served = await composeLive({
        tools: { x: { ...tool, hidden: false, timeoutMs: 5000 } },
        server: {
          tools: [{ use: 'x', parameters: { city: { name: 'place' }, days: { hidden: true, default: 2 } } }],
        },
      });
      const session = await openSession(served, { era });
      const [listed] = (await session.request('tools/list')).tools;
      expect(listed.inputSchema).toEqual({
        type: 'object',
        properties: { place: { type: 'string' } },
        required: ['place'],
      });
      const { structuredContent } = await session.request('tools/call', {
        name: 'x',
        arguments: { place: 'Bonn' },
      });
      expect(structuredContent).toEqual({ city: 'Bonn', days: 2 });
      expect(await session.request('tools/call', { name: 'x', arguments: { city: 'Bonn' } })).toMatchObject({
        isError: true,
        content: [{ text: 'Invalid arguments for tool "x": "place" is required at /place' }],
      });
      expect(await session.request('tools/call', { name: 'x', arguments: { place: 5 } })).toMatchObject({
        isError: true,
        content: [{ text: 'Invalid arguments for tool "x": "place" must be string at /place' }],
      });
    },
  );

  test('changes nothing where a server lists a tool as it is', async () => {
    const { spec } = await composeLive({
      tools: { x: tool },
      server: { tools: ['x', { use: 'x', title: 'X' }] },
    });
    const [plain, titled] = spec.registry.all('tools');
    expect(titled?.input).toBe(plain?.input);
    expect(titled?.input.check).toBe(plain?.input.check);
  });

  test('gives each call a separate copy of fixed arguments', async () => {
    const served = await composeLive({
      tools: {
        x: {
          inputSchema: { type: 'object', properties: { list: { type: 'array' } } },
          handler: ({ list }: { list: unknown[] }) => String(list.push('more')),
        },
      },
      server: { tools: [{ use: 'x', arguments: { list: ['one'] } }] },
    });
    const session = await openSession(served);
    for (const _ of [1, 2]) {
      const result = await session.request('tools/call', { name: 'x', arguments: {} });
      expect(result.content).toEqual([{ type: 'text', text: '2' }]);
    }
  });

  test('fixes arguments of prompts too', async () => {
    const { spec } = await composeLive({
      prompts: {
        x: { arguments: [{ name: 'a', required: true }, { name: 'b' }], content: { template: '{{a}}{{b}}' } },
      },
      server: { prompts: [{ use: 'x', arguments: { a: 1 } }] },
    });
    const [prompt] = spec.registry.all('prompts');
    expect(prompt?.wire.arguments).toEqual([{ name: 'b', required: false }]);
    expect(prompt?.required).toEqual([]);
    expect(prompt?.argumentNames).toEqual(['b']);
    expect(await prompt?.render({ a: 'sent', b: '2' }, {} as never)).toMatchObject({
      messages: [{ content: { text: '12' } }],
    });
  });

  const vain: readonly [object, RegExp][] = [
    [
      { prompts: [{ use: 'p', arguments: { pace: 'x' } }] },
      /"pace", which the prompt does not have.*"place"/,
    ],
    [{ prompts: [{ use: 'p', arguments: { place: ['x'] } }] }, /the arguments of prompts are texts/],
    [{ prompts: [{ use: 'p', options: {} }] }, /unknown key "options"/],
    [{ prompts: [{ use: 'p', annotations: {} }] }, /unknown key "annotations"/],
    [{ resources: [{ use: 'r', arguments: { place: 'x' } }] }, /unknown key "arguments"/],
    [{ resources: [{ use: 'r', annotations: { readOnlyHint: true } }] }, /^$/],
  ];

  test.each(vain)('skips overrides that a prompt or resource does not have: %j', async (server, message) => {
    const { spec } = await composeLive({
      prompts: { p: { arguments: [{ name: 'place' }], content: 'p' } },
      resources: { r: { uri: 'app://r', text: 'r' } },
      server,
    });
    expect(spec.leftOut.map((one) => one.message).join('')).toMatch(message);
  });

  test('does not suggest values of a fixed argument', async () => {
    const { spec } = await composeLive({
      prompts: { p: { arguments: [{ name: 'a', complete: ['x'] }], content: 'p' } },
      server: { prompts: [{ use: 'p', arguments: { a: 1 } }] },
    });
    expect(spec.registry.all('prompts')[0]?.complete.size).toBe(0);
  });

  test('works for prompts and resources', async () => {
    const { spec } = await composeLive({
      prompts: { p: { content: 'p' } },
      resources: { r: { uri: 'app://r', text: 'r' } },
      server: { prompts: [{ use: 'p', title: 'P', hidden: true }], resources: [{ use: 'r', name: 'other' }] },
    });
    expect(spec.registry.all('prompts')[0]).toMatchObject({ hidden: true, wire: { title: 'P' } });
    expect(spec.registry.all('resources')[0]?.wire.name).toBe('other');
  });

  const wrong: readonly [object, string, RegExp][] = [
    [
      { titel: 'x' },
      'invalid-server',
      /^Server "main", entry "x", has an unknown key "titel"\. Did you mean "title"\? Known/,
    ],
    [{ handler }, 'invalid-server', /unknown key "handler"/],
    [{ hidden: 'yes' }, 'invalid-server', /unusable "hidden"\. Expected true or false\./],
    [{ timeoutMs: 0 }, 'invalid-server', /unusable "timeoutMs"/],
    [{ arguments: [] }, 'invalid-server', /unusable "arguments"/],
    [{ arguments: { day: 3 } }, 'invalid-server', /fixes the argument "day".* Did you mean "days"\?/],
    [{ arguments: { days: 'x' } }, 'invalid-server', /fixes "days" to what it cannot be: .*integer/],
    [{ options: { c: 4 } }, 'invalid-server', /fixes the option "c".* It has: a, b\./],
    [{ parameters: [] }, 'invalid-server', /unusable "parameters"\. Expected an object/],
    [{ parameters: { city: 'place' } }, 'invalid-server', /unusable "parameters\.city"\. Expected an object/],
    [
      { parameters: { city: { nmae: 'x' } } },
      'invalid-server',
      /"parameters\.city\.nmae"\. Did you mean "name"\? Known/,
    ],
    [{ parameters: { city: { name: 5 } } }, 'invalid-server', /unusable "parameters\.city\.name"/],
    [
      { parameters: { city: { hidden: 'yes' } } },
      'invalid-server',
      /"parameters\.city\.hidden".*true or false/,
    ],
    [
      { parameters: { citty: { name: 'x' } } },
      'invalid-server',
      /changes the argument "citty".* Did you mean "city"\?/,
    ],
    [{ parameters: { city: { name: 'days' } } }, 'invalid-server', /"city" "days", which is another one\./],
    [
      { parameters: { city: { name: 'x' }, days: { name: 'x' } } },
      'invalid-server',
      /calls the argument "city" "x", and "days" too\./,
    ],
    [
      { parameters: { city: { hidden: true } } },
      'invalid-server',
      /"city", which is required and has no default/,
    ],
    [
      { parameters: { days: { enum: [1, 2] } } },
      'invalid-server',
      /values of "days", whose schema does not list any/,
    ],
    [
      { parameters: { days: { default: 'x' } } },
      'invalid-server',
      /"days" a default that it cannot be: .*integer/,
    ],
    [
      { arguments: { city: 'Bonn' }, parameters: { city: { name: 'place' } } },
      'invalid-server',
      /changes the argument "city", whose value it fixes under "arguments"/,
    ],
    [{ name: 'no name' }, 'invalid-wire-name', /entry "x", has the wire name "no name"/],
  ];

  test('reports choices that an argument cannot have', async () => {
    const unit = { type: 'enum', values: ['metric', 'imperial'], default: 'metric' };
    const faults = async (change: object) => {
      const { spec } = await composeLive({
        tools: { x: { handler, input: { unit } } },
        server: { tools: [{ use: 'x', parameters: { unit: change } }] },
      });
      return spec.leftOut.map(({ message, location }) => [message, location.path?.slice(3).join('/')]);
    };
    const start = 'Server "main", entry "x",';
    expect(await faults({ enum: ['metrics', 'imperial'] })).toEqual([
      [
        `${start} leaves "unit" the value "metrics", which it does not have. Did you mean "metric"? It has: "metric", "imperial".`,
        'parameters/unit/enum/0',
      ],
    ]);
    expect(await faults({ enum: ['imperial'] })).toEqual([
      [
        `${start} leaves "unit" values without its default "metric". Keep that, or give another "default".`,
        'parameters/unit/enum',
      ],
    ]);
    expect(await faults({ enum: ['imperial'], default: 'imperial' })).toEqual([]);
    expect(await faults({ hidden: true, description: 'x' })).toEqual([
      [
        `${start} hides the argument "unit", so its "description" has no effect.`,
        'parameters/unit/description',
      ],
    ]);
    expect(await faults({ hidden: true, default: 'x' })).toEqual([
      [expect.stringContaining('"unit" a default that it cannot be'), 'parameters/unit/default'],
    ]);
  });

  test.each(wrong)('skips entries with invalid overrides: %j', async (override, code, message) => {
    const { spec } = await composeLive({
      tools: { x: tool },
      server: { tools: [{ use: 'x', ...override }] },
    });
    expect(spec.registry.all('tools')).toEqual([]);
    expect(spec.leftOut).toMatchObject([
      {
        item: 'x',
        code,
        message: expect.stringMatching(message),
        location: { file: 'agenttools/servers.js' },
      },
    ]);
    expect(spec.leftOut[0]?.location.path?.slice(0, 3)).toEqual(['main', 'tools', 0]);
  });
});

describe('unavailable entries', () => {
  const root = writeFolder({
    'app/package.json': packageJson(
      { servers: ['main'], tools: ['good', 'bad', 'absent', 'throws'] },
      { name: '@acme/app' },
    ),
    'app/agenttools/servers/main.json': {
      tools: [
        'good',
        'bad',
        'absent',
        'throws',
        'nowhere',
        'other/good',
        'other/bad',
        { use: 'other/good', wrong: 1 },
        { handler: 5 },
        7,
      ],
    },
    'app/agenttools/tools/good.json': { handler: './x.js' },
    'app/agenttools/tools/bad.json': { handler: 5 },
    'app/agenttools/tools/throws.js': 'throw new Error("boom")',
    'app/x.js': '',
    'app/node_modules/other/x.js': '',
    'app/node_modules/other/package.json': packageJson({ tools: ['good', 'bad'] }, { name: 'other' }),
    'app/node_modules/other/agenttools/tools/good.json': { handler: './x.js' },
    'app/node_modules/other/agenttools/tools/bad.json': { handler: './x.js', input: 5 },
  });
  const composed = async () => {
    const workspace = openWorkspace();
    const extension = await workspace.open(path.join(root, 'app'));
    return await composeServer({ extension, server: 'main' }, workspace);
  };

  test('an entry that is no entry is left out like any other', async () => {
    const { leftOut } = await composed();
    expect(leftOut.at(-1)).toMatchObject({ code: 'invalid-server', location: { path: ['tools', 9] } });
  });

  test('each with its reason, its place and the package the place is in', async () => {
    addFiles(root, {
      'app/agenttools/servers/main.json': {
        tools: [
          'good',
          'bad',
          'absent',
          'throws',
          'nowhere',
          'other/good',
          'other/bad',
          { use: 'other/good', wrong: 1 },
          { handler: 5 },
        ],
      },
    });
    const spec = await composed();
    expect(spec.registry.all('tools').map(({ item }) => item)).toEqual(['@acme/app/good', 'other/good']);
    const told = spec.leftOut.map(({ item, code, extension, location }) => [
      item,
      code,
      extension.name,
      location.file,
    ]);
    expect(told).toEqual([
      ['bad', 'invalid-tool', '@acme/app', 'agenttools/tools/bad.json'],
      ['absent', 'missing-definition', '@acme/app', 'package.json'],
      ['throws', 'definition-failed', '@acme/app', 'agenttools/tools/throws.js'],
      ['nowhere', 'unknown-tool', '@acme/app', 'agenttools/servers/main.json'],
      ['other/bad', 'invalid-tool', 'other', 'agenttools/tools/bad.json'],
      ['other/good', 'invalid-server', '@acme/app', 'agenttools/servers/main.json'],
      ['@acme/app/main#tools/8', 'invalid-tool', '@acme/app', 'agenttools/servers/main.json'],
    ]);
  });
});

test.each([
  [{ tools: 'all' }, /unusable "tools"/],
  [{ tools: { a: 1 } }, /unusable "tools"/],
  [{ instructions: 5 }, /unusable "instructions"/],
  [{ pageSize: 0 }, /unusable "pageSize"/],
  [{ transport: 'pigeon' }, /"stdio", "http"/],
])('rejects a server with an invalid definition: %j', async (server, message) => {
  await expect(composeLive({ tools: { a: { handler } }, server })).rejects.toThrow(message);
});

describe('a tool definition that cannot work', () => {
  test.each([
    [{}, 'missing "handler"', /^Tool "x" has no "handler"\. Expected a function or a module reference/],
    [{ handler: 5 }, 'bad handler', /unusable "handler"/],
    [{ handler, name: 'no name' }, 'bad name', /wire name "no name"/],
    [{ handler, name: '' }, 'empty name', /wire name ""/],
    [{ handler, title: 5 }, 'bad title', /unusable "title"\. Expected a string\./],
    [{ handler, input: { a: { type: 'strnig' } } }, 'bad schema', /unusable "input"/],
    [
      { handler, inputSchema: { type: 'array' } },
      'bad raw schema',
      /unusable "inputSchema"|must describe an object/,
    ],
    [{ handler, timeoutMs: -1 }, 'bad time', /unusable "timeoutMs"/],
    [{ handler, onOutputMismatch: 'ignore' }, 'bad choice', /"error", "warn"/],
    [{ handler, annotations: { readOnlyHint: 'yes' } }, 'bad hint', /annotations\.readOnlyHint/],
    [{ handler, Parameters: { a: 'Entity' } }, 'bad parameters', /unusable "Parameters\.a"/],
  ])('%j is left out (%s)', async (definition, _, message) => {
    const { spec } = await composeLive({ tools: { x: definition } });
    expect(spec.leftOut.map((one) => one.message)).toEqual([expect.stringMatching(message)]);
  });

  test('is left out with the position of its schema, if the library of the schema throws', async () => {
    const standard = {
      version: 1,
      vendor: 'acme',
      validate: (value: unknown) => ({ value }),
      get jsonSchema() {
        throw new Error('no luck');
      },
    };
    const { spec } = await composeLive({ tools: { x: { handler, input: { '~standard': standard } } } });
    expect(spec.leftOut).toMatchObject([
      { message: expect.stringContaining('no luck'), location: { path: ['x', 'input'] } },
    ]);
  });

  test('is not one with an unknown key', async () => {
    const { spec } = await composeLive({ tools: { x: { handler, titel: 'x', 'x-own': 1 } } });
    expect(spec.leftOut).toEqual([]);
  });
});
