import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Files, packageJson, writeFolder, writePackage } from '../support/packages.js';
import { fixture, type Message, programFile, startProgram } from '../support/program.js';
import { openHere, type ServerOptions, serveHere } from '../support/serving-here.js';
import { modern } from './support/messages.js';

const workshop = fixture('stdio-workshop');
const namesIn = (list: readonly Message[]) => list.map(({ name }) => name);

/** A server that does not start: what it says, which is one line, and nothing on stdout. */
async function refusal(
  server: string | undefined,
  options: ServerOptions = {},
  start: typeof serveHere = serveHere,
): Promise<string> {
  const program = start(server, options);
  expect(await program.ended()).toEqual({ code: 1, signal: null });
  expect(program.lines).toEqual([]);
  expect(program.stderr).toMatch(/^error: [^\n]+\n$/);
  return program.stderr.trim();
}

const handler = { 'handlers.js': 'export const ok = () => "ok";' };
const tool = { description: 'A tool.', handler: './handlers.js#ok' };

describe.concurrent('start prints the reason for its failure in one line:', () => {
  const nowhere = writeFolder();
  const cases: Readonly<Record<string, readonly [server: string, says: RegExp]>> = {
    'a name nobody has': ['no-such-server', /no server "no-such-server"/],
    'a near miss of a built-in one': ['agenttool', /Did you mean "agenttools"/],
    'a package that is not installed': [
      '@no/such/server',
      /@no\/such is not installed.*agenttools add @no\/such/,
    ],
    'a path to nothing': ['./no/such/folder', /no folder .*no\/such\/folder/],
    'a folder without a package.json': [nowhere, /no package at /],
    'a server the package does not have': [
      `${fixture('weather')}/wether`,
      /no server "wether".*Did you mean "weather"/,
    ],
    'a package that is no extension': [
      writeFolder({ 'package.json': { name: 'plain', version: '1.0.0' } }),
      /plain|agenttools/,
    ],
    'a package.json that is no JSON': [
      writeFolder({ 'package.json': '{\n  "name": "x",\n  oops\n}' }),
      /package\.json:3:3: Not valid JSON/,
    ],
    'an empty package.json': [writeFolder({ 'package.json': '' }), /package\.json/],
    'a manifest of the wrong type': [writePackage(42), /package\.json/],
    'a list in the manifest that is none': [writePackage({ tools: 'one' }), /@acme\/kit declares no items/],
    'a manifest file that is missing': [writePackage('./agenttools.jsonc'), /agenttools\.jsonc/],
    'several servers': [
      writePackage({ servers: ['one', 'two'] }),
      /@acme\/kit has several servers.*\/one, .*\/two\./,
    ],
    'a server definition that is missing': [writePackage({ servers: ['one'] }), /one/],
    'a server definition that is no JSON': [
      writePackage({ servers: ['one'] }, { 'agenttools/servers/one.json': '{ "tools": [ }' }),
      /servers\/one\.json/,
    ],
    'a server definition of the wrong shape': [
      writePackage({ servers: ['one'] }, { 'agenttools/servers/one.json': { tools: 7 } }),
      /tools/,
    ],
    'a server definition that throws': [
      writePackage(
        { servers: ['one'] },
        { 'agenttools/servers/one.js': 'throw new Error("broken\\nin two lines");' },
      ),
      /one.*broken/,
    ],
    'a server definition that does not parse': [
      writePackage({ servers: ['one'] }, { 'agenttools/servers/one.js': 'export default {' }),
      /one/,
    ],
  };

  test.each(Object.entries(cases))('%s', async (_, [server, says]) => {
    expect(await refusal(server)).toMatch(says);
  });

  test('a server definition that exits', async () => {
    const server = writePackage({ servers: ['one'] }, { 'agenttools/servers/one.js': 'process.exit(9);' });
    expect(await refusal(server, {}, startProgram)).toMatch(/one/);
  });

  test('with --strict, an item that is left out', async () => {
    const server = writePackage(
      { tools: ['good', 'bad'] },
      { ...handler, 'agenttools/tools/good.json': tool },
    );
    const program = serveHere(server, { flags: ['--strict'] });
    expect(await program.ended()).toEqual({ code: 1, signal: null });
    expect(program.lines).toEqual([]);
    expect(program.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^left out: @acme\/kit\/bad \(/),
      expect.stringMatching(/^error: @acme\/kit\/kit is not complete.*--strict/),
    ]);
  });

  test('a wrong command line, with exit code 2', async () => {
    for (const flags of [['--nope'], ['second']]) {
      const program = serveHere(workshop, { flags });
      expect(await program.ended()).toEqual({ code: 2, signal: null });
      expect(program.lines).toEqual([]);
      expect(program.stderr).toMatch(/^error: [^\n]+\n$/);
    }
  });
});

describe.concurrent('start --strict', () => {
  test('serves an extension in order like start without it', async () => {
    const program = await openHere(workshop, { flags: ['--strict'] });
    expect(await program.textOf('echo')).toBe('{}');
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });
});

/** Files that each make one item of `@acme/kit` unusable, and where and why it is said to be. */
const faults: Readonly<Record<string, readonly [files: Files, says: RegExp]>> = {
  'has no definition': [{}, /\(package\.json:\d+\): .*bad/],
  'is no JSON': [
    { 'agenttools/tools/bad.json': '{\n "description": "x",\n oops }' },
    /\(agenttools\/tools\/bad\.json:3\)/,
  ],
  'is empty': [{ 'agenttools/tools/bad.json': '' }, /\(agenttools\/tools\/bad\.json(?::\d+)?\)/],
  'is a list': [{ 'agenttools/tools/bad.json': [] }, /\(agenttools\/tools\/bad\.json(?::\d+)?\)/],
  'has no handler': [{ 'agenttools/tools/bad.json': { description: 'x' } }, /bad\.json:1\): .*handler/],
  'has a schema that is none': [
    { 'agenttools/tools/bad.json': { ...tool, inputSchema: { type: 'array' } } },
    /bad\.json:\d+\): .*inputSchema/,
  ],
  'has a key of the wrong type': [
    { 'agenttools/tools/bad.json': { ...tool, timeoutMs: 'long' } },
    /bad\.json:4\): .*timeoutMs/,
  ],
  'has a name no client takes': [
    { 'agenttools/tools/bad.json': { ...tool, name: 'no good' } },
    /bad\.json:4\): .*no good/,
  ],
  'throws while it is loaded': [
    { 'agenttools/tools/bad.js': 'throw new Error("broken");' },
    /bad\.js(?::\d+)?\): .*broken/,
  ],
  'throws nothing while it is loaded': [
    { 'agenttools/tools/bad.js': 'throw undefined;' },
    /bad\.js(?::\d+)?\)/,
  ],
  'does not parse': [{ 'agenttools/tools/bad.js': 'export default {' }, /bad\.js(?::\d+)?\)/],
  'exports nothing': [{ 'agenttools/tools/bad.js': 'export const x = 1;' }, /bad\.js(?::\d+)?\)/],
  'imports what is not there': [
    { 'agenttools/tools/bad.js': 'import "no-such-package"; export default {};' },
    /bad\.js(?::\d+)?\): .*no-such-package/,
  ],
  'has text in several lines to say': [
    { 'agenttools/tools/bad.js': 'throw new Error("one\\ntwo\\nthree");' },
    /bad\.js(?::\d+)?\): .*one/,
  ],
};

describe.concurrent('an item that', () => {
  test.each(Object.entries(faults))(
    '%s is left out with one line, and all else is served',
    async (_, [files, says]) => {
      const server = writePackage(
        { tools: ['first', 'bad', 'last'], prompts: ['hello'] },
        {
          ...handler,
          'agenttools/tools/first.json': tool,
          'agenttools/tools/last.json': tool,
          'agenttools/prompts/hello.json': { description: 'Hello.', content: 'Hello!' },
          ...files,
        },
      );
      const program = await openHere(server);
      expect(namesIn((await program.request('tools/list')).tools)).toEqual(['first', 'last']);
      expect(namesIn((await program.request('prompts/list')).prompts)).toEqual(['hello']);
      expect(await program.textOf('last')).toBe('ok');
      expect((await program.call('bad')).code).toBe(-32602);
      expect(await program.end()).toEqual({ code: 0, signal: null });
      expect(program.stderr).toMatch(/^left out: @acme\/kit\/bad \([^\n]+\): [^\n]+\n$/);
      expect(program.stderr).toMatch(says);
    },
  );

  test('is a prompt or resource is left out like a tool', async () => {
    const program = await openHere(
      writePackage(
        { prompts: ['good', 'bad'], resources: ['good', 'bad'] },
        {
          'agenttools/prompts/good.json': { description: 'Good.', content: 'Good.' },
          'agenttools/prompts/bad.json': { description: 'Bad.', content: 7 },
          'agenttools/resources/good.json': { uri: 'kit://good', description: 'Good.', text: 'good' },
          'agenttools/resources/bad.json': { description: 'Bad.', text: 'bad' },
        },
      ),
    );
    expect(namesIn((await program.request('prompts/list')).prompts)).toEqual(['good']);
    expect(namesIn((await program.request('resources/list')).resources)).toEqual(['good']);
    await program.end();
    expect(
      program.stderr.match(/^left out: @acme\/kit\/bad \(agenttools\/(?:prompts|resources)\/bad\.json/gm),
    ).toHaveLength(2);
  });
});

describe.concurrent('a server', () => {
  test('serves empty lists if no item is left', async () => {
    const program = await openHere(writePackage({ tools: ['a', 'b'], prompts: ['c'], resources: ['d'] }));
    expect(await program.request('tools/list')).toMatchObject({ tools: [] });
    expect(await program.request('prompts/list')).toMatchObject({ prompts: [] });
    expect(await program.request('resources/list')).toMatchObject({ resources: [] });
    expect(await program.request('resources/templates/list')).toMatchObject({ resourceTemplates: [] });
    expect((await program.call('a')).code).toBe(-32601);
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr.trim().split('\n')).toHaveLength(4);
  });

  test('is the built-in one when none is named', async () => {
    const program = serveHere();
    expect((await program.initialize()).serverInfo.name).toBe('agenttools');
    const { structuredContent } = await program.call('diagnostics');
    expect(structuredContent).toMatchObject({
      runtime: { platform: process.platform },
      client: { name: 'test' },
    });
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  test('is the one MCP_SERVER_NAME names, unless the command line names one', async () => {
    const env = { MCP_SERVER_NAME: fixture('weather') };
    const named = serveHere(undefined, { env });
    expect((await named.initialize()).serverInfo.name).toBe('@acme/weather/weather');
    await named.end();
    const other = serveHere(workshop, { env });
    expect((await other.initialize()).serverInfo.name).toBe('stdio-workshop/stdio-workshop');
    await other.end();
    expect(await refusal(undefined, { env: { MCP_SERVER_NAME: 'no-such-server' } })).toMatch(
      /no-such-server/,
    );
  });

  test("is not looked for in the project at the working directory when an installed entry names it, unless it is the project's own", async () => {
    const cwd = writeFolder({
      'package.json': packageJson({ tools: ['one'] }),
      'agenttools/tools/one.json': tool,
      ...handler,
    });
    const entry = { cwd, env: { MCP_SERVER_NAME: '@acme/kit/kit' } };
    expect(await refusal('@acme/kit/kit', entry)).toMatch(/no server "@acme\/kit\/kit"/);
    for (const options of [
      { ...entry, flags: ['--project'] },
      { cwd, env: { MCP_SERVER_NAME: 'another' } },
    ]) {
      const program = serveHere('@acme/kit/kit', options);
      expect((await program.initialize()).serverInfo.name).toBe('@acme/kit/kit');
      await program.end();
    }
  });

  test('given by its path refers to nothing of the working directory when an installed entry names it', async () => {
    const folder = writePackage(
      { servers: ['main'], tools: ['one'] },
      {
        'agenttools/servers/main.json': { tools: ['one', 'planted/evil'] },
        'agenttools/tools/one.json': tool,
        ...handler,
      },
    );
    const cwd = writeFolder({
      'node_modules/planted/package.json': packageJson({ tools: ['evil'] }, { name: 'planted' }),
      'node_modules/planted/agenttools/tools/evil.json': tool,
      'node_modules/planted/handlers.js': handler['handlers.js'],
    });
    const env = { MCP_SERVER_NAME: '@acme/kit/main' };
    const cases = [
      { options: { cwd, env }, tools: ['one'] },
      { options: { cwd, env, flags: ['--project'] }, tools: ['one', 'evil'] },
      { options: { cwd }, tools: ['one', 'evil'] },
    ];
    for (const { options, tools } of cases) {
      const program = await openHere(path.join(folder, 'main'), options);
      expect(namesIn((await program.request('tools/list')).tools)).toEqual(tools);
      await program.end();
    }
  });

  test('is found by a qualified name from the working directory, and where it is installed', async () => {
    const cwd = writeFolder({
      'package.json': packageJson({ tools: ['one'] }),
      'agenttools/tools/one.json': tool,
      ...handler,
      'node_modules/@other/kit/package.json': packageJson({ servers: ['main'] }, { name: '@other/kit' }),
      'node_modules/@other/kit/agenttools/servers/main.json': { title: 'Main' },
    });
    const names = {
      '.': '@acme/kit/kit',
      '@acme/kit': '@acme/kit/kit',
      '@acme/kit/kit': '@acme/kit/kit',
      '@other/kit': '@other/kit/main',
      '@other/kit/main': '@other/kit/main',
      './node_modules/@other/kit/main': '@other/kit/main',
    };
    for (const [server, name] of Object.entries(names)) {
      const program = serveHere(server, { cwd });
      expect((await program.initialize()).serverInfo.name, server).toBe(name);
      await program.end();
    }
  });

  test('gives items of one name numbers, and each its own handler', async () => {
    const named = (name: string, text: string) => ({
      name,
      description: text,
      handler: `./handlers.js#${text}`,
    });
    const program = await openHere(
      writePackage(
        { tools: ['a', 'b', 'c'], prompts: ['p', 'q'] },
        {
          'handlers.js':
            'export const one = () => "one"; export const two = () => "two"; export const three = () => "three";',
          'agenttools/tools.json': {
            a: named('Search', 'one'),
            b: named('Search', 'two'),
            c: named('Search1', 'three'),
          },
          'agenttools/prompts.json': {
            p: { name: 'Ask', description: 'p', content: 'p' },
            q: { name: 'Ask', description: 'q', content: 'q' },
          },
        },
      ),
    );
    expect(namesIn((await program.request('tools/list')).tools)).toEqual(['Search2', 'Search3', 'Search1']);
    const texts = await Promise.all(['Search2', 'Search3', 'Search1'].map((name) => program.textOf(name)));
    expect(texts).toEqual(['one', 'two', 'three']);
    expect((await program.call('Search')).code).toBe(-32602);
    expect(namesIn((await program.request('prompts/list')).prompts)).toEqual(['Ask1', 'Ask2']);
    expect((await program.request('prompts/get', { name: 'Ask2' })).messages[0].content.text).toBe('q');
    await program.end();
  });
});

describe.concurrent('a server starts', () => {
  const request = `${JSON.stringify(modern(1, 'tools/call', { name: 'alerts', arguments: { place: 'High Fell' } }))}\n`;
  const weather = fixture('weather');
  const start = `"${process.execPath}" "${programFile}" start "${weather}"`;

  test.each([
    ['from a file into a file', `${start} < in > out; code=$?; cat out; exit $code`],
    ['in a pipeline', `cat in | ${start} | cat`],
    ['without any environment', `env -i ${start} < in`],
    ['at the root of the disk', `here=$PWD; cd /; ${start} < "$here/in"`],
    ['without stderr', `${start} < in 2>&-`],
  ])('%s', async (_, script) => {
    const program = startProgram(undefined, {
      command: ['sh', '-c', script],
      cwd: writeFolder({ in: request }),
    });
    expect((await program.next(1)).result.content[0].text).toMatch(/^Storm warning/);
    expect(await program.ended()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });

  test.each([
    ['stdin', `${start} <&-`],
    ['stdout', `${start} < in >&-`],
    ['room on the disk', `${start} < in > /dev/full`],
  ])('exits at once without %s', async (_, script) => {
    const program = startProgram(undefined, {
      command: ['sh', '-c', script],
      cwd: writeFolder({ in: request }),
    });
    expect(await program.ended()).toEqual({ code: 0, signal: null });
    expect(program.lines).toEqual([]);
  });

  test('fails with an error in a deleted folder', async () => {
    const script = `mkdir gone && cd gone && rmdir ../gone && ${start} < ../in`;
    const program = startProgram(undefined, {
      command: ['sh', '-c', script],
      cwd: writeFolder({ in: request }),
    });
    expect(await program.ended()).toEqual({ code: 1, signal: null });
    expect(program.stderr).toMatch(/^error: The working directory does not exist any more\.[^\n]*\n$/);
  });

  test.each(['a b', 'ünï çødé 🔑', "quote's", 'hash#question?percent%20', '@scope'])(
    'from a folder called %s',
    async (name) => {
      const folder = path.join(
        writeFolder({
          [`${name}/package.json`]: packageJson({ tools: ['data', 'code'] }),
          [`${name}/agenttools/tools/data.json`]: tool,
          [`${name}/agenttools/tools/code.js`]:
            'export default { description: "Code.", handler: () => "ok" };',
          [`${name}/handlers.js`]: handler['handlers.js'],
        }),
        name,
      );
      const program = await openHere(folder);
      expect(await program.textOf('data')).toBe('ok');
      expect(await program.textOf('code')).toBe('ok');
      expect(await program.end()).toEqual({ code: 0, signal: null });
      expect(program.stderr).toBe('');
    },
  );
});

describe.concurrent('MCP_TOOL_OPTIONS', () => {
  const settings = async (value: string) => {
    const program = await openHere(workshop, { env: { MCP_TOOL_OPTIONS: value } });
    const { structuredContent } = await program.call('settings');
    expect(await program.end()).toEqual({ code: 0, signal: null });
    return { options: structuredContent, stderr: program.stderr };
  };
  const defaults = { unit: 'celsius', limit: 3 };

  test.each([
    ['by the wire name', { settings: { unit: 'kelvin' } }, { ...defaults, unit: 'kelvin' }],
    ['by the qualified name', { 'stdio-workshop/settings': { limit: 9 } }, { ...defaults, limit: 9 }],
    [
      'by the qualified name first',
      { settings: { limit: 1 }, 'stdio-workshop/settings': { limit: 9 } },
      { ...defaults, limit: 9 },
    ],
    ['of other tools', { echo: { limit: 9 } }, defaults],
  ])('sets options %s', async (_, value, options) => {
    expect(await settings(JSON.stringify(value))).toEqual({ options, stderr: '' });
  });

  test('sets options that the tool does not declare, and reports them in one line', async () => {
    const { options, stderr } = await settings('{"settings":{"limits":7}}');
    expect(options).toEqual({ ...defaults, limits: 7 });
    expect(stderr).toBe(
      'MCP_TOOL_OPTIONS["settings"] sets "limits", which the tool does not declare. Did you mean "limit"?\n',
    );
  });

  test.each(['{', '[]', '7', 'null', '"x"', '{"settings":7}'])(
    'ignores %s and reports it in one line',
    async (value) => {
      const { options, stderr } = await settings(value);
      expect(options).toEqual(defaults);
      expect(stderr).toMatch(/^MCP_TOOL_OPTIONS[^\n]* ignored\.[^\n]*\n$/);
    },
  );

  test.each(['', '  ', '{}'])('reads "%s" as no options', async (value) => {
    expect(await settings(value)).toEqual({ options: defaults, stderr: '' });
  });
});

describe.concurrent('a tool that requires a variable', () => {
  const needy = writePackage(
    { tools: ['needy'] },
    {
      ...handler,
      'agenttools/tools/needy.json': { ...tool, requires: { env: ['KIT_TOKEN'], level: 'required' } },
    },
  );

  test('works in an environment that has it', async () => {
    const program = await openHere(needy, { env: { KIT_TOKEN: 'x' } });
    expect(await program.textOf('needy')).toBe('ok');
    await program.end();
  });

  test('names it where it is missing', async () => {
    const program = await openHere(needy);
    expect((await program.request('tools/list')).tools).toHaveLength(1);
    expect(await program.call('needy')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('KIT_TOKEN') }],
    });
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});
