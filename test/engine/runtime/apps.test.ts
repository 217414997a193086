import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Extension } from '../../../src/engine/extension/extension.js';
import { readAppDefinition } from '../../../src/engine/runtime/app.js';
import { composeServer, type ServerSpec } from '../../../src/engine/runtime/compose-server.js';
import type { AppSpec } from '../../../src/engine/runtime/specs.js';
import {
  addFiles,
  type Files,
  openWorkspace,
  packageJson,
  writeFolder,
  writePackage,
} from '../../support/packages.js';
import { composeLive } from '../../support/session.js';

const handler = () => 'x';
const page = '<!DOCTYPE html><title>Viewer</title>';

async function composeIn(directory: string, server = '', builtinFolder?: string): Promise<ServerSpec> {
  const workspace = openWorkspace(builtinFolder === undefined ? {} : { builtinFolder });
  return await composeServer(await workspace.findServer(`${directory}${server}`), workspace);
}

/** A package with the tool `chart` and whatever else is said. */
const withTool = (ui: unknown, { files = {}, ...manifest }: { files?: Files; [key: string]: unknown } = {}) =>
  writePackage(
    { tools: ['chart'], ...manifest },
    {
      'agenttools/tools/chart.json': { description: 'c', handler: './chart.js', ui },
      'chart.js': '',
      ...files,
    },
  );

const uiOf = ({ registry }: ServerSpec, name = 'chart') => registry.resolve('tools', name)?.ui;
const told = ({ leftOut }: ServerSpec) =>
  leftOut.map(({ kind, item, message }) => `${kind} ${item}: ${message}`);

describe('a tool has the app that it names', () => {
  const own = { apps: ['viewer'], files: { 'agenttools/apps/viewer.html': page } };

  test.each([
    ['by name', 'viewer'],
    ['with more to say', { app: 'viewer' }],
    ['by qualified name', '@acme/kit/viewer'],
    ['by qualified name without @', 'acme/kit/viewer'],
  ])('%s', async (_, ui) => {
    const spec = await composeIn(withTool(ui, own));
    expect(uiOf(spec)?.app?.uri).toBe('ui://acme/kit/viewer');
    expect([...spec.apps.keys()]).toEqual(['ui://acme/kit/viewer']);
    expect(spec).toMatchObject({ hasUi: true, leftOut: [] });
  });

  test('has a URI without a scope if the package has none', async () => {
    const folder = writeFolder({
      'package.json': packageJson({ apps: ['viewer'] }, { name: 'weather' }),
      'agenttools/apps/viewer.html': page,
    });
    expect([...(await composeIn(folder)).apps.keys()]).toEqual(['ui://weather/viewer']);
  });

  test('finds an app of a built-in extension by bare name', async () => {
    const builtinFolder = writeFolder({
      'wolfram/package.json': packageJson({ apps: ['notebook-viewer'] }, { name: 'wolfram' }),
      'wolfram/agenttools/apps/notebook-viewer.html': page,
    });
    const spec = await composeIn(withTool('notebook-viewer'), '', builtinFolder);
    expect(uiOf(spec)?.app).toMatchObject({ uri: 'ui://wolfram/notebook-viewer', item: 'notebook-viewer' });
  });

  test('finds an app of another package', async () => {
    const folder = withTool('@other/charts/line');
    addFiles(folder, {
      'node_modules/@other/charts/package.json': packageJson({ apps: ['line'] }, { name: '@other/charts' }),
      'node_modules/@other/charts/agenttools/apps/line.html': page,
    });
    expect(uiOf(await composeIn(folder))?.app).toMatchObject({
      uri: 'ui://other/charts/line',
      item: '@other/charts/line',
    });
  });

  test('serves it although the server lists no apps, and no other app', async () => {
    const { spec } = await composeLive({
      apps: { viewer: page, unused: page },
      tools: { chart: { handler, ui: 'viewer' } },
      server: { tools: '*' },
    });
    expect([...spec.apps.keys()]).toEqual(['ui://acme/kit/viewer']);
  });

  test('serves further apps that the server lists', async () => {
    const { spec } = await composeLive({
      apps: { viewer: page, extra: page, hidden: page },
      tools: { chart: { handler, ui: 'viewer' } },
      server: {
        tools: '*',
        apps: [
          'extra',
          'viewer',
          { use: 'hidden', hidden: true, title: 'Hidden one', description: 'Not shown.' },
        ],
      },
    });
    expect([...spec.apps.keys()]).toEqual(
      ['viewer', 'extra', 'hidden'].map((name) => `ui://acme/kit/${name}`),
    );
    expect(spec.apps.get('ui://acme/kit/hidden')).toMatchObject({
      hidden: true,
      wire: {
        name: 'hidden',
        title: 'Hidden one',
        description: 'Not shown.',
        mimeType: 'text/html;profile=mcp-app',
      },
    });
  });
});

describe('it is the tool itself that has its app', () => {
  const items = { apps: { viewer: page, other: page }, tools: { chart: { handler, ui: 'viewer' } } };
  const entry = async (entry: unknown) => {
    const { spec } = await composeLive({ ...items, server: { tools: [entry] } });
    return spec.registry.all('tools')[0];
  };

  test('renamed and described otherwise', async () => {
    const tool = await entry({ use: 'chart', name: 'plot', title: 'Plot', description: 'Plots.' });
    expect(tool).toMatchObject({ name: 'plot', ui: { app: { uri: 'ui://acme/kit/viewer' } } });
  });

  test('one of several with the same name', async () => {
    const { spec } = await composeLive({
      apps: { viewer: page, other: page },
      tools: {
        a: { name: 'chart', handler, ui: 'other' },
        b: { name: 'chart', handler },
        c: { name: 'chart', handler, ui: 'viewer' },
      },
    });
    expect(spec.registry.all('tools').map(({ name, ui }) => [name, ui?.app?.name])).toEqual([
      ['chart1', 'other'],
      ['chart2', undefined],
      ['chart3', 'viewer'],
    ]);
  });

  test('changed by a server', async () => {
    expect((await entry({ use: 'chart', ui: 'other' }))?.ui?.app?.name).toBe('other');
    expect((await entry({ use: 'chart', ui: null }))?.ui).toBeUndefined();
  });

  test("a stranger's tool of the same name has none", async () => {
    const builtinFolder = writeFolder({
      'wolfram/package.json': packageJson({ apps: ['nv'], tools: ['NotebookViewer'] }, { name: 'wolfram' }),
      'wolfram/agenttools/apps/nv.html': page,
      'wolfram/agenttools/tools/NotebookViewer.json': { handler: './a.js', ui: 'nv' },
      'wolfram/a.js': '',
    });
    const folder = writePackage(
      { tools: ['NotebookViewer'] },
      { 'agenttools/tools/NotebookViewer.json': { handler: './a.js' }, 'a.js': '' },
    );
    const spec = await composeIn(folder, '', builtinFolder);
    expect(uiOf(spec, 'NotebookViewer')).toBeUndefined();
    expect(spec.apps.size).toBe(0);
  });
});

describe('a tool with an unavailable app works without it, with one report', () => {
  const rows: readonly [string, string, (folder: string) => void, RegExp][] = [
    ['no such app', 'viewr', () => {}, /declares no app "viewr".*Did you mean "viewer"/],
    ['no page', 'viewer', () => {}, /App "viewer" has no definition. Expected agenttools\/apps\/viewer.html/],
    [
      'a page that is a folder',
      'viewer',
      (folder) => mkdirSync(path.join(folder, 'agenttools/apps/viewer.html'), { recursive: true }),
      /viewer.html is not a file/,
    ],
    [
      'a page outside the package',
      'viewer',
      (folder) => {
        mkdirSync(path.join(folder, 'agenttools/apps'));
        const outside = path.join(writeFolder({ 'page.html': page }), 'page.html');
        symlinkSync(outside, path.join(folder, 'agenttools/apps/viewer.html'));
      },
      /leads out of the package/,
    ],
    ['a package that is not here', '@other/charts/line', () => {}, /package @other\/charts is not installed/],
  ];

  test.each(rows)('%s', async (_, ui, spoil, message) => {
    const folder = withTool(ui, { apps: ['viewer'], servers: ['s'] });
    addFiles(folder, { 'agenttools/servers/s.json': { tools: ['chart', { use: 'chart', name: 'plot' }] } });
    spoil(folder);
    const spec = await composeIn(folder);
    expect(spec.registry.all('tools').map(({ name, ui: has }) => [name, has?.app])).toEqual([
      ['chart', undefined],
      ['plot', undefined],
    ]);
    expect(told(spec)).toEqual([expect.stringMatching(message)]);
    expect(spec.leftOut[0]).toMatchObject({ kind: 'apps', item: ui, tool: 'chart' });
  });

  test('a page that goes while it is looked at', async () => {
    const folder = withTool('viewer', { apps: ['viewer'], files: { 'agenttools/apps/viewer.html': page } });
    const extension = await Extension.open(folder);
    const definition = await extension.definition('apps', 'viewer');
    rmSync(path.join(folder, 'agenttools/apps/viewer.html'));
    await expect(readAppDefinition(definition)).rejects.toThrow(/viewer.html cannot be read: ENOENT/);
  });

  test('a whole package is asked for, if that is what is missing', async () => {
    const { leftOut } = await composeIn(withTool('@other/charts/line'));
    expect(leftOut).toMatchObject([{ kind: 'apps', missingPackage: '@other/charts' }]);
  });
});

test.each([
  [5, 'Expected a string or an object'],
  [{ app: 5 }, '"ui.app". Expected a string'],
  [{ visibility: ['apps'] }, '"ui.visibility". Expected "model", "app"'],
  [{ visibility: [] }, '"ui.visibility". Expected "model", "app"'],
  [{ when: 5 }, '"ui.when". Expected a function'],
])('skips a tool with the "ui" %j, because its callers are unknown', async (ui, message) => {
  const { spec } = await composeLive({ tools: { chart: { handler, ui } } });
  expect(told(spec)).toEqual([expect.stringContaining(message)]);
});

describe('one address is served once, and the first has it', () => {
  const resource = (uri: string) => ({ uri, text: 'x' });

  test("a tool's app before a resource", async () => {
    const { spec } = await composeLive({
      apps: { viewer: page },
      tools: { chart: { handler, ui: 'viewer' } },
      resources: { mine: resource('ui://acme/kit/viewer') },
    });
    expect([...spec.apps.keys()]).toEqual(['ui://acme/kit/viewer']);
    expect(spec.registry.all('resources')).toEqual([]);
    expect(told(spec)).toEqual([
      'resources @acme/kit/mine: Resource "ui://acme/kit/viewer" is already served by another item of this server.',
    ]);
  });

  test('a resource before an app that is only listed', async () => {
    const { spec } = await composeLive({
      apps: { viewer: page },
      resources: { mine: resource('ui://acme/kit/viewer') },
    });
    expect(spec.apps.size).toBe(0);
    expect(told(spec)).toEqual([
      'apps @acme/kit/viewer: App "ui://acme/kit/viewer" is already served by another item of this server.',
    ]);
  });

  test("the app of one copy of a package before another copy's", async () => {
    const copy = (text: string): Files => ({
      'package.json': packageJson({ apps: ['line'], tools: ['draw'] }, { name: 'charts' }),
      'agenttools/apps/line.html': text,
      'agenttools/tools/draw.json': { handler: './a.js', ui: 'line' },
      'a.js': '',
    });
    const within = (folder: string, files: Files) =>
      Object.fromEntries(Object.entries(files).map(([name, held]) => [`${folder}/${name}`, held]));
    const folder = writePackage(
      { servers: ['s'] },
      {
        'agenttools/servers/s.json': { tools: ['charts/draw', 'middle/draw'] },
        ...within('node_modules/charts', copy('one')),
        ...within('node_modules/middle', {
          'package.json': packageJson({ tools: ['draw'] }, { name: 'middle' }),
          'agenttools/tools/draw.json': { handler: './a.js', ui: 'charts/line' },
          'a.js': '',
        }),
        ...within('node_modules/middle/node_modules/charts', copy('two')),
      },
    );
    const spec = await composeIn(folder);
    expect(spec.registry.all('tools').map(({ ui }) => ui?.app?.uri)).toEqual(['ui://charts/line', undefined]);
    expect(await spec.apps.get('ui://charts/line')?.page()).toMatchObject({ text: 'one' });
    expect(told(spec)).toEqual([expect.stringContaining('App "ui://charts/line" is already served')]);
  });
});

test('an app cannot be defined in a server', async () => {
  const { spec } = await composeLive({
    tools: { chart: { handler } },
    server: { tools: '*', apps: [{ name: 'x' }] },
  });
  expect(told(spec)).toEqual([expect.stringContaining('An app is named')]);
});

describe('a `meta` written by hand', () => {
  const written = { ui: { resourceUri: 'ui://acme/kit/mine', visibility: ['app'] }, other: 1 };
  const tool = async (definition: object) => {
    const { spec } = await composeLive({
      apps: { viewer: page },
      tools: { chart: { handler, ...definition } },
    });
    return spec.registry.resolve('tools', 'chart');
  };

  test('counts where the definition has no `ui`, and is apart from the rest', async () => {
    expect(await tool({ meta: written })).toMatchObject({
      wire: { _meta: { other: 1 } },
      ui: { written: { ui: written.ui, 'ui/resourceUri': 'ui://acme/kit/mine' }, visibility: ['app'] },
    });
    expect((await tool({ meta: { 'ui/resourceUri': 'ui://a/b' } }))?.ui?.written).toEqual({
      ui: { resourceUri: 'ui://a/b' },
      'ui/resourceUri': 'ui://a/b',
    });
  });

  test.each([['viewer'], [null]])('does not count beside "ui": %j', async (ui) => {
    const spec = await tool({ ui, meta: written });
    expect(spec?.wire).not.toHaveProperty('_meta.ui');
    expect(spec?.ui?.written).toBeUndefined();
    expect(spec?.ui?.app?.name).toBe(ui ?? undefined);
  });
});

describe('a page', () => {
  const appOf = async (folder: string): Promise<AppSpec> => {
    const spec = await composeIn(folder);
    return spec.apps.get('ui://acme/kit/viewer')!;
  };
  const folderWith = (files: Files) =>
    writePackage({ apps: ['viewer'] }, { 'agenttools/apps/viewer.html': page, ...files });

  test('is read when it is asked for, and again when it was written', async () => {
    const folder = folderWith({});
    const app = await appOf(folder);
    const file = path.join(folder, 'agenttools/apps/viewer.html');
    writeFileSync(file, 'one');
    const contents = { uri: 'ui://acme/kit/viewer', mimeType: 'text/html;profile=mcp-app' };
    expect(await app.page()).toEqual({ ...contents, text: 'one' });
    const first = await app.page();
    expect(await app.page()).toBe(first);
    writeFileSync(file, 'two');
    utimesSync(file, 1, 1);
    expect(await app.page()).toEqual({ ...contents, text: 'two' });
    rmSync(file);
    await expect(app.page()).rejects.toThrow(/cannot be read/);
    writeFileSync(file, 'three');
    expect(await app.page()).toEqual({ ...contents, text: 'three' });
  });

  test('loses its byte order mark, unless it is not UTF-8', async () => {
    const folder = folderWith({ 'agenttools/apps/viewer.html': '\uFEFFx' });
    const app = await appOf(folder);
    expect(await app.page()).toMatchObject({ text: 'x' });
    const bytes = Buffer.from([0x3c, 0xff, 0x3e]);
    writeFileSync(path.join(folder, 'agenttools/apps/viewer.html'), bytes);
    expect(await app.page()).toMatchObject({ blob: bytes.toString('base64') });
  });

  const csp = { connectDomains: ['https://api.example.com'] };
  test.each([
    ['nothing beside it', undefined, {}],
    ['an empty object', {}, {}],
    ['flat metadata', { csp, prefersBorder: true }, { ui: { csp, prefersBorder: true } }],
    ['wrapped metadata', { ui: { csp, prefersBorder: true } }, { ui: { csp, prefersBorder: true } }],
    [
      'all there is to say',
      { csp, permissions: { camera: {} }, domain: 'a.example', prefersBorder: false },
      { ui: { csp, permissions: { camera: {} }, domain: 'a.example', prefersBorder: false } },
    ],
    [
      'keys of the author',
      { $schema: './x.json', 'x-note': 1, prefersBorder: true },
      { ui: { prefersBorder: true } },
    ],
    ['keys nobody knows yet', { shiny: true }, { ui: { shiny: true } }],
  ])('has metadata: %s', async (_, metadata, meta) => {
    const folder = folderWith(metadata === undefined ? {} : { 'agenttools/apps/viewer.json': metadata });
    expect(await (await appOf(folder)).metadata()).toEqual({ meta });
  });

  test.each([
    ['not JSON', '{ "prefersBorder": ', /Not valid JSON/],
    ['not an object', '[]', /is not an object/],
    ['a wrong type', { prefersBorder: 'yes' }, /"prefersBorder". Expected true or false/],
    [
      'a wrong list',
      { csp: { connectDomains: 'https://a.example' } },
      /"csp.connectDomains". Expected a list/,
    ],
    ['a wrong permission', { permissions: { camera: true } }, /"permissions.camera". Expected an object/],
  ])('is served without metadata that cannot be used: %s', async (_, metadata, reason) => {
    const app = await appOf(folderWith({ 'agenttools/apps/viewer.json': metadata }));
    expect(await app.metadata()).toEqual({
      meta: {},
      problem: { file: 'agenttools/apps/viewer.json', reason: expect.stringMatching(reason) },
    });
    expect(await app.page()).toMatchObject({ text: page });
  });

  test('has the current metadata of its file', async () => {
    const folder = folderWith({ 'agenttools/apps/viewer.json': { prefersBorder: true } });
    const app = await appOf(folder);
    expect(await app.metadata()).toEqual({ meta: { ui: { prefersBorder: true } } });
    addFiles(folder, { 'agenttools/apps/viewer.json': { prefersBorder: false } });
    expect(await app.metadata()).toEqual({ meta: { ui: { prefersBorder: false } } });
  });
});

test('handlers see what a model would: no UI, and no tools that only apps may call', async () => {
  const { spec } = await composeLive({
    apps: { viewer: page },
    tools: { chart: { handler, ui: 'viewer' }, zoom: { handler, ui: { visibility: ['app'] } } },
  });
  const { forHandlers } = spec.registry;
  expect(forHandlers.list().items).toMatchObject([{ name: 'chart', hidden: false }]);
  expect(forHandlers.list().items[0]?.definition).not.toHaveProperty('_meta');
  expect(forHandlers.list({ includeHidden: true }).items).toMatchObject([
    { name: 'chart' },
    { name: 'zoom', hidden: true },
  ]);
  expect(forHandlers.resolve('zoom')).toMatchObject({ hidden: true });
});
