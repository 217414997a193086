import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture, installPackage } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';
import { eventually, type Message, runProgram } from '../../support/program.js';

const authoring = installFixture('authoring');

describe.each(revisions)('a toolkit (%s)', (revision) => {
  let server: Connected;

  beforeAll(async () => {
    server = await connect(`${authoring}/kit`, { revision });
  });

  test('is one entry for all its tools in order, without other functions [N-01, N-02, N-10]', async () => {
    expect(await server.toolNames()).toEqual([
      'files.read',
      'server_time',
      'report.weekly',
      'adorned',
      'defaulted',
    ]);
    await expect(server.call('unmarked')).rejects.toMatchObject({ code: -32602 });
  });

  test('gives its tools the set names, or the names of their functions [N-03]', async () => {
    expect(await server.textOf('files.read', { path: 'readme.txt' })).toBe('Read me.\n');
    expect(await server.textOf('server_time')).toBe('noon');
    await expect(server.call('readFile')).rejects.toMatchObject({ code: -32602 });
  });

  test('has tools with separate titles and descriptions [N-04]', async () => {
    expect(await server.tool('files.read')).toMatchObject({
      title: 'Read a File',
      description: 'Reads a file of this package.',
    });
    expect(await server.tool('server_time')).toMatchObject({ title: 'server_time' });
  });

  test('gives its category to tools without one [N-01, N-20, N-21, N-23]', async () => {
    const categoryOf = async (name: string) => (await server.tool(name))._meta?.category;
    expect(await categoryOf('server_time')).toBe('Utility');
    expect(await categoryOf('files.read')).toBe('Files');
    expect(await categoryOf('adorned')).toBeUndefined();
  });

  test('merges several option sets; the later one wins [N-11]', async () => {
    expect(await server.tool('report.weekly')).toMatchObject({
      title: 'Weekly Report',
      description: 'Reports on a week.',
      inputSchema: { properties: { week: { type: 'integer', minimum: 1, maximum: 53 } }, required: ['week'] },
      _meta: { category: 'Reports' },
    });
    expect(await server.textOf('report.weekly', { week: 7 })).toBe('week 7');
    expect(await server.call('report.weekly', { week: 54 })).toMatchObject({ isError: true });
  });

  test('calls functions with arguments and context, however few parameters they have [N-14]', async () => {
    expect(await server.textOf('server_time')).toBe('noon');
    expect(await server.textOf('lookup', { q: 'tea' })).toBe('tea');
    expect(await server.textOf('adorned')).toBe('called as adorned');
    expect((await server.call('defaulted', { n: 1 })).structuredContent).toEqual({
      args: { n: 1 },
      hasContext: true,
    });
  });

  test('passes annotations, icons and meta on [N-08, N-09]', async () => {
    expect(await server.tool('adorned')).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      icons: [{ src: 'https://acme.example/bow.png', mimeType: 'image/png', sizes: ['16x16'] }],
      _meta: { 'acme.example/weight': 3 },
    });
  });
});

describe.each(revisions)('a toolkit that is used with changes (%s)', (revision) => {
  let server: Connected;

  beforeAll(async () => {
    server = await connect(`${authoring}/kit-used`, { revision });
  });

  test('applies them to all its tools, over their options [N-21, N-25, N-26]', async () => {
    expect(await server.toolNames()).toEqual(['find', 'alias', 'single', 'specs']);
    expect(await server.textOf('report.weekly', { week: 7 })).toBe('week 7');
    const { specs } = (await server.call('specs')).structuredContent;
    const kit = specs.slice(0, 6) as { category: unknown; hidden: boolean }[];
    expect(new Set(kit.map(({ category, hidden }) => `${category} ${hidden}`))).toEqual(
      new Set(['Admin true']),
    );
  });

  test('shows what its definition hides, and takes away a category [N-21, N-25]', async () => {
    expect(await server.textOf('find', { q: 'tea' })).toBe('tea');
    expect(await server.tool('alias')).not.toHaveProperty('_meta');
    expect((await server.tool('single'))._meta).toEqual({ category: 'Own' });
  });

  test('has one tool under several names [N-27, N-28]', async () => {
    expect((await server.tool('alias')).description).toBe('The same under another name.');
    expect(await server.textOf('alias')).toBe('single');
    expect(await server.textOf('single')).toBe('single');
  });

  test('expands into specs with all of it [N-53, N-54]', async () => {
    const { specs } = (await server.call('specs')).structuredContent;
    expect(specs.map(({ name }: { name: string }) => name)).toEqual([
      'files.read',
      'server_time',
      'lookup',
      'report.weekly',
      'adorned',
      'defaulted',
      'find',
      'alias',
      'single',
    ]);
    expect(specs.at(-3)).toEqual({
      name: 'find',
      hidden: false,
      category: null,
      inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
      function: 'function',
    });
  });
});

describe.each(revisions)('specs in a hook (%s)', (revision) => {
  test('select tools by their listed facts [N-50, N-53]', async () => {
    const { toolNames, textOf } = await connect(`${authoring}/picked`, { revision });
    expect(await toolNames()).toEqual(['adorned']);
    expect(await textOf('say.hello', { name: 'Ada' })).toBe('Hello, Ada!');
  });
});

/** What cannot be defined, by the promise, with what is said of it. The tool is called `wrong` throughout. */
const refused: Readonly<Record<string, readonly [code: string, says: RegExp]>> = {
  'a function of three parameters [N-15]': [
    "tool({ name: 'wrong' }, (a, b, c) => '')",
    /"wrong".*\(args, ctx\).*3/s,
  ],
  'what is no function [N-13, N-15]': ["tool({ name: 'wrong' }, 'text')", /"wrong".*function/s],
  'one name twice [N-17]': [
    "tool({ name: 'wrong' }, () => ''), tool(function wrong() {})",
    /several tools named "wrong"/,
  ],
  'malformed JSON text [N-18]': [
    "tool({ name: 'wrong', input: '{\"type\": }' }, () => '')",
    /"wrong".*"input".*JSON/s,
  ],
  'JSON text that is no object [N-18]': [
    "tool({ name: 'wrong', input: '[1]' }, () => '')",
    /"wrong".*"input".*object/s,
  ],
  'a choice without values [N-19]': [
    "tool({ name: 'wrong', input: { mode: { type: 'enum' } } }, () => '')",
    /"wrong".*"input".*mode.*values/s,
  ],
  'an object without fields [N-19]': [
    "tool({ name: 'wrong', output: { place: { type: 'object' } } }, () => '')",
    /"wrong".*"output".*place.*fields/s,
  ],
  'an unknown type [N-19]': [
    "tool({ name: 'wrong', input: { when: { type: 'date' } } }, () => '')",
    /"wrong".*"input".*when.*date/s,
  ],
  'an option that does not fit its type [N-19]': [
    "tool({ name: 'wrong', input: { word: { type: 'string', min: 1 } } }, () => '')",
    /"wrong".*"input".*word.*minLength/s,
  ],
  'an unknown key': ["tool({ name: 'wrong', hiden: true }, () => '')", /"wrong".*hiden.*"hidden"/s],
  'an unknown annotation [N-08]': [
    "tool({ name: 'wrong', annotations: { readOnly: true } }, () => '')",
    /"wrong".*readOnly/s,
  ],
};

/** A package with a toolkit that is wrong, and a tool that is not. */
function withToolkit(code: string): string {
  return installPackage(
    { servers: ['main'], tools: ['fine', { toolkit: 'kit' }] },
    {
      'agenttools/servers/main.json': { description: 'Two.', tools: ['fine', { toolkit: 'kit' }] },
      'agenttools/tools/fine.json': { description: 'Works.', handler: './fine.js' },
      'agenttools/tools/kit.js': `import { defineToolkit, tool } from 'agenttools';\nexport default defineToolkit([${code}]);\n`,
      'fine.js': "export default () => 'fine';",
    },
  );
}

describe.each(revisions)('invalid toolkits (%s)', (revision) => {
  test.each(Object.entries(refused))('%s', async (_, [code, says]) => {
    const directory = withToolkit(code);
    const { textOf, toolNames, stderr } = await connect(`${directory}/main`, { revision });
    expect(await toolNames()).toEqual(['fine']);
    expect(await textOf('fine')).toBe('fine');
    await eventually(() => says.test(stderr()), `stderr says ${says}; it said ${stderr()}`);
  });
});

test('a field with a fault leaves out its tool, and not the toolkit', async () => {
  const directory = withToolkit(
    "tool({ name: 'sound' }, () => ''), tool({ name: 'wrong', input: { a: { type: 'strng' } } }, () => '')",
  );
  const { toolNames, stderr } = await connect(`${directory}/main`, { revision: '2025-11-25' });
  expect(await toolNames()).toEqual(['fine', 'sound']);
  await eventually(() => /left out: .*wrong.*unknown type "strng"/.test(stderr()), `it said ${stderr()}`);
});

describe('validate finds', () => {
  let found: Message[];

  // It starts a process for the code of a package, so all of them are in one.
  beforeAll(async () => {
    const codes = Object.values(refused).map(([code]) => code);
    const text = (code: string) =>
      `import { defineToolkit, tool } from 'agenttools';\nexport default defineToolkit([${code}]);\n`;
    const directory = installPackage(
      { tools: codes.map((_, index) => ({ toolkit: `kit${index}` })) },
      Object.fromEntries(
        codes.map((code, index) => [
          `agenttools/tools/kit${index}.js`,
          // Tools of one package have different names.
          text(code.replaceAll('wrong', `wrong${index}`)),
        ]),
      ),
    );
    const { code, stdout } = await runProgram(['validate', '--json', directory]);
    expect(code).toBe(1);
    found = JSON.parse(stdout).extensions[0].diagnostics;
  });

  test.each(Object.entries(refused).map(([what, [, says]], index) => [what, says, index] as const))(
    '%s',
    (_, says, index) => {
      const ofIt = found.filter(({ file }) => file === `agenttools/tools/kit${index}.js`);
      const messages = ofIt.map(({ message }) => message.replaceAll(`wrong${index}`, 'wrong'));
      expect(messages.join('\n')).toMatch(says);
    },
  );
});

describe.each(revisions)('a name for a whole toolkit (%s)', (revision) => {
  test.each(['name', 'description'])(
    'is refused, because it would apply to each tool (%s) [N-27]',
    async (key) => {
      const directory = installPackage(
        { servers: ['main'], tools: [{ toolkit: 'kit' }] },
        {
          'agenttools/servers/main.json': {
            description: 'Two.',
            tools: [
              { toolkit: 'kit', [key]: 'all' },
              { use: 'a', name: 'other' },
            ],
          },
          'agenttools/tools/kit.js':
            "import { tool } from 'agenttools';\nexport default [tool(function a() { return 'a'; }), tool(function b() {})];",
        },
      );
      const { toolNames, stderr } = await connect(`${directory}/main`, { revision });
      expect(await toolNames()).toEqual(['other']);
      await eventually(() => /ambiguous/.test(stderr()), `stderr says so; it said ${stderr()}`);
    },
  );
});
