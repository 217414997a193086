import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';
import { root } from '../../support/program.js';
import { commandHere } from '../../support/serving-here.js';

/** The fixture with a compiler at hand, as its author has it. */
function workingCopy(): string {
  const directory = installFixture('derived');
  const compiler = path.join(root, 'node_modules/typescript-5');
  symlinkSync(compiler, path.join(directory, '../node_modules/typescript'), 'dir');
  return directory;
}

/** Runs the program on a package; gives its exit code and what it said. */
async function run(...words: readonly string[]) {
  const { code, stdout, stderr } = await commandHere(words);
  return { status: code, said: stdout + stderr };
}

describe.each(revisions)('tools whose schemas are derived (%s)', (revision) => {
  let server: Connected;
  /** Data that is no object, as the revision has it. */
  const held = (value: unknown) => (revision === '2025-11-25' ? { result: value } : value);

  beforeAll(async () => {
    const directory = workingCopy();
    expect(await run('derive', directory)).toMatchObject({ status: 0 });
    server = await connect(directory, { revision });
  });

  test('have description, title and hints of the comment [L-10, L-11]', async () => {
    expect(await server.tool('divide')).toMatchObject({
      title: 'Division',
      description: 'Divides two numbers.',
      annotations: { readOnlyHint: true },
    });
    expect(await server.tool('greet')).toMatchObject({ title: 'greet', description: 'Greets somebody.' });
  });

  test('take what their parameters are called, and give what they return [L-12, L-13, L-16, L-19]', async () => {
    expect(await server.tool('divide')).toMatchObject({
      inputSchema: {
        type: 'object',
        properties: {
          dividend: { type: 'number', description: 'What is divided.' },
          divisor: { type: 'number', description: 'What it is divided by.' },
        },
        required: ['dividend', 'divisor'],
      },
      outputSchema: { type: 'object', properties: { quotient: { type: 'number' } }, required: ['quotient'] },
    });
    const { inputSchema } = await server.tool('greet');
    expect(Object.keys(inputSchema.properties)).toEqual(['name', 'greeting']);
    expect(inputSchema.required).toEqual(['name']);
  });

  test('have the JSON types of their types [L-17]', async () => {
    const { inputSchema } = await server.tool('everything');
    expect(inputSchema.properties).toMatchObject({
      text: { type: 'string', description: 'A text.' },
      count: { type: 'number', description: 'How many.' },
      flag: { type: 'boolean' },
      words: { type: 'array', items: { type: 'string' } },
      size: { type: 'string', enum: ['s', 'm', 'l'] },
      when: { type: 'string', format: 'date-time' },
      extra: { type: 'object', additionalProperties: { type: 'number' } },
    });
    expect(JSON.stringify(inputSchema)).toContain('"What it is called."');
    expect(inputSchema.required).not.toContain('extra');
  });

  test('are called with arguments by their names, defaults and context [L-30, L-31]', async () => {
    expect((await server.call('divide', { divisor: 2, dividend: 9 })).structuredContent).toEqual({
      quotient: 4.5,
    });
    expect(await server.textOf('divide', { divisor: 2, dividend: 9 })).toBe('{"quotient":4.5}');
    const greeting = async (args: object) => (await server.call('greet', { ...args })).structuredContent;
    expect(await greeting({ name: 'Ada' })).toEqual(held('Hello, Ada! (greet)'));
    expect(await greeting({ greeting: 'Good day', name: 'Ada' })).toEqual(held('Good day, Ada! (greet)'));
  });

  test('get values of their types where JSON has none [L-17, L-30]', async () => {
    const { structuredContent } = await server.call('everything', {
      text: 'a',
      count: 1,
      flag: true,
      words: [],
      place: { name: 'Ostwick' },
      size: 'm',
      when: '2001-02-03T04:05:06Z',
      anything: null,
    });
    expect(structuredContent.year).toBe(2001);
  });

  test('return "Success" for undefined and list no output schema [L-31]', async () => {
    expect((await server.call('remember', { word: 'tea' })).content).toEqual([
      { type: 'text', text: 'Success' },
    ]);
    expect(await server.tool('remember')).not.toHaveProperty('outputSchema');
  });

  test('check what they get [N-40]', async () => {
    expect(await server.call('divide', { dividend: 'nine', divisor: 2 })).toMatchObject({ isError: true });
    expect(await server.call('greet', {})).toMatchObject({ isError: true });
  });

  test('have what is written down instead of what would be derived [L-20]', async () => {
    const written = await server.tool('divide-in-words');
    expect(written).toMatchObject({
      title: 'Division by Hand',
      description: 'Divides as well.',
      inputSchema: { required: ['dividend', 'divisor'] },
      outputSchema: { properties: { quotient: { description: 'Written down.' } } },
    });
    expect((await server.call('divide-in-words', { dividend: 9, divisor: 2 })).structuredContent).toEqual({
      quotient: 4.5,
    });
  });

  test('form a toolkit of the marked functions, with the options of the marks; the later mark wins [L-01, N-01, N-03, N-10, N-11]', async () => {
    const names = await server.toolNames();
    expect(names).toContain('area.rectangle');
    expect(names).not.toContain('cube');
    expect(names).not.toContain('unmarked');
    expect(await server.tool('area.rectangle')).toMatchObject({
      description: 'The area of a rectangle.',
      _meta: { category: 'Plane' },
    });
    expect((await server.call('area.rectangle', { width: 2, height: 3 })).structuredContent).toEqual(held(6));
    expect((await server.call('cube', { edge: 2 })).structuredContent).toEqual({ volume: 8 });
  });
});

describe('derive', () => {
  test('reports stale schemas, as validate does [L-12]', async () => {
    const directory = workingCopy();
    expect((await run('derive', '--check', directory)).status).toBe(1);
    expect(await run('derive', directory)).toMatchObject({ status: 0 });
    expect(await run('derive', '--check', directory)).toMatchObject({ status: 0 });
    expect((await run('validate', directory)).said).not.toMatch(/stale/);
    appendFileSync(path.join(directory, 'src/plain.js'), '\n/** Another. */\nexport const other = 1;\n');
    expect((await run('derive', '--check', directory)).status).toBe(1);
    expect((await run('validate', directory)).said).toMatch(/stale/);
  });

  test('refuses a mark on what is not exported [N-16]', async () => {
    const directory = workingCopy();
    const file = path.join(directory, 'src/geometry.js');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}\n/** @mcp */\nfunction inner() {}\ninner();\n`);
    const { status, said } = await run('derive', directory);
    expect(status).toBe(1);
    expect(said).toMatch(/"@mcp".*exported.*"inner"/);
  });

  test('refuses types that have no JSON form, by tool, parameter and type [L-17]', async () => {
    const directory = workingCopy();
    const file = path.join(directory, 'src/plain.js');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('{number} divisor', '{Map<string, number>} divisor'));
    const { status, said } = await run('derive', directory);
    expect(status).toBe(1);
    expect(said).toMatch(/divide.*divisor.*Map<string, number>/s);
  });
});
