import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { upstreamRecordKey } from '../../src/engine/existing-servers/existing-records.js';
import type { ExistingServer } from '../../src/engine/existing-servers/existing-server.js';
import { UpstreamRecords } from '../../src/engine/runtime/upstream-records.js';
import { upstreamSpec } from '../../src/engine/runtime/upstream-spec.js';
import { readUserServers, type UserServerFolders } from '../../src/engine/user-servers/store.js';
import { addFiles, type Files, packageJson, writeFolder } from '../support/packages.js';
import { type RunOptions, runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;

beforeEach(() => {
  home = writeFolder(kit('agenttools/packages/node_modules/@acme/kit', '@acme/kit'));
  cwd = writeFolder();
});

it('prints qualified names with their @', async () => {
  const { stdout } = await runCli(['create-server', 'mine', '--tool', 'acme/kit/forecast', '--json'], {
    home,
    cwd,
  });
  expect(JSON.parse(stdout)).toMatchObject({ name: 'mine', tools: ['@acme/kit/forecast'] });
});

it('warns about slots in backticks, which nothing fills', async () => {
  const prompts = [
    { name: 'greet', arguments: [{ Name: 'name' }], content: 'Hello, `name`! Write `code`.' },
    { name: 'fine', arguments: [{ name: 'name' }], content: { template: '`name` is {{name}}.' } },
  ];
  const made = await runCli(['create-server', 'mine', '--from', 'mine.json'], {
    home,
    cwd,
    files: { 'mine.json': { prompts } },
  });
  expect(made.code).toBe(0);
  expect(made.stderr.match(/^note: .*$/gm)).toEqual([
    'note: Prompt "greet": `name` is sent literally. Write { "template": "… {{name}} …" } to insert the argument.',
  ]);
});

/** A package with an item of every kind, of which one is code that leaves a trace when it runs. */
function kit(folder: string, name: string): Files {
  const manifest = {
    servers: ['all'],
    tools: ['forecast', 'alerts', 'lost'],
    prompts: ['briefing'],
    resources: ['stations'],
    apps: ['map'],
  };
  const files = {
    'package.json': packageJson(manifest, { name }),
    'agenttools/servers/all.json': { tools: '*' },
    'agenttools/tools/forecast.json': {
      description: 'Gives the weather.',
      inputSchema: {
        type: 'object',
        properties: { place: { type: 'string' }, units: { enum: ['metric', 'imperial'] } },
        required: ['place', 'units'],
      },
      handler: './forecast.js',
    },
    'agenttools/tools/alerts.js': 'globalThis.alertsRan = true; export default { handler: () => "none" };',
    'agenttools/prompts/briefing.json': { content: 'How will it be?' },
    'agenttools/resources/stations.json': { uri: 'app://stations', text: 'Ostwick' },
    'agenttools/apps/map.html': '<p>',
    'forecast.js': 'globalThis.forecastRan = true; export default (args) => JSON.stringify(args);',
  };
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));
}

const run = (words: readonly string[], options: Omit<RunOptions, 'cwd' | 'home'> = {}) =>
  runCli(words, { home, cwd, ...options });
const create = (...words: readonly string[]) => run(['create-server', ...words]);
const folder = () => path.join(home, 'agenttools/servers');
const stored = (name: string) =>
  JSON.parse(readFileSync(path.join(folder(), `agenttools/servers/${name}.json`), 'utf8'));
const declared = () =>
  JSON.parse(readFileSync(path.join(folder(), 'package.json'), 'utf8')).agenttools.servers;

describe('create-server', () => {
  it('takes skills of packages', async () => {
    const text = '---\nname: tea\ndescription: About tea.\n---\n';
    addFiles(home, { 'agenttools/packages/node_modules/@acme/kit/skills/tea/SKILL.md': text });
    const { code, stdout } = await create('brew', '--skill', '@acme/kit/tea', '--json');
    expect([code, JSON.parse(stdout).skills]).toEqual([0, ['@acme/kit/tea']]);
    expect(stored('brew')).toEqual({ skills: ['@acme/kit/tea'] });
    expect((await run(['show', 'brew'])).stdout).toContain('skill://tea/SKILL.md');
  });

  it.each([
    ['@acme/kit/teaa', '@acme/kit has no skill "teaa"'],
    ['@acme/far/tea', 'the package @acme/far is not installed'],
    ['tea', 'Skills of packages have qualified names'],
  ])('refuses a missing skill: %s', async (name, why) => {
    const { code, stderr } = await create('brew', '--skill', name);
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  });

  it('takes tools of existing servers, whose files are found from anywhere', async () => {
    addFiles(cwd, {
      'mine.json': {
        tools: [
          { upstream: { command: './server.js', args: ['a'] }, prefix: 'mine_' },
          { upstream: { command: 'npx', args: ['-y', 'it', '--token', 'rose'], cwd: 'data' } },
          { upstream: './place.js#place', only: ['x'] },
          { upstream: { url: 'https://a.example/mcp?key=rose' } },
          { name: 'one', description: 'One.', upstream: { place: './place.js#place', tool: 'eins' } },
        ],
      },
      'server.js': '',
      'place.js': 'globalThis.placeRan = true; export const place = () => ({ command: "x" });',
      'data/notes.txt': '',
    });
    const { code, stdout, stderr } = await create('mine', '--from', 'mine.json', '--json');
    const place = `${path.join(cwd, 'place.js')}#place`;
    const note = `note: The names of items of "${place}" were not checked: it was not started before. To check them, add --verify.\n`;
    expect({ code, stderr }).toEqual({ code: 0, stderr: note });
    expect(JSON.parse(stdout).tools).toEqual([
      `tools of ${path.join(cwd, 'server.js')} a`,
      'tools of npx -y it --token …',
      `tools of ${place}`,
      'tools of https://a.example/mcp',
      'one',
    ]);
    expect(stored('mine').tools.map(({ upstream }: { upstream: unknown }) => upstream)).toEqual([
      { command: path.join(cwd, 'server.js'), args: ['a'], cwd },
      { command: 'npx', args: ['-y', 'it', '--token', 'rose'], cwd: path.join(cwd, 'data') },
      place,
      { url: 'https://a.example/mcp?key=rose' },
      { place, tool: 'eins' },
    ]);
    expect('placeRan' in globalThis).toBe(false);
    expect((await run(['list-servers', 'mine', '--json'])).stdout).toContain('"mine"');
  });

  it.each([
    [{ upstream: { command: './gone.js' } }, /entry 1 of "tools" needs .*gone\.js, which is not a file\./],
    [
      { upstream: { command: 'x', cwd: 'gone' } },
      /entry 1 of "tools" runs in .*gone, which is not a folder\./,
    ],
    [{ upstream: { package: 'it' } }, /Write \{ "command": "npx", "args": \["-y", "it"\] \}/],
    [{ upstream: { command: 'x', url: 'https://a' } }, /unusable "upstream\.url"\. Expected only one of/],
    [
      { name: 'one', upstream: { command: './gone.js' } },
      /tool "one" needs .*gone\.js, which is not a file\./,
    ],
  ])('refuses an unavailable existing server: %j', async (entry, why) => {
    addFiles(cwd, { 'mine.json': { tools: [entry] } });
    const { code, stderr } = await create('mine', '--from', 'mine.json');
    expect([code, stderr]).toEqual([1, expect.stringMatching(why)]);
  });

  it('refuses names that an existing server did not have at its last start', async () => {
    const upstream = { url: 'https://a.example/mcp' };
    const dataFolder = path.join(home, 'agenttools');
    const folders = { userServersFolder: path.join(dataFolder, 'servers') } as UserServerFolders;
    const { key } = upstreamSpec(upstream, await readUserServers(folders));
    const names = { tools: ['search'], prompts: ['greet'], resources: ['a', 'x:a'] };
    await new UpstreamRecords(dataFolder).write(key, { title: 'A', names });
    const entry = {
      upstream,
      only: ['search', 'serach'],
      prompts: { except: ['gone'] },
      resources: { only: ['x:a', 'x:b'] },
    };
    addFiles(cwd, { 'mine.json': { tools: [entry] } });
    const { code, stderr } = await create('mine', '--from', 'mine.json');
    expect(code).toBe(1);
    for (const lost of ['tool "serach"', 'prompt "gone"', 'resource "x:b"']) {
      const line = `The upstream server "https://a.example/mcp" had no ${lost} at its last start.`;
      expect(stderr).toContain(line);
    }
    expect(stderr.match(/at its last start/g)).toHaveLength(3);
    addFiles(cwd, {
      'mine.json': { tools: [{ ...entry, only: ['search'], prompts: false, resources: {} }] },
    });
    expect((await create('mine', '--from', 'mine.json')).code).toBe(0);
  });

  it.each([
    [['--rename', 'a=b c'], 'Clients refuse the name "b c" of --rename.'],
    [['--prefix', 'ü '], 'Clients refuse names that begin with "ü ".'],
    [['--prefix', ''], 'Clients refuse names that begin with "".'],
    [['--only', 'a,,b'], '--only has an empty name of a tool.'],
    [['--except', ''], '--except has an empty name of a tool.'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await create('mine', '--from', 'https://a.example/mcp', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('compares --only with the items that install recorded, and names an unchecked choice', async () => {
    const from = ['--from', 'https://a.example/mcp', '--transport', 'http', '--only'];
    const unchecked = await create('mine', ...from, 'serach');
    expect([unchecked.code, unchecked.stderr]).toEqual([
      0,
      expect.stringContaining('were not checked: it was not started before. To check them, add --verify.'),
    ]);
    const names = { tools: ['search'], prompts: [], resources: [] };
    const key = upstreamRecordKey({ reference: 'https://a.example/mcp' } as ExistingServer);
    await new UpstreamRecords(path.join(home, 'agenttools')).write(key, { title: 'A', names });
    const wrong = await create('other', ...from, 'serach');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/had no tool "serach" at its last start\. Did you mean "search"\?/),
    ]);
    const right = await create('other', ...from, 'search');
    expect([right.code, right.stderr]).toEqual([0, expect.not.stringContaining('not checked')]);
  });

  it('checks names live with --verify', async () => {
    const server = `
      const answers = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
        'tools/list': { tools: [{ name: process.env.TOKEN, inputSchema: { type: 'object' } }] },
      };
      const reader = require('node:readline').createInterface({ input: process.stdin });
      reader.on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        const result = answers[method];
        const error = { code: -32601, message: 'Method not found' };
        console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
      });`;
    addFiles(cwd, {
      'server.cjs': server,
      'mcp.json': {
        mcpServers: { a: { command: 'node', args: ['./server.cjs'], env: { TOKEN: '4f1c9a8b7d6e5f40' } } },
      },
    });
    const from = ['--from', './mcp.json#a', '--verify'];
    const verify = async (name: string, ...words: readonly string[]) =>
      await run(['create-server', name, ...from, ...words], { env: { PATH: process.env.PATH! } });
    const wrong = await verify('mine', '--only', 'serach');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/has no tool "serach"/)]);
    expect((await verify('mine', '--only', '4f1c9a8b7d6e5f40')).code).toBe(0);
    expect(JSON.stringify(stored('mine').tools[0].upstream)).toMatch(/"TOKEN":"\$\{TOKEN\}"/);
    addFiles(cwd, { 'server.cjs': 'process.exit(7);' });
    const dead = await verify('other');
    expect([dead.code, dead.stderr]).toEqual([1, expect.stringMatching(/exit(ed)? .*7/)]);
  });

  it('mixes built-in items with items of packages and keeps their names', async () => {
    const { code, stdout, stderr } = await create(
      'trip',
      '--tool',
      'catalog,@acme/kit/forecast',
      '--tool=@acme/kit/alerts',
      '--prompt=@acme/kit/briefing',
      '--resource=@acme/kit/stations',
      '--app=@acme/kit/map',
      '--title=Trip',
      '--description=For travellers',
      '--instructions=Be kind.',
      '--json',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      name: 'trip',
      file: path.join(folder(), 'agenttools/servers/trip.json'),
      replaced: false,
      tools: ['catalog', '@acme/kit/forecast', '@acme/kit/alerts'],
      prompts: ['@acme/kit/briefing'],
      resources: ['@acme/kit/stations'],
      apps: ['@acme/kit/map'],
      skills: [],
    });
    expect(stored('trip')).toEqual({
      title: 'Trip',
      description: 'For travellers',
      instructions: 'Be kind.',
      tools: ['catalog', '@acme/kit/forecast', '@acme/kit/alerts'],
      prompts: ['@acme/kit/briefing'],
      resources: ['@acme/kit/stations'],
      apps: ['@acme/kit/map'],
    });
    expect(declared()).toEqual(['trip']);
  });

  it('runs no code of an extension', async () => {
    await create('trip', '--tool=@acme/kit/forecast,@acme/kit/alerts');
    expect(globalThis).not.toHaveProperty('alertsRan');
    expect(globalThis).not.toHaveProperty('forecastRan');
    expect((await run(['call', 'trip', 'alerts'])).stdout).toBe('none\n');
    expect(globalThis).toHaveProperty('alertsRan');
  });

  it('makes servers that follow their packages, and are shown, called and checked like any other', async () => {
    await create('trip', '--tool=@acme/kit/forecast');
    const tool = path.join(home, 'agenttools/packages/node_modules/@acme/kit/agenttools/tools/forecast.json');
    writeFileSync(tool, JSON.stringify({ description: 'Newer.', handler: './forecast.js' }));
    const shown = JSON.parse((await run(['show', 'trip', '--json'])).stdout);
    expect(shown).toMatchObject({ name: 'trip', version: '1.0.0', configKey: 'trip' });
    expect(shown.tools[0]).toMatchObject({ name: 'forecast', description: 'Newer.' });
    expect((await run(['call', 'trip', 'forecast', '{"place":"Bonn"}'])).stdout).toBe('{"place":"Bonn"}\n');
    expect((await run(['validate', folder(), '--strict', '--no-load'])).code).toBe(0);
  });

  it('keeps what it writes to its owner, since fixed arguments may be secrets', async () => {
    await create('trip', '--tool=catalog');
    const { mode } = statSync(path.join(folder(), 'agenttools/servers/trip.json'));
    expect(mode & 0o077).toBe(0);
  });
});

describe('a definition that is given', () => {
  const definition = `{ // with comments
    "title": "From the file",
    "tools": [
      { "use": "@acme/kit/forecast", "name": "weather", "arguments": { "units": "metric" } },
      { "name": "say", "description": "Says.", "handler": "../code/say.mjs#hello" },
    ],
    "prompts": [{ "name": "ask", "type": "function", "content": "../code/say.mjs#ask" }],
    "resources": [{ "name": "note", "uri": "app://note", "file": "note.txt" }],
    "list": { "tools": "../code/say.mjs#tools" },
  }`;

  beforeEach(() =>
    addFiles(cwd, {
      'mine/trip.jsonc': definition,
      'mine/note.txt': 'Remember.',
      'code/say.mjs': `export const hello = () => "hello"; export const ask = () => "Well?";
        export const tools = (ctx, registry) => registry.list();`,
    }),
  );

  it('may change items and define some, whose files are found from anywhere', async () => {
    expect((await create('trip', '--from', 'mine/trip.jsonc')).code).toBe(0);
    expect(stored('trip').tools[1].handler).toBe(path.join(cwd, 'code/say.mjs#hello'));
    expect(stored('trip').list.tools).toBe(path.join(cwd, 'code/say.mjs#tools'));
    expect(stored('trip').resources[0].file).toBe(path.join(cwd, 'mine/note.txt'));
    const elsewhere = { home, cwd: writeFolder() };
    expect((await runCli(['call', 'trip', 'say'], elsewhere)).stdout).toBe('hello\n');
    const { stdout } = await runCli(['call', 'trip', 'weather', '{"place":"Bonn"}'], elsewhere);
    expect(JSON.parse(stdout)).toEqual({ place: 'Bonn', units: 'metric' });
    expect((await run(['validate', folder()])).code).toBe(0);
  });

  it('may define tools in toolkits and in what it changes', async () => {
    const hello = { handler: '../code/say.mjs#hello', description: 'Says.' };
    const tools = [
      { category: 'Talk', tools: [{ ...hello, name: 'say' }] },
      {
        use: { ...hello, name: 'greet' },
        title: 'Greet',
        ui: { visibility: ['model'], when: '../code/say.mjs#hello' },
      },
      { use: [{ ...hello, name: 'wave' }], hidden: true },
    ];
    addFiles(cwd, { 'mine/kit.json': { tools } });
    expect(await create('kit', '--from', 'mine/kit.json')).toMatchObject({ code: 0 });
    const module = path.join(cwd, 'code/say.mjs#hello');
    expect(stored('kit').tools).toMatchObject([
      { tools: [{ handler: module }] },
      { use: { handler: module }, ui: { when: module } },
      { use: [{ handler: module }] },
    ]);
    for (const tool of ['say', 'greet', 'wave'])
      expect((await run(['call', 'kit', tool])).stdout).toBe('hello\n');
  });

  it('precedes the items of the command line and yields to its other options', async () => {
    await create('trip', '--from=mine/trip.jsonc', '--tool=catalog', '--title=Mine', '--instructions=Ask.');
    expect(stored('trip')).toMatchObject({ title: 'Mine', instructions: 'Ask.' });
    expect(stored('trip').tools.at(-1)).toBe('catalog');
    expect(stored('trip').tools).toHaveLength(3);
  });

  it('is read from stdin, its paths relative to the working directory', async () => {
    const stdin = definition.replaceAll('../', './').replace('note.txt', 'mine/note.txt');
    expect((await run(['create-server', 'trip', '--from', '-'], { stdin })).code).toBe(0);
    expect(stored('trip').tools[1].handler).toBe(path.join(cwd, 'code/say.mjs#hello'));
  });

  it('loses the items of a deleted file, and reports this', async () => {
    addFiles(cwd, { 'mine/trip.jsonc': definition.replace(/"list".*/, '') });
    await create('trip', '--from', 'mine/trip.jsonc');
    rmSync(path.join(cwd, 'code'), { recursive: true });
    const { leftOut } = JSON.parse((await run(['show', 'trip', '--json'])).stdout);
    expect(leftOut[0].message).toBe(
      `Tool "say" has an unusable "handler": There is no file ${path.join(cwd, 'code/say.mjs')}.`,
    );
  });

  it.each([
    ['[]', 'The definition of a server is an object.'],
    ['{ "tools": "*" }', '"tools" of the definition is "*"'],
    ['{ "tools": {} }', '"tools" of the definition is not a list.'],
    ['{ "tool": ["catalog"] }', 'The definition has an unknown key "tool".'],
    ['{ "tool": ["catalog"] }', 'Did you mean "tools"?'],
    ['{ "tools": [1] }', 'The definition has an unusable "tools.0".'],
    ['{ "tools": ["catalog"], "initialize": "./gone.js" }', 'There is no file'],
    ['{ "tools": ["catalog"], "list": { "tools": "./gone.js" } }', 'There is no file'],
    ['{ "tools": ["catalog"], "list": { "tool": "./gone.js" } }', 'Did you mean "tools"?'],
    ['{ "tools": ["catalog", }', 'bad.json:1:'],
    ['{ "tools": [{ "use": "catalog", "nam": "x" }] }', 'unknown key "nam"'],
    ['{ "tools": [{ "name": "say", "handler": "say.mjs" }] }', '"say.mjs" is not a module reference'],
    ['{ "tools": [{ "name": "say", "handler": "./gone.mjs" }] }', 'There is no file'],
    ['{ "apps": [{ "name": "map" }] }', 'An app is named'],
  ])('is refused when it is bad: %s', async (text, expected) => {
    addFiles(cwd, { 'bad.json': text });
    const { code, stderr } = await create('trip', '--from', 'bad.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(expected) });
    expect(existsSync(folder())).toBe(false);
  });

  it('may change arguments of what it lists, which is then shown, called and checked so', async () => {
    const parameters = {
      place: { name: 'city', description: 'Where' },
      units: { hidden: true, default: 'metric' },
    };
    addFiles(cwd, { 'trip.json': { tools: [{ use: '@acme/kit/forecast', parameters }] } });
    expect(await create('trip', '--from', 'trip.json')).toMatchObject({ code: 0 });
    const [tool] = JSON.parse((await run(['show', 'trip', '--json'])).stdout).tools;
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: { city: { type: 'string', description: 'Where' } },
      required: ['city'],
    });
    const { stdout } = await run(['call', 'trip', 'forecast', '{ "city": "Ostwick", "units": "imperial" }']);
    expect(JSON.parse(stdout)).toEqual({ place: 'Ostwick', units: 'metric' });
    const refused = await run(['call', 'trip', 'forecast', '{ "place": "Ostwick" }']);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('"city" is required')]);
    expect(await run(['validate', folder()])).toMatchObject({ code: 0 });
  });

  it.each([
    ['{ "palce": { "name": "city" } }', 'changes the argument "palce".* Did you mean "place"'],
    ['{ "place": { "hidden": true } }', 'hides the argument "place", which is required'],
    ['{ "units": { "enum": ["metrical"] } }', 'the value "metrical".* Did you mean "metric"'],
    ['{ "place": { "naem": "city" } }', 'unknown key "parameters.place.naem". Did you mean "name"'],
  ])('is refused when it changes arguments as they cannot be: %s', async (parameters, expected) => {
    addFiles(cwd, {
      'bad.json': `{ "tools": [{ "use": "@acme/kit/forecast", "parameters": ${parameters} }] }`,
    });
    const { code, stderr } = await create('trip', '--from', 'bad.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(expected) });
  });

  it('may name modules that are in no package, written in either way', async () => {
    addFiles(cwd, {
      'notes.js': 'export const take = () => "taken";',
      'old.js': 'module.exports = () => "old";',
      'notes.json': {
        tools: [
          { name: 'take', description: 'Takes.', handler: './notes.js#take' },
          { name: 'old', description: 'Is old.', handler: './old.js' },
        ],
      },
    });
    expect(await create('notes', '--from', 'notes.json')).toMatchObject({ code: 0 });
    expect((await run(['call', 'notes', 'take'])).stdout).toBe('taken\n');
    expect((await run(['call', 'notes', 'old'])).stdout).toBe('old\n');
    expect(await run(['validate', folder()])).toMatchObject({ code: 0 });
  });

  it.each([
    ['[{ "handler": "./say.js" }]', 'entry 1 of "tools": Tool '],
    ['["catalog", { "name": "say" }]', 'entry 2 of "tools": Tool "say" has no "handler"'],
  ])('names the list and the number of an invalid entry: %s', async (tools, expected) => {
    addFiles(cwd, { 'bad.json': `{ "tools": ${tools} }` });
    const { code, stderr } = await create('z', '--from', 'bad.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(expected) });
    expect(stderr).not.toContain('z#');
  });

  it.each([
    ['is too large', 'large.json', /large\.json is larger than 5 MB\./],
    ['is no UTF-8', 'latin.json', /latin\.json is not UTF-8: byte 18 \(line 1, column 19\)/],
    ['is a folder', 'mine', /mine is a folder, not a file\./],
  ])('rejects a definition that %s', async (_, file, message) => {
    writeFileSync(path.join(cwd, 'large.json'), ' '.repeat(5 * 1024 * 1024 + 1));
    writeFileSync(path.join(cwd, 'latin.json'), Buffer.from('{ "description": "\xe9" }', 'latin1'));
    mkdirSync(path.join(cwd, 'mine'), { recursive: true });
    const { code, stderr } = await create('trip', '--from', file);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  it.runIf(process.platform === 'linux').each(['/dev/zero', 'pipe.json'])(
    '%s is not waited for',
    async (file) => {
      if (file === 'pipe.json') execFileSync('mkfifo', [path.join(cwd, file)]);
      const { code, stderr } = await create('trip', '--from', file);
      expect(code).toBe(1);
      expect(stderr).toMatch(/is a (?:device|named pipe), not a regular file\./);
    },
  );

  it('stops reading a definition from an endless stdin', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(65_536, ' ');
    }
    const { code, stderr } = await run(['create-server', 'trip', '--from', '-'], {
      stdin: Readable.from(endless()),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('stdin is larger than 5 MB.');
  });

  it('is refused if the file is missing', async () => {
    const { code, stderr } = await create('trip', '--from', 'gone.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('There is no file') });
  });
});

describe('unavailable items', () => {
  it.each([
    ['--tool=catlog', 'Did you mean "catalog"?'],
    ['--tool=@acme/kit/forcast', 'Did you mean "@acme/kit/forecast"?'],
    ['--tool=@acme/kit', 'it is a package. Name one of its tools: @acme/kit/forecast'],
    ['--tool=@acme/other/x', 'is not installed. Add it with: agenttools add @acme/other'],
    ['--tool=./plugin/x', 'Add the package (agenttools add ./plugin)'],
    ['--tool=@acme/kit/lost', 'Tool "lost" has no definition'],
    ['--prompt=forecast', 'there is no built-in prompt'],
    ['--app=@acme/kit/mop', 'Did you mean "@acme/kit/map"?'],
  ])('is reported with a fix: %s', async (word, expected) => {
    const { code, stderr } = await create('trip', '--tool=catalog', word);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(expected) });
    expect(existsSync(folder())).toBe(false);
  });

  it('is reported together with the others', async () => {
    const { stderr } = await create('trip', '--tool=one,two', '--prompt=three');
    expect(stderr.match(/there is no built-in/g)).toHaveLength(3);
  });

  it('is what only the project has, since clients start servers from anywhere', async () => {
    addFiles(cwd, kit('node_modules/local', 'local'));
    const { code, stderr } = await create('trip', '--tool=local/forecast');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('of this project only') });
    expect(stderr).toContain('agenttools add ./node_modules/local');
  });
});

describe('a name', () => {
  it.each([
    ['@acme/kit/x', 2, 'A name with "/" belongs to a package.'],
    ['.hidden', 2, 'cannot be the name of a server'],
    ['sp ace', 2, 'cannot be the name of a server'],
    ['agenttools', 1, 'is the name of a built-in server'],
    ['__proto__', 2, 'cannot be the name of a server: programs in JavaScript'],
    ['constructor', 2, 'cannot be the name of a server: programs in JavaScript'],
    ['CON', 2, 'cannot be the name of a server: Windows takes it for a device'],
    ['lpt1.weather', 2, 'cannot be the name of a server: Windows takes it for a device'],
  ])('may be refused: %s', async (name, code, expected) => {
    expect(await create(name, '--tool=catalog')).toMatchObject({
      code,
      stderr: expect.stringContaining(expected),
    });
  });

  it('may begin like one that is refused', async () => {
    expect(await create('console', '--tool=catalog')).toMatchObject({ code: 0 });
  });

  it('belongs to one server, which is replaced only when that is wanted', async () => {
    await create('trip', '--tool=catalog');
    const { code, stderr } = await create('trip', '--tool=diagnostics');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--overwrite') });
    expect(stored('trip').tools).toEqual(['catalog']);
    expect((await create('trip', '--tool=diagnostics', '--overwrite')).stdout).toContain('Replaced trip');
    expect(stored('trip')).toEqual({ tools: ['diagnostics'] });
    expect(declared()).toEqual(['trip']);
  });

  it('is compared without case, because some file systems ignore case', async () => {
    await create('trip', '--tool=catalog');
    const { code, stderr } = await create('Trip', '--tool=catalog', '--overwrite');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Choose another name') });
  });

  it('may equal a package name, with a note', async () => {
    addFiles(home, kit('agenttools/packages/node_modules/kit', 'kit'));
    const { code, stderr } = await create('kit', '--tool=catalog');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('is kit/all') });
  });

  it.each([[[]], [['--tool', ' , ']]])(
    'is not enough: a server has to serve something: %j',
    async (words) => {
      const { code, stderr } = await create('trip', ...words);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--tool') });
    },
  );
});

it('reports items that clients will see under other names', async () => {
  addFiles(home, kit('agenttools/packages/node_modules/kit', 'kit'));
  const { code, stderr } = await create('trip', '--tool=@acme/kit/forecast,kit/forecast');
  expect(code).toBe(0);
  expect(stderr).toContain(
    'Several tools are named "forecast", so clients see them as forecast1, forecast2.',
  );
});

describe('existing files', () => {
  it('stays: further servers, and what the user wrote beside them', async () => {
    await create('one', '--tool=catalog');
    const file = path.join(folder(), 'package.json');
    const value = JSON.parse(readFileSync(file, 'utf8'));
    value.agenttools.servers = [['one', 'The first']];
    writeFileSync(file, JSON.stringify({ ...value, author: 'Ada' }));
    await create('two', '--tool=catalog');
    expect(declared()).toEqual([['one', 'The first'], 'two']);
    expect(JSON.parse(readFileSync(file, 'utf8')).author).toBe('Ada');
  });

  it('overwrites a server that was never finished', async () => {
    addFiles(folder(), { 'agenttools/servers/trip.json': { tools: ['gone'] } });
    expect((await create('trip', '--tool=catalog')).code).toBe(0);
    expect(stored('trip')).toEqual({ tools: ['catalog'] });
  });

  it('in another format does not win over what replaces it', async () => {
    await create('trip', '--tool=catalog');
    addFiles(folder(), { 'agenttools/servers/trip.js': 'export default { tools: [] };' });
    await create('trip', '--tool=diagnostics', '--overwrite');
    expect(JSON.parse((await run(['show', 'trip', 'tools', '--json'])).stdout)).toMatchObject([
      { name: 'diagnostics' },
    ]);
  });

  it('is not touched when it cannot be read', async () => {
    addFiles(folder(), { 'package.json': '{ "agenttools": {' });
    const { code, stderr } = await create('trip', '--tool=catalog');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('package.json:1:') });
    expect(readFileSync(path.join(folder(), 'package.json'), 'utf8')).toBe('{ "agenttools": {');
  });

  it('may be a file where a folder is to be', async () => {
    mkdirSync(path.join(home, 'agenttools'), { recursive: true });
    writeFileSync(folder(), '');
    const { code, stderr } = await create('trip', '--tool=catalog');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Move that file away') });
  });
});
