import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  type LocatedDiagnostic,
  type ValidateOptions,
  validateExtension,
} from '../../../src/engine/validate/validate.js';
import { makePackage, packageJson, toolModule } from './support/package.js';
import { inspectAlone, optionsFor } from './support/validating.js';

async function validate(folder: string, options: Partial<ValidateOptions> = {}): Promise<readonly string[]> {
  const { diagnostics } = await validateExtension(folder, optionsFor(options));
  return diagnostics.map(shown);
}

function shown({ code, file, line, column, message }: LocatedDiagnostic): string {
  return `${code} ${file}:${line}:${column} ${message.slice(message.lastIndexOf(': ') + 2)}`;
}

const tools = { tools: ['bad', 'good'] };

/** What a module may do while it loads, and how that is told. The module after it is always fine. */
const misbehaviour: Record<string, readonly [statement: string, reason: string | undefined]> = {
  'hangs for ever': ['for (;;);', 'definition-failed bad 1:1 it did not load within 0.5 s.'],
  'awaits for ever': [
    'await new Promise(() => {});',
    'definition-failed bad 1:1 it did not load within 0.5 s.',
  ],
  exits: ['process.exit(7);', 'definition-failed bad 1:1 it exited with code 7.'],
  'ends itself': [
    "process.kill(process.pid, 'SIGKILL');",
    'definition-failed bad 1:1 it was ended by SIGKILL.',
  ],
  'cuts the connection': [
    'process.disconnect(); await new Promise(() => {});',
    'definition-failed bad 1:1 it was ended by SIGKILL.',
  ],
  throws: ["throw new Error('no key');", 'definition-failed bad 1:7 no key.'],
  'throws nothing': ['throw undefined;', 'definition-failed bad 1:1 undefined.'],
  'throws what has no text': ['throw { toString() { throw 1; } };', 'definition-failed bad 1:1 toString] }.'],
  'throws in what it calls': [
    '\nconst f = () => { null.x; };\nf();',
    "definition-failed bad 2:24 Cannot read properties of null (reading 'x').",
  ],
  'registers module hooks that throw': [
    `import { register } from 'node:module'; register('data:text/javascript,export const resolve = () => null.x;');`,
    'definition-failed bad 1:1 it registers module hooks with which imports fail.',
  ],
  prints: [
    "console.log('x'.repeat(1e6)); process.stdout.write('out'); process.stderr.write('err');",
    undefined,
  ],
  'throws later': ["setTimeout(() => { throw new Error('late'); }, 1);", undefined],
  'rejects later': ["setTimeout(() => Promise.reject(new Error('late')), 1);", undefined],
  'exits later': ['setTimeout(() => process.exit(9), 1);', undefined],
  'hangs later': ['setTimeout(() => { for (;;); }, 1);', undefined],
  'keeps running': ['setInterval(() => {}, 1000);', undefined],
  'sends messages': ["process.send({ id: 'ready', result: {} }); process.send('x');", undefined],
  'takes the listeners away': [
    "process.removeAllListeners('uncaughtException'); setTimeout(() => null.x, 1);",
    undefined,
  ],
};

/** Limits other than 0.5 s, in milliseconds. A process without a connection needs time to end. */
const limitsMs: Readonly<Record<string, number>> = { 'cuts the connection': 10_000 };

test.for(Object.entries(misbehaviour))(
  'checks other modules if one %s',
  async ([name, [statement, reason]]) => {
    const folder = await makePackage({
      'package.json': packageJson(tools),
      'agenttools/tools/bad.js': `${statement}\nexport default { description: 'Bad.', handler() {} };`,
      'agenttools/tools/good.js': toolModule('await new Promise((resolve) => setTimeout(resolve, 50));'),
    });
    const found = await validate(folder, { timeoutMs: limitsMs[name] ?? 500, openInspector: inspectAlone });
    expect(found).toEqual(reason === undefined ? [] : [reason.replace('bad ', 'agenttools/tools/bad.js:')]);
  },
);

/** Default exports that are hard to describe, and what is left out of them. */
const oddities: Record<string, readonly [code: string, ...faults: string[]]> = {
  'a cycle': [
    "const d = { description: 'x', handler() {} }; d.meta = d; export default d;",
    '"meta" is a value that holds itself, which JSON has no form for.',
  ],
  'a proxy that throws': [
    "export default { description: 'x', handler() {}, meta: new Proxy({}, { ownKeys() { throw 1; } }) };",
    '"meta" is a value that cannot be read (1).',
  ],
  'a proxy without end': [
    "const p = () => new Proxy({}, { get: (_, k) => k.length === 1 ? p() : undefined, ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }); export default { description: 'x', handler() {}, meta: { p: p() } };",
    '"meta.p.a" is a value nested deeper than 500 levels.',
    '"meta.p.b" is a value nested deeper than 500 levels.',
  ],
  'a getter that throws': [
    "export default { description: 'x', handler() {}, meta: { get x() { throw new Error('no'); } } };",
    '"meta.x" is a value that cannot be read (no).',
  ],
  'symbols and bigints': [
    "export default { description: 'x', handler() {}, meta: { a: 1n, b: Symbol('s'), [Symbol('k')]: 1, c: NaN } };",
    '"meta.a" is a BigInt, which JSON has no form for.',
    '"meta.c" is NaN, which JSON has no form for.',
  ],
  'a thenable': [
    "export default { description: 'x', handler() {}, then() {} };",
    '"then" is a function, which makes a promise of the object.',
  ],
  'a long text': ["export default { description: 'x'.repeat(3e7), handler() {} };"],
  'a deep value': [
    "let m = {}; for (let i = 0; i < 5000; i++) m = { m }; export default { description: 'x', handler() {}, meta: m };",
    '"meta.m.m" is a value nested deeper than 500 levels.',
  ],
  'a class and its instances': [
    "class C { x = 1 } export default { description: 'x', handler() {}, meta: { C, c: new C(), d: new Date() } };",
  ],
  'methods of a class': ["class T { description = 'x'; handler() {} } export default new T();"],
  'a promise': ["export default Promise.resolve({ description: 'x', handler() {} });"],
  'a prototype key': [
    "export default { description: 'x', handler() {}, meta: JSON.parse('{\"__proto__\": 1}') };",
  ],
  'no prototype': ["export default Object.assign(Object.create(null), { description: 'x', handler() {} });"],
};

test.for(Object.entries(oddities))('a definition with %s can be described', async ([, [code, ...faults]]) => {
  const folder = await makePackage({
    'package.json': packageJson({ tools: ['odd'] }),
    'agenttools/tools/odd.js': code,
  });
  const found = await validate(folder);
  const told = found.map((line) => line.replace(/agenttools.*?:\d+:\d+ /, ''));
  expect(told).toEqual(faults.map((fault) => `invalid-definition ${fault}`));
});

test('rejects exports that are not a definition', async () => {
  const values = [
    'undefined',
    'null',
    '5',
    "'text'",
    '[]',
    '() => {}',
    'Symbol()',
    '10n',
    'new Proxy({}, { get() { throw 1; } })',
  ];
  const names = values.map((_, index) => `t${index}`);
  const folder = await makePackage({
    'package.json': packageJson({ tools: names }),
    ...Object.fromEntries(
      values.map((value, index) => [`agenttools/tools/t${index}.js`, `export default ${value};`]),
    ),
  });
  const { diagnostics } = await validateExtension(folder, optionsFor());
  for (const name of names) {
    const own = diagnostics.filter(({ item }) => item?.name === name);
    expect(
      own.some(({ severity }) => severity === 'error'),
      name,
    ).toBe(true);
  }
});

test('schemas of a library are checked as clients will see them', async () => {
  const schema = (json: string) =>
    `{ '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), jsonSchema: { input: () => (${json}), output: () => (${json}) } } }`;
  const folder = await makePackage({
    'package.json': packageJson({ tools: ['good', 'bad'] }),
    'agenttools/tools/good.js': `export default { description: 'x', handler() {}, input: ${schema("{ type: 'object' }")} };`,
    'agenttools/tools/bad.js': `export default { description: 'x', handler() {}, input: ${schema("{ type: 'objekt' }")} };`,
  });
  expect((await validate(folder)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'invalid-input-schema agenttools/tools/bad.js:1:50',
  ]);
});

test('checks the syntax of code without running it under --no-load', async () => {
  const marker = 'ran';
  const write = `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('../../${marker}', import.meta.url), '');`;
  const folder = await makePackage({
    'package.json': packageJson({
      tools: ['writes', 'broken', 'named'],
      servers: ['all'],
      prompts: ['greet'],
    }),
    'agenttools/tools/writes.js': toolModule(write),
    'agenttools/tools/broken.js': 'import fs from "node:fs";\nexport default {\n\ta: 1,,\n};',
    'agenttools/tools/named.json': { description: 'x', handler: './named.js#run' },
    'named.js': `import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('${marker}', import.meta.url), '');`,
    'agenttools/servers/all.cjs': `require('node:fs').writeFileSync(__dirname + '/../../${marker}', ''); module.exports = {};`,
    'agenttools/prompts.mjs': `${write.replace('../../', '../')}\nexport default {};`,
  });
  const { diagnostics } = await validateExtension(
    folder,
    optionsFor({ load: false, openInspector: inspectAlone }),
  );
  expect(diagnostics.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`)).toEqual([
    'not-checked agenttools/prompts.mjs:1:1',
    'not-checked agenttools/servers/all.cjs:1:1',
    'definition-failed agenttools/tools/broken.js:3:7',
    'not-checked agenttools/tools/writes.js:1:1',
  ]);
  expect(existsSync(path.join(folder, marker))).toBe(false);

  await validateExtension(folder, optionsFor({ openInspector: inspectAlone }));
  expect(existsSync(path.join(folder, marker))).toBe(true);
});

/** Writes one letter per evaluation into a file beside the module. */
const counting =
  "import { appendFileSync } from 'node:fs';\nappendFileSync(new URL('count', import.meta.url), 'x');\n";

test('loads each module once for all its references', async () => {
  const folder = await makePackage({
    'package.json': packageJson({ tools: ['a', 'b'] }),
    'agenttools/tools/a.json': { description: 'x', handler: './both.js#a' },
    'agenttools/tools/b.json': { description: 'x', handler: './both.js#b' },
    'both.js': `${counting}export const a = () => {};\nexport const b = () => {};`,
  });
  expect(await validate(folder)).toEqual([]);
  expect(await readFile(path.join(folder, 'count'), 'utf8')).toBe('x');
});

test('evaluates a module once when it hangs and many items need it', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `t${index}`);
  const folder = await makePackage({
    'package.json': packageJson({ tools: names }),
    ...Object.fromEntries(
      names.map((name) => [
        `agenttools/tools/${name}.json`,
        { description: 'x', handler: `./hangs.js#${name}` },
      ]),
    ),
    'hangs.js': `${counting}for (;;);`,
  });
  expect((await validate(folder, { timeoutMs: 500, openInspector: inspectAlone })).length).toBe(names.length);
  expect(await readFile(path.join(folder, 'count'), 'utf8')).toBe('x');
});
