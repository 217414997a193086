import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parseDocument } from '../../../src/engine/base/files/document.js';
import { checkDefinition } from '../../../src/engine/extension/check-definition.js';
import { overrideShapes, shapes } from '../../../src/engine/extension/definition-shapes.js';
import { type Kind, kinds, singular } from '../../../src/engine/extension/item-kinds.js';
import { publishedSchemas } from '../../../src/engine/extension/json-schemas.js';
import { type DefinitionShape, withoutLinks } from '../../../src/engine/extension/key-shape.js';
import { manifestKeyNames } from '../../../src/engine/extension/key-spellings.js';
import { upstreamEntryShape } from '../../../src/engine/extension/keys/entry-keys.js';
import { isItemName } from '../../../src/engine/extension/names.js';

interface ObjectSchema {
  readonly properties: Readonly<Record<string, ObjectSchema>>;
  readonly items: ObjectSchema;
  readonly anyOf?: readonly ObjectSchema[];
  readonly description?: string;
  readonly $defs: Readonly<Record<string, ObjectSchema>>;
}

const schemas = publishedSchemas() as unknown as Readonly<Record<string, ObjectSchema>>;
const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = Object.fromEntries(
  Object.entries(schemas).map(([file, schema]) => [file, ajv.compile(schema)]),
);

/** What a schema finds wrong; empty when it passes. */
function faults(file: string, value: unknown): readonly string[] {
  const validate = validators[`${file}.schema.json`]!;
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('there is a schema for every file an author may write as data', () => {
  expect(Object.keys(schemas)).toEqual([
    'package.schema.json',
    'manifest.schema.json',
    ...['server', 'tool', 'prompt', 'resource', 'app'].map((kind) => `${kind}.schema.json`),
    ...['servers', 'tools', 'prompts', 'resources'].map((kind) => `${kind}.schema.json`),
    'toolkit.schema.json',
    'config.schema.json',
  ]);
});

describe('toolkits', () => {
  const handler = './run.js#run';
  test.for<[string, unknown, boolean]>([
    ['manifest', { tools: [{ toolkit: 'files' }] }, true],
    ['manifest', { tools: ['a', { toolkit: 'files', description: 'x', tools: ['a', ['b', 'B']] }] }, true],
    ['manifest', { tools: [{ toolkit: 'files', module: './dist/files.js' }] }, true],
    ['manifest', { tools: [{ toolkit: 'files', module: 5 }] }, false],
    ['manifest', { tools: [{ toolkit: 'a b' }] }, false],
    ['manifest', { tools: [{ toolkit: 'files', name: 'files' }] }, false],
    ['manifest', { tools: [{ toolkit: 'files', tools: 'all' }] }, false],
    ['manifest', { prompts: [{ toolkit: 'files' }] }, false],
    ['toolkit', [{ handler }], true],
    ['toolkit', { category: null, hidden: true, tools: [{ name: 'a', handler: './run.js' }] }, true],
    ['toolkit', { tools: [{ handler: './run.js' }] }, false],
    ['toolkit', { tools: [{ handler: './run.js#default' }] }, false],
    ['toolkit', { tools: [{ name: 'a' }] }, false],
    ['toolkit', { tools: [], hiden: true }, false],
    ['toolkit', { category: 'x' }, false],
    ['tools', { category: 'x', tools: [{ handler }] }, true],
    ['tools', { tools: { handler } }, true],
    ['server', { tools: [{ toolkit: 'files', category: null, hidden: false }] }, true],
    ['server', { tools: [{ toolkit: '@acme/kit/files', name: 'only' }] }, true],
    ['server', { tools: [{ toolkit: 'files', timeoutMs: 5 }] }, false],
    ['server', { tools: [{ toolkit: 5 }] }, false],
  ])('%s %j: %s', ([file, value, isLegal]) => {
    expect(faults(file, value).length === 0).toBe(isLegal);
  });
});

test.each(Object.entries(schemas))('%s is valid JSON Schema 2020-12', (_, schema) => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: expect.any(String),
  });
  expect(ajv.validateSchema(schema)).toBe(true);
});

describe('the schemas have the keys that the shapes have', () => {
  test.each(kinds)('%s', (kind) => {
    expectKeys(schemas[`${singular[kind]}.schema.json`]!, shapes[kind]);
    if (kind !== 'apps') expectKeys(schemas[`${kind}.schema.json`]!.$defs[singular[kind]]!, shapes[kind]);
  });

  test('entries of a server', () => {
    for (const file of ['server', 'servers']) {
      const { $defs } = schemas[`${file}.schema.json`]!;
      expectKeys($defs.changedTool!, overrideShapes.tools);
      expectKeys($defs.changedPrompt!, overrideShapes.prompts);
      expectKeys($defs.changedResource!, overrideShapes.resources);
      expectKeys($defs.upstreamTools!, upstreamEntryShape);
      for (const kind of ['tools', 'prompts', 'resources'] as const)
        expectKeys($defs[singular[kind]]!, shapes[kind]);
    }
  });

  test('the manifest', () => {
    const keys = [...Object.keys(schemas['manifest.schema.json']!.properties), '$schema'];
    expect(keys.toSorted()).toEqual(manifestKeyNames.toSorted());
  });

  function expectKeys({ properties }: ObjectSchema, shape: DefinitionShape): void {
    expect(Object.keys(properties)).toEqual(Object.keys(shape));
    for (const [key, field] of Object.entries(shape)) {
      const { description, ...property } = properties[key]!;
      expect(description).toBe(withoutLinks(field.description));
      if (!field.shape) continue;
      if (field.types.includes('list')) expectKeys(property.items, field.shape);
      else expectKeys(property.anyOf?.find(({ properties }) => properties) ?? property, field.shape);
    }
  }
});

test('no description is empty', () => {
  const descriptions: string[] = [];
  JSON.stringify(schemas, (key, value) => {
    if (key === 'description' && typeof value === 'string') descriptions.push(value);
    return value;
  });
  expect(descriptions.length).toBeGreaterThan(100);
  expect(descriptions).not.toContain('');
  expect(descriptions.filter((text) => text.includes(']('))).toEqual([]);
});

describe('data files of the bundled example pass', () => {
  const example = fileURLToPath(new URL('../../../fixtures/extensions/weather', import.meta.url));
  const files = readdirSync(path.join(example, 'agenttools'), { recursive: true }) as string[];
  const definitions = files.filter((file) => /\.jsonc?$/.test(file)).sort();

  test('there are some', () => expect(definitions).toHaveLength(7));

  test.each(definitions)('%s', async (file) => {
    const kind = path.dirname(file) as Kind;
    const text = readFileSync(path.join(example, 'agenttools', file), 'utf8');
    const value = await parseDocument(text, file);
    expect(faults(singular[kind], value)).toEqual([]);
    expect(faults(kind, { [path.basename(file).replace(/\..*/, '')]: value })).toEqual([]);
  });

  test('package.json', () => {
    const value = JSON.parse(readFileSync(path.join(example, 'package.json'), 'utf8'));
    expect(faults('package', value)).toEqual([]);
    expect(faults('manifest', value.agenttools)).toEqual([]);
  });
});

describe('a definition passes its schema exactly when it can be served', () => {
  const handler = './a.js#a';
  const rows: readonly [Kind, string, Record<string, unknown>, boolean][] = [
    ['tools', 'the least', { handler }, true],
    ['tools', 'no handler', { description: 'x' }, false],
    ['tools', 'an unknown key', { handler, descripton: 'x' }, false],
    ['tools', 'a key of its author', { handler, 'x-owner': 1, $schema: './tool.schema.json' }, true],
    ['tools', 'a title that is no text', { handler, title: 1 }, false],
    ['tools', 'no category', { handler, category: null }, true],
    ['tools', 'no title', { handler, title: null }, false],
    ['tools', 'a schema as data', { handler, input: { a: 'string' } }, true],
    ['tools', 'a schema as pairs', { handler, input: [['a', 'string']] }, true],
    ['tools', 'a schema as text', { handler, inputSchema: '{"type":"object"}' }, true],
    ['tools', 'a number as schema', { handler, input: 1 }, false],
    ['tools', 'pairs as JSON Schema', { handler, inputSchema: [] }, false],
    ['tools', 'a hint', { handler, annotations: { readOnlyHint: true } }, true],
    ['tools', 'an unknown hint', { handler, annotations: { readOnly: true } }, false],
    ['tools', 'an icon', { handler, icons: [{ src: 'https://example.org/a.png', theme: 'dark' }] }, true],
    ['tools', 'an icon without picture', { handler, icons: [{ theme: 'dark' }] }, false],
    ['tools', 'an icon for an unknown theme', { handler, icons: [{ src: 'data:,', theme: 'blue' }] }, false],
    ['tools', 'no time at all', { handler, timeoutMs: 0 }, false],
    ['tools', 'requirements as list', { handler, requires: ['elicitation'] }, true],
    ['tools', 'requirements as object', { handler, requires: { env: ['KEY'] } }, true],
    ['tools', 'requirements of which one suffices', { handler, requires: { env: [['A', 'B'], 'C'] } }, true],
    ['tools', 'requirements of which none suffices', { handler, requires: { bin: [[]] } }, false],
    ['tools', 'requirements within requirements', { handler, requires: { bin: [[['a']]] } }, false],
    ['tools', 'capabilities of which one suffices', { handler, requires: { client: [['a', 'b']] } }, false],
    ['tools', 'requirements as text', { handler, requires: 'elicitation' }, false],
    ['tools', 'an upstream program', { upstream: { command: 'npx', args: ['x'], tool: 'y' } }, true],
    ['tools', 'an upstream package', { upstream: { package: 'x', bin: 'y', env: { A: 'b' } } }, true],
    ['tools', 'an upstream address', { upstream: { url: 'https://a', type: 'sse', headers: {} } }, true],
    ['tools', 'an upstream that is found out', { upstream: './a.js#place' }, true],
    ['tools', 'more of one that is found out', { upstream: { place: './a.js', startTimeoutMs: 5 } }, true],
    ['tools', 'a handler and an upstream', { handler, upstream: { command: 'npx' } }, false],
    ['tools', 'an upstream nowhere', { upstream: {} }, false],
    ['tools', 'an upstream at two places', { upstream: { command: 'npx', url: 'https://a' } }, false],
    ['tools', 'a program with headers', { upstream: { command: 'npx', headers: {} } }, false],
    ['tools', 'an address with arguments', { upstream: { url: 'https://a', args: [] } }, false],
    ['tools', 'a program by HTTP', { upstream: { command: 'npx', type: 'http' } }, false],
    ['tools', 'an address by pipe', { upstream: { url: 'https://a', type: 'stdio' } }, false],
    ['tools', 'a program of a folder', { upstream: { command: 'bin/x' } }, false],
    ['tools', 'an address of no server', { upstream: { url: 'ftp://a' } }, false],
    ['tools', 'a variable that is no text', { upstream: { command: 'npx', env: { A: 1 } } }, false],
    ['tools', 'an unknown key of a place', { upstream: { command: 'npx', arg: [] } }, false],
    ['prompts', 'text', { content: 'Hello' }, true],
    ['prompts', 'a template', { content: { template: 'Hello, {{name}}' } }, true],
    ['prompts', 'something else', { content: { text: 'Hello' } }, false],
    ['prompts', 'nothing', {}, false],
    ['prompts', 'messages', { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }, true],
    ['prompts', 'a message of nobody', { messages: [{ content: 'Hello' }] }, false],
    ['prompts', 'a message of somebody else', { messages: [{ role: 'system', content: 'Hello' }] }, false],
    ['prompts', 'a message without content', { messages: [{ role: 'user' }] }, false],
    ['prompts', 'a message of numbers', { messages: [{ role: 'user', content: 1 }] }, false],
    ['prompts', 'content and messages', { content: 'Hello', messages: [] }, false],
    ['prompts', 'a function', { type: 'function', content: handler }, true],
    ['prompts', 'a template for a function', { type: 'function', content: { template: '' } }, false],
    ['prompts', 'suggestions', { content: '', arguments: [{ name: 'a', complete: ['b'] }] }, true],
    ['prompts', 'an argument without name', { content: '', arguments: [{ required: true }] }, false],
    ['resources', 'text', { uri: 'app://a', text: 'a' }, true],
    ['resources', 'no address', { text: 'a' }, false],
    ['resources', 'a relative address', { uri: 'a', text: 'a' }, false],
    ['resources', 'no content', { uri: 'app://a' }, false],
    ['resources', 'two contents', { uri: 'app://a', text: 'a', file: 'a.txt' }, false],
    ['resources', 'two addresses', { uri: 'app://a', uriTemplate: 'app://{a}', read: handler }, false],
    ['resources', 'a template', { uriTemplate: 'app://{a}', read: handler, list: handler }, true],
    ['resources', 'a template of one text', { uriTemplate: 'app://{a}', text: 'a' }, false],
    ['servers', 'the least', {}, true],
    ['servers', 'everything', { tools: '*', prompts: '*', resources: '*', apps: '*' }, true],
    ['servers', 'another text', { tools: 'forecast' }, false],
    ['servers', 'entries', { tools: ['a', { use: 'b', name: 'c' }, { name: 'd', handler }] }, true],
    [
      'servers',
      'changed arguments',
      { tools: [{ use: 'a', parameters: { q: { name: 'x', enum: [1], hidden: false, default: null } } }] },
      true,
    ],
    ['servers', 'a number as entry', { prompts: [1] }, false],
    ['servers', 'instructions', { instructions: ['Do.', 'Not.'] }, true],
    ['servers', 'a number as instruction', { instructions: [1] }, false],
    ['apps', 'nothing', {}, true],
    ['apps', 'a border that is no truth', { prefersBorder: 1 }, false],
  ];

  test.each(rows)('%s: %s', (kind, _, value, isGood) => {
    expect([...checkDefinition(kind, value)].length === 0).toBe(isGood);
    expect(faults(singular[kind], value).length === 0).toBe(isGood);
    if (kind !== 'apps') expect(faults(kind, { item: value }).length === 0).toBe(isGood);
  });
});

describe('errors specific to data files', () => {
  test.each([
    ['a handler that is no module reference', 'tool', { handler: 'a.js' }],
    ['a handler without export name', 'tool', { handler: './a.js#' }],
    ['a prompt function that is no module reference', 'prompt', { type: 'function', content: 'Hello' }],
    ['an entry that changes what cannot be changed', 'server', { tools: [{ use: 'a', handler: './a.js' }] }],
    [
      'an argument changed as it cannot be',
      'server',
      { tools: [{ use: 'a', parameters: { q: { nmae: 'x' } } }] },
    ],
    ['an argument changed by a text', 'server', { tools: [{ use: 'a', parameters: { q: 'x' } }] }],
    ['arguments of a prompt changed', 'server', { prompts: [{ use: 'a', parameters: {} }] }],
    ['a definition without handler in a server', 'server', { tools: [{ name: 'a' }] }],
    ['a list of definitions without names', 'tools', [{ handler: './a.js' }]],
    ['an item whose name is none', 'tools', { 'a b': { handler: './a.js' } }],
    [
      'an upstream entry with an unknown key',
      'server',
      { tools: [{ upstream: { command: 'x' }, onyl: [] }] },
    ],
    [
      'an upstream entry with a wrong choice of prompts',
      'server',
      { tools: [{ upstream: { command: 'x' }, prompts: true }] },
    ],
    [
      'an upstream entry with an unknown key of a choice',
      'server',
      { tools: [{ upstream: { command: 'x' }, apps: { onyl: [] } }] },
    ],
    ['an upstream entry nowhere', 'server', { tools: [{ upstream: {} }] }],
    ['a prefix that clients refuse', 'server', { tools: [{ upstream: { command: 'x' }, prefix: 'a b' }] }],
    ['a name that clients refuse', 'server', { tools: [{ upstream: './a.js', rename: { a: '' } }] }],
  ])('%s', (_, file, value) => expect(faults(file, value)).not.toEqual([]));

  test('an entry for an existing server is not', () => {
    const entry = {
      upstream: { url: 'https://a' },
      prefix: 'a_',
      only: ['b'],
      rename: { b: 'c' },
      prompts: false,
      resources: { only: ['a:1'] },
      apps: {},
      hidden: true,
    };
    const own = { name: 'one', upstream: { command: 'x', tool: 'y' } };
    for (const tools of [[entry], [{ upstream: './a.js#place' }], [own, 'b']])
      expect(faults('server', { tools })).toEqual([]);
  });

  test('a combined file may be a list, and name its schema', () => {
    expect(faults('tools', [{ name: 'a', handler: './a.js' }])).toEqual([]);
    expect(faults('tools', { $schema: './tools.schema.json', a: { handler: './a.js' } })).toEqual([]);
  });
});

describe('manifests', () => {
  test.each<[string, unknown, boolean]>([
    ['nothing', {}, true],
    ['three forms', { tools: ['a', ['b', 'B'], { name: 'c', description: 'C', parameters: ['p'] }] }, true],
    [
      'rules and other keys',
      { $schema: 'x', rules: { 'missing-description': 'off' }, 'x-owner': 'me' },
      true,
    ],
    ['an unknown key', { tool: ['a'] }, false],
    ['a name for a list', { tools: 'a' }, false],
    ['a name with a space', { tools: ['a b'] }, false],
    ['a list of three', { tools: [['a', 'b', 'c']] }, false],
    ['an object without name', { tools: [{ description: 'a' }] }, false],
    ['an unknown severity', { rules: { 'missing-description': 'fatal' } }, false],
    ['a suppression', { rules: [{ a: 'off' }, { code: 'a', item: 'tool/b', reason: 'c' }] }, true],
    ['a suppression without reason', { rules: [{ code: 'a', item: 'b' }] }, false],
    ['a suppression without place', { rules: [{ code: 'a', reason: 'c' }] }, false],
    ['an unknown severity in a list', { rules: [{ a: 'fatal' }] }, false],
  ])('%s', (_, value, isGood) => {
    expect(faults('manifest', value).length === 0).toBe(isGood);
    expect(faults('package', { agenttools: value }).length === 0).toBe(isGood);
  });

  test('the shared config has its rules, and more', () => {
    const rules = [{ a: 'off' }, { code: 'a', path: 'b/c.json', reason: 'd' }];
    const whole = { $schema: 'x', rules, clients: ['codex'], budget: 8000, baseline: 'known.json' };
    expect(faults('config', whole)).toEqual([]);
    expect(faults('config', { budget: true })).toEqual([]);
    for (const value of [{ rules: [{ code: 'a' }] }, { clients: 'codex' }, { budget: 0 }, { tools: [] }])
      expect(faults('config', value)).not.toEqual([]);
  });

  test('package.json may name a file instead', () => {
    expect(faults('package', { agenttools: './agenttools.jsonc' })).toEqual([]);
    expect(faults('package', { name: 'anything else' })).toEqual([]);
  });

  test.each(['a', 'A.b-c_9', '..a', '.', '..', '', 'a/b', 'ä', 'a'.repeat(128), 'a'.repeat(129), 'a\n'])(
    'the item name %j is judged as the engine does',
    (name) => expect(faults('manifest', { tools: [name] }).length === 0).toBe(isItemName(name)),
  );
});
