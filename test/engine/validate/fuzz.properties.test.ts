import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { type ExtensionReport, validateExtension } from '../../../src/engine/validate/validate.js';
import { runs } from '../../support/runs.js';
import { makePackage, packageJson, writeFiles } from './support/package.js';
import { optionsFor } from './support/validating.js';

/** A run writes, reads and checks a package with a dozen files. */
const third = Math.ceil(runs / 3);

/** Values as odd as JSON allows, with the words that mean something here among them. */
const word = fc.constantFrom(
  ...[
    'a',
    'b',
    '*',
    '',
    '.',
    '..',
    '../x',
    '/x',
    './m.js#f',
    './gone.js',
    'm.js',
    'x://y',
    'x://{y}',
    '{{a}}',
  ],
  ...['__proto__', 'constructor', 'toString', 'text', 'function', 'object', 'string', 'a/b', '@a/b/c', '@@'],
);

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 1e300),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** An object that has some of the keys, each with what belongs there or with anything. */
function having(
  keys: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(keys).map(([key, usual]) => [
    key,
    fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: json }),
  ]);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [], noNullPrototype: true });
}

const upstream = fc.oneof(
  json,
  having({
    command: word,
    package: word,
    bin: word,
    args: json,
    env: json,
    cwd: word,
    url: word,
    headers: json,
    place: word,
    name: json,
    tool: word,
  }),
);
const list = fc.array(
  fc.oneof(
    word,
    json,
    having({ upstream, prefix: word, only: json, except: json, rename: json }),
    having({ use: word, name: word, arguments: json }),
    having({ name: word, handler: word }),
  ),
  { maxLength: 4 },
);
const schema = fc.oneof(
  json,
  having({
    type: fc.constantFrom('object', 'string'),
    properties: json,
    required: json,
    $ref: word,
    pattern: word,
  }),
  fc.dictionary(
    word,
    having({
      type: fc.constantFrom('string', 'integer', 'enum', 'object[]'),
      required: fc.boolean(),
      default: json,
    }),
  ),
);
const tool = having({
  description: word,
  handler: fc.constant('./m.js#f'),
  Function: word,
  input: schema,
  inputSchema: schema,
  output: schema,
  Parameters: json,
  name: word,
  ui: json,
  options: json,
  upstream,
});
const prompt = having({
  description: word,
  content: fc.oneof(word, having({ template: word })),
  type: fc.constantFrom('text', 'function', 'auto'),
  arguments: fc.array(having({ name: word, Name: word, required: fc.boolean(), complete: json })),
  messages: fc.array(having({ role: fc.constantFrom('user', 'assistant'), content: json })),
  promptData: json,
});
const resource = having({
  uri: word,
  uriTemplate: word,
  text: word,
  file: word,
  read: word,
  list: word,
  complete: json,
});
const server = having({
  tools: list,
  prompts: list,
  resources: list,
  apps: list,
  LLMEvaluator: json,
  list: json,
});
const manifest = having({
  root: fc.constantFrom('agenttools', '.', './agenttools/'),
  servers: fc.constant(['a', 'b']),
  tools: fc.oneof(fc.constant(['a', 'b']), list),
  prompts: fc.constant(['a', 'b']),
  resources: fc.constant(['a']),
  apps: fc.constant(['a']),
  rules: json,
});

/** A package with one of everything, in one folder that each run overwrites. */
async function validate(folder: string, files: Readonly<Record<string, unknown>>): Promise<ExtensionReport> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFiles(folder, files);
  return await validateExtension(folder, optionsFor({ load: false }));
}

const anything = fc.record(
  {
    manifest,
    tool,
    prompt,
    resource,
    server,
    app: json,
    combined: fc.oneof(json, fc.dictionary(word, fc.oneof(tool, json), { noNullPrototype: true })),
  },
  { noNullPrototype: true },
);

/** An argument whose name cannot even be written down. */
const nameless = {
  manifest: { servers: ['a', 'b'], prompts: ['a', 'b'] },
  tool: {},
  prompt: { arguments: [{ Name: [{ toString: 'a' }] }] },
  resource: {},
  server: { prompts: [{ use: 'a' }] },
  app: 'a',
  combined: 'a',
} as const;

test('reports every fault as a diagnostic for any JSON in an extension', async () => {
  const folder = path.join(await makePackage({}), 'p');
  await fc.assert(
    fc.asyncProperty(anything, fc.oneof(json, fc.constant([])), async (parts, keywords) => {
      const { diagnostics, valid } = await validate(folder, {
        'package.json': packageJson(parts.manifest, {
          keywords,
          files: keywords,
          bin: keywords,
          main: keywords,
        }),
        'm.cjs': 'exports.f = 1;',
        'agenttools/tools/a.json': JSON.stringify(parts.tool),
        'agenttools/tools.json': JSON.stringify(parts.combined),
        'agenttools/prompts/a.json': JSON.stringify(parts.prompt),
        'agenttools/resources/a.json': JSON.stringify(parts.resource),
        'agenttools/servers/a.json': JSON.stringify(parts.server),
        'agenttools/apps/a.html': '<!doctype html>',
        'agenttools/apps/a.json': JSON.stringify(parts.app),
      });
      expect(valid).toBe(diagnostics.every(({ severity }) => severity !== 'error'));
      for (const { line, column, message } of diagnostics) {
        expect(line >= 1 && column >= 1 && message.length > 0).toBe(true);
      }
    }),
    { numRuns: third, examples: [[nameless, []]] },
  );
});

/** Definitions that are mostly in order, one odd key at a time, so that many of them are valid. */
const common = {
  name: word,
  title: word,
  category: word,
  meta: fc.constant({ a: 1 }),
  icons: fc.constant([{ src: 'https://example.com/a.png' }]),
  timeoutMs: fc.nat(),
};
const entries = fc.oneof(
  fc.constant('*'),
  fc.array(
    fc.oneof(
      fc.constant('a'),
      fc.constant({ use: 'a' }),
      having({ use: fc.constant('a'), name: word, arguments: json, meta: json, options: json }),
    ),
    { maxLength: 3 },
  ),
);
const mostlyValid: Record<string, readonly [arbitrary: fc.Arbitrary<object>, base: object]> = {
  tools: [
    fc.oneof(
      having({ ...common, options: json, requires: json, cache: json, annotations: json }),
      having({ input: schema }),
      having({ output: schema, outputSchema: schema }),
      having({ Parameters: json, DisplayName: word }),
    ),
    { description: 'x', handler: './m.js#f' },
  ],
  prompts: [
    fc.oneof(
      having(common),
      having({ arguments: fc.array(having({ name: word, Name: word, complete: fc.array(word) })) }),
      having({
        type: fc.constantFrom('text', 'auto'),
        content: fc.oneof(word, having({ template: word })),
      }),
    ),
    { description: 'x', content: 'x' },
  ],
  resources: [
    fc.oneof(
      having(common),
      having({ uri: fc.constant('x://y/z'), text: word, size: fc.nat() }),
      having({ mimeType: word, subscribable: fc.boolean(), annotations: fc.constant({ priority: 1 }) }),
    ),
    { description: 'x', uri: 'x://x', text: 'x' },
  ],
  servers: [
    fc.oneof(
      having({ tools: entries, prompts: entries, resources: entries, list: json }),
      having({
        LLMEvaluator: having({ Tools: entries, MCPPrompts: entries, Prompts: json, Temperature: json }),
      }),
      having({
        ...common,
        instructions: json,
        version: word,
        pageSize: json,
        transport: word,
        MCPServerName: word,
      }),
    ),
    {},
  ],
};

/** Some that are in order, so that each kind is served in few runs as well. */
const plain: readonly object[] = [{}, { title: 'a' }, { meta: { a: 1 } }];

/** Generated definitions that were valid, by their kinds. */
const servedOf = new Map<string, number>();

// Few runs of one kind may hold no valid one; those of all kinds together do.
afterAll(() => {
  const kinds = Object.keys(mostlyValid);
  if (kinds.some((kind) => !servedOf.has(kind))) return;
  const served = kinds.reduce((sum, kind) => sum + servedOf.get(kind)!, 0);
  expect(served).toBeGreaterThan((kinds.length * third) / 20);
});

test.for(Object.entries(mostlyValid))(
  'serves valid packages whole: %s',
  async ([kind, [arbitrary, base]]) => {
    const folder = path.join(await makePackage({}), 'p');
    let served = 0;
    const property = fc.asyncProperty(arbitrary, async (odd) => {
      const definitions = {
        prompts: { description: 'x', content: 'x' },
        resources: { description: 'x', uri: 'x://x', text: 'x' },
        servers: { tools: '*', prompts: '*', resources: '*' },
        [kind]: { ...base, ...odd },
      };
      const kinds = kind === 'tools' ? { tools: ['a'] } : {};
      const { valid } = await validate(folder, {
        'package.json': packageJson({ servers: ['a'], prompts: ['a'], resources: ['a'], ...kinds }),
        'm.js': 'export const f = () => 1;',
        ...Object.fromEntries(
          Object.entries(definitions).map(([key, value]) => [
            `agenttools/${key}/a.json`,
            JSON.stringify(value),
          ]),
        ),
      });
      if (!valid) return;
      served++;
      const workspace = optionsFor().workspace(async () => ({ live: {} }));
      const extension = await workspace.open(folder);
      const { leftOut } = await composeServer({ extension, server: 'a' }, workspace);
      // Of other packages nothing is known; what is not found in them is a warning.
      const own = leftOut.filter(({ code }) => code !== 'unresolved-reference');
      expect(own.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
    });
    await fc.assert(property, { numRuns: third, examples: plain.map((odd) => [odd]) });
    servedOf.set(kind, served - plain.length);
    expect(served - plain.length).toBeGreaterThanOrEqual(Math.floor(third / 50));
  },
);

test.for(['{', '[1', '"', '\u0000', '{"a":1}}', '\uFEFF', 'null', '{"name":"\ud800"}'])(
  'reports %j in any file',
  async (text) => {
    const folder = path.join(await makePackage({}), 'p');
    for (const file of [
      'package.json',
      'agenttools/tools/a.json',
      'agenttools/tools.json',
      'agenttools/servers/a.json',
    ]) {
      const files = { 'package.json': packageJson({ tools: ['a', 'b'], servers: ['a'] }), [file]: text };
      expect((await validate(folder, files)).valid).toBe(false);
    }
  },
);
