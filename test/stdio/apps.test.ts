import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { addFiles, writeFolder, writePackage } from '../support/packages.js';
import { execute } from '../support/packed.js';
import { type Message, type Program, type ProgramOptions, programFile } from '../support/program.js';
import { serveHere } from '../support/serving-here.js';
import { modern } from './support/messages.js';

const mimeType = 'text/html;profile=mcp-app';
const page = '<!DOCTYPE html><title>Viewer</title>';
const uri = 'ui://acme/kit/viewer';
const csp = { connectDomains: ['https://api.example.com'], resourceDomains: [], frameDomains: [] };

/** Capabilities of a client that shows UI, or says something else under its name. */
const declaring = (settings: unknown = { mimeTypes: [mimeType] }) => ({
  extensions: { 'io.modelcontextprotocol/ui': settings },
});

type Request = (method: string, params?: object) => Promise<Message>;

/** How a client of each era says what it can do, once. */
const speakers = {
  async legacy(program: Program, capabilities: object): Promise<{ offered: Message; request: Request }> {
    const { capabilities: offered } = await program.initialize('2025-11-25', capabilities);
    return { offered, request: (method, params) => program.request(method, params) };
  },
  async modern(program: Program, capabilities: object): Promise<{ offered: Message; request: Request }> {
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const request: Request = async (method, params = {}) => {
      const { result, error } = await program.ask(modern(program.freshId(), method, { ...params, _meta }));
      return result ?? error;
    };
    return { offered: (await request('server/discover')).capabilities, request };
  },
} as const;

type Era = keyof typeof speakers;
const eras = ['legacy', 'modern'] as const;

interface Opened {
  readonly program: Program;
  readonly offered: Message;
  readonly request: Request;
}

async function open(
  era: Era,
  folder: string,
  { capabilities = declaring(), ...options }: ProgramOptions & { readonly capabilities?: object } = {},
): Promise<Opened> {
  const program = serveHere(folder, options);
  return { program, ...(await speakers[era](program, capabilities)) };
}

/** An extension with a tool of each sort. */
function everySort(): string {
  return writePackage(
    {
      tools: ['chart', 'zoom', 'reset', 'guarded', 'plain'],
      apps: ['viewer', 'other', 'unused'],
      resources: ['notes'],
      servers: ['all', 'few'],
    },
    {
      'agenttools/servers/all.json': {
        tools: [
          'chart',
          { use: 'chart', name: 'plot', description: 'Plots.' },
          'zoom',
          'reset',
          'guarded',
          'plain',
        ],
        resources: '*',
        apps: ['other'],
      },
      'agenttools/servers/few.json': { tools: ['chart'] },
      'agenttools/tools.json': {
        chart: { description: 'c', handler: './tools.js#chart', ui: 'viewer', category: 'charts' },
        zoom: { description: 'z', handler: './tools.js#zoom', ui: { app: 'viewer', visibility: ['app'] } },
        reset: { description: 'r', handler: './tools.js#zoom', ui: { visibility: ['app'] } },
        guarded: {
          description: 'g',
          handler: './tools.js#zoom',
          ui: { app: 'viewer', visibility: ['model'] },
        },
        plain: { description: 'p', handler: './tools.js#plain' },
      },
      'agenttools/resources.json': { notes: { uri: 'app://notes', text: 'n' } },
      'agenttools/apps/viewer.html': page,
      'agenttools/apps/viewer.json': { csp, prefersBorder: true },
      'agenttools/apps/other.html': page,
      'agenttools/apps/other.json': { ui: { permissions: { camera: {} }, domain: 'a.example' } },
      'agenttools/apps/unused.html': page,
      'tools.js': `
        export const chart = ({ own }) => ({
          content: [{ type: 'text', text: 'complete' }],
          structuredContent: { points: [1] },
          _meta: { notebookUrl: 'https://example.com/n', ...(own && { ui: { mine: true } }) },
        });
        export const zoom = () => 'zoomed';
        export const plain = (_, ctx) => ({ ui: ctx.ui });`,
    },
  );
}

const ofTool = async (request: Request, name: string) => {
  const { tools } = await request('tools/list');
  return tools.find((tool: Message) => tool.name === name);
};
const names = (list: Message[]) => list.map(({ name }) => name);

describe.concurrent.each(eras)('%s: UI is on', (era) => {
  const declarations: readonly [string, object, boolean][] = [
    ['declared with our kind of page', declaring(), true],
    ['declared among other kinds', declaring({ mimeTypes: ['text/x', mimeType] }), true],
    ['declared in other writing', declaring({ mimeTypes: ['Text/HTML; profile="mcp-app"'] }), true],
    ['declared without kinds', declaring({}), true],
    ['not declared', {}, false],
    ['another extension', { extensions: { 'com.example/x': {} } }, false],
    ['declared without any kind', declaring({ mimeTypes: [] }), false],
    ['declared for other kinds only', declaring({ mimeTypes: ['text/html'] }), false],
    ['declared with kinds that are no list', declaring({ mimeTypes: mimeType }), false],
  ];

  test('follows the capabilities of the client', async () => {
    const program = serveHere(`${everySort()}/all`);
    for (const [what, capabilities, isOn] of declarations) {
      const { offered, request } = await speakers[era](program, capabilities);
      expect([what, 'extensions' in offered]).toEqual([what, isOn]);
      expect([what, '_meta' in (await ofTool(request, 'guarded'))]).toEqual([what, isOn]);
      expect(names((await request('resources/list')).resources)).toEqual(
        isOn ? ['notes', 'viewer', 'other'] : ['notes'],
      );
    }
    await program.end();
  });

  test.each([
    ['false', false],
    [' FALSE ', false],
    ['False', false],
    ['true', true],
    ['', true],
    ['0', true],
  ])('unless MCP_APPS_ENABLED is "%s": %s', async (MCP_APPS_ENABLED, isOn) => {
    const { program, offered, request } = await open(era, `${everySort()}/few`, {
      env: { MCP_APPS_ENABLED },
    });
    expect('extensions' in offered).toBe(isOn);
    expect('resources' in offered).toBe(isOn);
    expect('ui' in (await ofTool(request, 'chart'))._meta).toBe(isOn);
    expect((await request('resources/list')).resources).toHaveLength(isOn ? 1 : 0);
    expect('contents' in (await request('resources/read', { uri }))).toBe(isOn);
    await program.end();
  });
});

describe.concurrent.each(eras)('%s: to a client that shows UI', (era) => {
  test('declares the UI extension and resources', async () => {
    const { program, offered } = await open(era, `${everySort()}/few`);
    expect(offered).toEqual({
      tools: {},
      resources: {},
      logging: {},
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] } },
    });
    await program.end();
  });

  test('lists tools with their apps and visibility, in both keys', async () => {
    const { program, request } = await open(era, `${everySort()}/all`);
    const { tools } = await request('tools/list');
    const bound = { ui: { resourceUri: uri, visibility: ['model', 'app'] }, 'ui/resourceUri': uri };
    expect(tools.map(({ name, _meta }: Message) => [name, _meta])).toEqual([
      ['chart', { category: 'charts', ...bound }],
      ['plot', { category: 'charts', ...bound }],
      ['zoom', { ui: { resourceUri: uri, visibility: ['app'] }, 'ui/resourceUri': uri }],
      ['reset', { ui: { visibility: ['app'] } }],
      ['guarded', { ui: { resourceUri: uri, visibility: ['model'] }, 'ui/resourceUri': uri }],
      ['plain', undefined],
    ]);
    await program.end();
  });

  test('lists the apps of its tools and its own apps as resources with metadata for hosts', async () => {
    const { program, request } = await open(era, `${everySort()}/all`);
    const { resources } = await request('resources/list');
    const ui = { csp, prefersBorder: true };
    const otherUi = { permissions: { camera: {} }, domain: 'a.example' };
    expect(resources).toMatchObject([
      { uri: 'app://notes' },
      { uri, name: 'viewer', title: 'viewer', mimeType, _meta: { ui } },
      { uri: 'ui://acme/kit/other', name: 'other', mimeType, _meta: { ui: otherUi } },
    ]);
    expect((await request('resources/read', { uri })).contents).toEqual([
      { uri, mimeType, text: page, _meta: { ui } },
    ]);
    const other = await request('resources/read', { uri: 'ui://acme/kit/other' });
    expect(other.contents).toMatchObject([{ _meta: { ui: otherUi } }]);
    await program.end();
  });

  test('does not find apps that the server does not serve', async () => {
    const { program, request } = await open(era, `${everySort()}/all`);
    const code = era === 'legacy' ? -32002 : -32602;
    for (const unknown of ['ui://acme/kit/unused', 'ui://acme/kit/nope', 'ui://stranger/viewer']) {
      expect(await request('resources/read', { uri: unknown })).toMatchObject({
        code,
        message: expect.stringContaining(unknown),
      });
    }
    expect(await request('resources/read', {})).toMatchObject({ code: -32602 });
    expect(await request('resources/read', { uri: 5 })).toMatchObject({ code: -32602 });
    await program.end();
  });

  test('adds the app to results and leaves the rest unchanged', async () => {
    const { program, request } = await open(era, `${everySort()}/all`);
    const without = await open(era, `${everySort()}/all`, { capabilities: {} });
    const on = await request('tools/call', { name: 'plot' });
    expect(on).toMatchObject({
      content: [{ type: 'text', text: 'complete' }],
      structuredContent: { points: [1] },
      _meta: { notebookUrl: 'https://example.com/n' },
    });
    const { ui, ...meta } = on._meta;
    expect(ui).toEqual({ resourceUri: uri });
    expect(await without.request('tools/call', { name: 'plot' })).toEqual({ ...on, _meta: meta });
    expect((await request('tools/call', { name: 'zoom' }))._meta).toMatchObject({ ui: { resourceUri: uri } });
    expect((await request('tools/call', { name: 'reset' }))._meta?.ui).toBeUndefined();
    expect((await request('tools/call', { name: 'plain' }))._meta?.ui).toBeUndefined();
    const own = await request('tools/call', { name: 'plot', arguments: { own: true } });
    expect(own._meta.ui).toEqual({ mine: true });
    expect((await without.request('tools/call', { name: 'zoom' }))._meta?.ui).toBeUndefined();
    expect((await request('tools/call', { name: 'plain' })).structuredContent).toEqual({ ui: true });
    expect((await without.request('tools/call', { name: 'plain' })).structuredContent).toEqual({ ui: false });
    await Promise.all([program.end(), without.program.end()]);
  });
});

describe.concurrent.each(eras)('%s: to any other client', (era) => {
  const open_ = (server: string, folder = everySort()) =>
    open(era, `${folder}/${server}`, { capabilities: {} });

  test('sends nothing about UI', async () => {
    const { program, offered, request } = await open_('all');
    expect(offered).toEqual({ tools: {}, resources: {}, logging: {} });
    const { tools } = await request('tools/list');
    expect(tools.map(({ name, _meta }: Message) => [name, _meta])).toEqual([
      ['chart', { category: 'charts' }],
      ['plot', { category: 'charts' }],
      ['guarded', undefined],
      ['plain', undefined],
    ]);
    expect(JSON.stringify(await request('resources/list'))).not.toContain('ui://');
    await program.end();
  });

  test('a server whose only resources are apps has none', async () => {
    const { program, offered, request } = await open_('few');
    expect(offered).toEqual({ tools: {}, logging: {} });
    expect((await request('resources/list')).resources).toEqual([]);
    await program.end();
  });

  test('apps cannot be read', async () => {
    const { program, request } = await open_('all');
    const code = era === 'legacy' ? -32002 : -32602;
    expect(await request('resources/read', { uri })).toMatchObject({ code });
    await program.end();
  });

  test('tools that only apps call are not shown, and can be called', async () => {
    const { program, request } = await open_('all');
    expect(names((await request('tools/list')).tools)).not.toContain('zoom');
    expect(await request('tools/call', { name: 'zoom' })).toMatchObject({ content: [{ text: 'zoomed' }] });
    await program.end();
  });
});

describe.concurrent('broken apps', () => {
  test.each(eras)('%s: bad metadata is one line, and the app is served without', async (era) => {
    const folder = everySort();
    addFiles(folder, { 'agenttools/apps/viewer.json': '{ "prefersBorder": tru' });
    const { program, request } = await open(era, `${folder}/few`);
    expect((await request('resources/list')).resources).toEqual([
      { uri, name: 'viewer', title: 'viewer', mimeType },
    ]);
    for (const _ of [1, 2]) {
      expect((await request('resources/read', { uri })).contents).toEqual([{ uri, mimeType, text: page }]);
    }
    expect((await ofTool(request, 'chart'))._meta.ui.resourceUri).toBe(uri);
    await program.end();
    expect(program.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^@acme\/kit\/viewer: is served without its metadata \(agenttools\/apps\/viewer\.json\)/,
      ),
    ]);
  });

  test.each(eras)('%s: without its page a tool works, and has no UI', async (era) => {
    const folder = everySort();
    rmSync(path.join(folder, 'agenttools/apps/viewer.html'));
    const { program, offered, request } = await open(era, `${folder}/few`);
    expect(offered).toEqual({ tools: {}, logging: {} });
    expect((await ofTool(request, 'chart'))._meta).toEqual({ category: 'charts' });
    expect((await request('tools/call', { name: 'chart' })).content).toEqual([
      { type: 'text', text: 'complete' },
    ]);
    await program.end();
    expect(program.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^left out: @acme\/kit\/viewer \(package\.json:\d+\): App "viewer" has no definition/,
      ),
    ]);
  });

  test.each(eras)('%s: a page that goes while it is served fails alone', async (era) => {
    const folder = everySort();
    const { program, request } = await open(era, `${folder}/few`);
    rmSync(path.join(folder, 'agenttools/apps/viewer.html'));
    expect(await request('resources/read', { uri })).toMatchObject({
      code: -32603,
      message: 'Resource read failed',
    });
    expect((await request('tools/call', { name: 'chart' })).content).toEqual([
      { type: 'text', text: 'complete' },
    ]);
    await program.said(/viewer: .*its page cannot be read/);
    await program.end();
  });
});

describe.concurrent('dependence on the client', () => {
  test('2026-07-28: makes lists private, regardless of the cache setting', async () => {
    const folder = everySort();
    addFiles(folder, {
      'agenttools/servers/few.json': {
        tools: ['chart'],
        prompts: [{ name: 'ask', content: 'Ask.' }],
        cache: { ttlMs: 1000, scope: 'public' },
      },
    });
    const { program, request } = await open('modern', `${folder}/few`);
    const varying = ['server/discover', 'tools/list', 'resources/list', 'resources/templates/list'];
    for (const method of varying) {
      expect([method, await request(method)]).toMatchObject([method, { ttlMs: 1000, cacheScope: 'private' }]);
    }
    expect(await request('prompts/list')).toMatchObject({ cacheScope: 'public' });
    await program.end();
  });

  test('2026-07-28: each request is answered by itself', async () => {
    const program = serveHere(`${everySort()}/few`);
    const [withUi, without] = [
      await speakers.modern(program, declaring()),
      await speakers.modern(program, {}),
    ];
    for (const _ of [1, 2]) {
      expect((await ofTool(withUi.request, 'chart'))._meta).toHaveProperty('ui');
      expect((await ofTool(without.request, 'chart'))._meta).not.toHaveProperty('ui');
    }
    await program.end();
  });

  test('up to 2025-11-25: the latest handshake counts', async () => {
    const program = serveHere(`${everySort()}/few`);
    for (const [capabilities, isOn] of [
      [{}, false],
      [declaring(), true],
      [{}, false],
    ] as const) {
      const { offered, request } = await speakers.legacy(program, capabilities);
      expect('resources' in offered).toBe(isOn);
      expect('ui' in (await ofTool(request, 'chart'))._meta).toBe(isOn);
    }
    await program.end();
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18'])('%s: accepts the UI capability', async (version) => {
    const program = serveHere(`${everySort()}/few`);
    const { capabilities } = await program.initialize(version, declaring());
    expect(capabilities).toHaveProperty('extensions');
    expect(await ofTool((method) => program.request(method), 'chart')).toHaveProperty('_meta.ui');
    await program.end();
  });
});

test.each(eras)('%s: what a tool of several is called changes nothing of its UI', async (era) => {
  const folder = writeFolder({
    'package.json': {
      name: 'mine',
      agenttools: { servers: ['s'], tools: ['NotebookViewer'] },
    },
    'agenttools/servers/s.json': {
      tools: ['NotebookViewer', 'theirs/NotebookViewer', { use: 'theirs/NotebookViewer', name: 'Other' }],
    },
    'agenttools/tools/NotebookViewer.json': { description: 'Mine.', handler: './a.js' },
    'a.js': '',
    'node_modules/theirs/package.json': {
      name: 'theirs',
      agenttools: { tools: ['NotebookViewer'], apps: ['notebook-viewer'] },
    },
    'node_modules/theirs/agenttools/tools/NotebookViewer.json': {
      description: 'Theirs.',
      handler: './a.js',
      ui: 'notebook-viewer',
    },
    'node_modules/theirs/agenttools/apps/notebook-viewer.html': page,
    'node_modules/theirs/a.js': '',
  });
  const { program, request } = await open(era, `${folder}/s`);
  const { tools } = await request('tools/list');
  const told = tools.map(({ name, description, _meta }: Message) => [
    name,
    description,
    _meta?.ui.resourceUri,
  ]);
  expect(told).toEqual([
    ['NotebookViewer1', 'Mine.', undefined],
    ['NotebookViewer2', 'Theirs.', 'ui://theirs/notebook-viewer'],
    ['Other', 'Theirs.', 'ui://theirs/notebook-viewer'],
  ]);
  await program.end();
});

describe.concurrent.each(eras)('%s: `when`', (era) => {
  const gated = (gates: string, visibility?: readonly string[]) =>
    writePackage(
      { tools: ['chart'], apps: ['viewer'] },
      {
        'agenttools/tools/chart.json': {
          description: 'c',
          handler: './chart.js#chart',
          options: { show: true },
          ui: { app: 'viewer', when: './chart.js#when', ...(visibility && { visibility }) },
        },
        'agenttools/apps/viewer.html': page,
        'chart.js': `let asked = 0; export const chart = () => 'complete'; ${gates}`,
      },
    );

  test('is asked at each list', async () => {
    const folder = gated('export const when = (ctx) => asked++ % 2 === 0 && ctx.ui && ctx.options.show;');
    const { program, request } = await open(era, folder);
    for (const isThere of [true, false, true]) {
      expect('_meta' in (await ofTool(request, 'chart'))).toBe(isThere);
    }
    await program.end();
  });

  test.each([
    ['throws', `export const when = () => { throw new Error('no cloud'); };`, 'no cloud'],
    ['rejects', `export const when = async () => { throw new Error('no cloud'); };`, 'no cloud'],
    ['never answers', 'export const when = () => new Promise(() => {});', 'no answer within 1 s'],
    ['is not there', '', 'has no export "when"'],
    ['does not load', 'throw new Error("no module");', 'no module'],
  ])('leaves the tool without UI if it %s, and reports this once', async (_, gates, reason) => {
    const { program, request } = await open(era, gated(gates));
    for (const _ of [1, 2]) expect(await ofTool(request, 'chart')).not.toHaveProperty('_meta');
    expect((await request('resources/list')).resources).toHaveLength(1);
    await program.end();
    const lines = program.stderr.split('\n').filter((line) => line.startsWith('@acme/kit/chart: '));
    expect(lines).toEqual([expect.stringContaining(reason)]);
  });

  test('keeps app-only tools for apps if it returns false', async () => {
    const { program, request } = await open(era, gated('export const when = () => false;', ['app']));
    expect((await ofTool(request, 'chart'))._meta).toEqual({ ui: { visibility: ['app'] } });
    await program.end();
  });

  test('is not asked for clients that show no UI, nor for a call', async () => {
    const folder = gated(`export const when = () => { console.error('asked'); return true; };`);
    const { program, request } = await open(era, folder, { capabilities: {} });
    await request('tools/list');
    await request('tools/call', { name: 'chart' });
    await program.end();
    expect(program.stderr).toBe('');
  });
});

describe.concurrent.each(eras)('%s: UI that its author serves by hand', (era) => {
  const byHand = () =>
    writePackage(
      { tools: ['chart', 'zoom'], resources: ['board', 'boards'] },
      {
        'agenttools/tools.json': {
          chart: {
            description: 'c',
            handler: './a.js',
            meta: { other: 1, ui: { resourceUri: 'ui://mine/board' } },
          },
          zoom: { description: 'z', handler: './a.js', meta: { ui: { visibility: ['app'] } } },
        },
        'agenttools/resources.json': {
          board: { uri: 'ui://mine/board', mimeType, text: page },
          boards: { uriTemplate: 'ui://mine/{name}', mimeType, read: './a.js#read' },
        },
        'a.js': `export const read = () => 'x'; export default () => ({
          content: [], _meta: { kept: 1, ui: { resourceUri: 'ui://mine/board' } } });`,
      },
    );

  test('is for clients that show it', async () => {
    const { program, offered, request } = await open(era, byHand());
    expect(offered).toHaveProperty('extensions');
    expect((await ofTool(request, 'chart'))._meta).toEqual({
      other: 1,
      ui: { resourceUri: 'ui://mine/board' },
      'ui/resourceUri': 'ui://mine/board',
    });
    expect((await ofTool(request, 'zoom'))._meta).toEqual({ ui: { visibility: ['app'] } });
    expect((await request('resources/list')).resources).toHaveLength(1);
    expect((await request('resources/templates/list')).resourceTemplates).toHaveLength(1);
    expect(await request('resources/read', { uri: 'ui://mine/board' })).toHaveProperty('contents');
    expect((await request('tools/call', { name: 'chart' }))._meta).toMatchObject({
      kept: 1,
      ui: { resourceUri: 'ui://mine/board' },
    });
    await program.end();
  });

  test('is absent for any other', async () => {
    const { program, offered, request } = await open(era, byHand(), { capabilities: {} });
    expect(offered).toEqual({ tools: {}, logging: {} });
    expect((await request('tools/list')).tools).toMatchObject([{ name: 'chart', _meta: { other: 1 } }]);
    expect((await ofTool(request, 'chart'))._meta).toEqual({ other: 1 });
    expect((await request('resources/list')).resources).toEqual([]);
    expect((await request('resources/templates/list')).resourceTemplates).toEqual([]);
    expect(await request('resources/read', { uri: 'ui://mine/board' })).toHaveProperty('code');
    const { _meta } = await request('tools/call', { name: 'chart' });
    expect(_meta).toHaveProperty('kept');
    expect(_meta).not.toHaveProperty('ui');
    await program.end();
  });
});

test.each(eras)('%s: declares no UI capability for a server without UI', async (era) => {
  const folder = writePackage(
    { tools: ['t'] },
    { 'agenttools/tools/t.json': { handler: './a.js' }, 'a.js': '' },
  );
  const { program, offered } = await open(era, folder);
  expect(offered).toEqual({ tools: {}, logging: {} });
  await program.end();
});

test('install turns UI off and on again', async () => {
  const home = writeFolder({ '.cursor/mcp.json': {} });
  const server = `${everySort()}/few`;
  const AGENTTOOLS_HOME = path.join(home, 'data');
  const installed = async (flag: string) => {
    const args = [programFile, 'install', 'cursor', server, flag];
    const ran = await execute(process.execPath, args, { cwd: home, env: { HOME: home, AGENTTOOLS_HOME } });
    expect(ran).toMatchObject({ code: 0 });
    const { mcpServers } = JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8'));
    const { command, args: words, env } = mcpServers.few;
    const started = { command: [command, ...words] as [string, ...string[]], env: { ...env, HOME: home } };
    const { program, offered } = await open('legacy', server, started);
    await program.end();
    return 'extensions' in offered;
  };
  expect(await installed('--no-enable-mcp-apps')).toBe(false);
  expect(await installed('--enable-mcp-apps')).toBe(true);
});
