import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceFolders } from '../../../src/engine/base/folders.js';
import type { Facts, ServerFacts } from '../../../src/engine/discovery/facts.js';
import { propertyOf } from '../../../src/engine/discovery/facts-property.js';
import { show } from '../../../src/engine/discovery/show-reference.js';
import { Workspace } from '../../../src/engine/extension/workspace.js';
import { type Files, openWorkspace, writePackage } from '../../support/packages.js';
import { temporaryFolder, writeFiles } from '../../support/run-cli.js';
import { several, weather } from '../../support/weather.js';

async function showIn(reference: string, folder = '', files: Files = {}): Promise<Facts> {
  const root = await temporaryFolder();
  await writeFiles(root, { ...weather, ...several, ...files });
  const cwd = path.join(root, folder);
  const { homeDirectory, ...folders } = workspaceFolders({
    cwd,
    env: {},
    home: root,
    platform: process.platform,
  });
  return await show(reference, {
    workspace: new Workspace({ cwd, homeDirectory, ...folders }),
    cwd,
    homeDirectory,
  });
}

describe('show', () => {
  it('gives a server with its tools, prompts, resources and apps', async () => {
    const { location, directory, ...facts } = (await showIn('./weather')) as ServerFacts;
    expect([path.basename(location), directory]).toEqual(['weather', location]);
    expect(facts).toMatchObject({
      kind: 'server',
      name: '@acme/weather/weather',
      title: 'Weather',
      description: 'Forecasts and radar.',
      version: '1.2.0',
      package: '@acme/weather',
      configKey: 'weather',
      instructions: 'Use it.\n\nWell.',
      installations: [],
      tools: [
        {
          name: 'forecast',
          item: '@acme/weather/forecast',
          title: 'Forecast',
          inputSchema: { type: 'object', required: ['place'] },
          outputSchema: { type: 'object' },
          hidden: false,
        },
        { name: 'radar', title: 'radar', inputSchema: { type: 'object' }, hidden: true },
      ],
      prompts: [{ name: 'briefing', arguments: [{ name: 'place', description: 'Where', required: true }] }],
      resources: [{ name: 'stations', uri: 'weather://stations', mimeType: 'text/csv' }],
      apps: [
        {
          name: 'map',
          item: '@acme/weather/map',
          uri: 'ui://acme/weather/map',
          title: 'map',
          description: 'A map',
          hidden: false,
          tools: [],
        },
      ],
    });
  });

  it('shows the skills of a server and of a package', async () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\n`;
    const files = { 'skills/tea/SKILL.md': skill('tea'), 'skills/ink/SKILL.md': skill('oil') };
    const tea = { name: 'tea', description: 'About tea.', uri: 'skill://tea/SKILL.md' };
    const shown = async (manifest: unknown, more: Files = {}) => {
      const root = writePackage(manifest, { ...files, ...more });
      return await show(root, { workspace: openWorkspace(), cwd: root, homeDirectory: root });
    };
    expect(await shown({})).toMatchObject({
      kind: 'server',
      name: '@acme/kit/kit',
      skills: [tea],
      leftOut: [{ item: 'ink', code: 'invalid-skill', file: 'skills/ink/SKILL.md' }],
    });
    const servers = { 'agenttools/servers/a.json': { skills: ['tea'] }, 'agenttools/servers/b.json': {} };
    expect(await shown({ servers: ['a', 'b'] }, servers)).toMatchObject({ kind: 'package', skills: [tea] });
    expect(await shown({ servers: ['b'] }, servers)).toMatchObject({ kind: 'server', skills: [] });
  });

  it('shows the UI of tools and the metadata of apps for hosts', async () => {
    const csp = { connectDomains: ['https://tiles.example'] };
    const root = writePackage(
      { tools: ['chart', 'zoom', 'plain'], apps: ['viewer'], servers: ['s'] },
      {
        'agenttools/servers/s.json': { tools: ['chart', { use: 'chart', name: 'plot' }, 'zoom', 'plain'] },
        'agenttools/tools.json': {
          chart: { handler: './a.js', ui: 'viewer' },
          zoom: { handler: './a.js', ui: { app: 'viewer', visibility: ['app'], when: './a.js' } },
          plain: { handler: './a.js' },
        },
        'agenttools/apps/viewer.html': '<!DOCTYPE html>',
        'agenttools/apps/viewer.json': { csp, prefersBorder: false },
        'a.js': '',
      },
    );
    const place = { workspace: openWorkspace({ cwd: root }), cwd: root, homeDirectory: root };
    const uri = 'ui://acme/kit/viewer';
    const both = ['model', 'app'];
    expect(await show(root, place)).toMatchObject({
      tools: [
        { name: 'chart', ui: { uri, visibility: both, gated: false } },
        { name: 'plot', ui: { uri, visibility: both, gated: false } },
        { name: 'zoom', ui: { uri, visibility: ['app'], gated: true } },
        { name: 'plain' },
      ],
      apps: [{ name: 'viewer', uri, tools: ['chart', 'plot', 'zoom'] }],
      leftOut: [],
    });
    expect(await show(`${root}/chart`, place)).toMatchObject({ kind: 'tool', ui: { uri } });
    expect(await show(`${root}/plain`, place)).not.toHaveProperty('ui');
    expect(await show(`${root}/viewer`, place)).toEqual({
      kind: 'app',
      name: 'viewer',
      item: '@acme/kit/viewer',
      uri,
      title: 'viewer',
      description: null,
      package: '@acme/kit',
      version: '1.2.3',
      file: 'agenttools/apps/viewer.html',
      csp,
      permissions: null,
      domain: null,
      prefersBorder: false,
    });
  });

  it('shows the skipped items of a server and the reasons', async () => {
    expect(await showIn('./weather')).toMatchObject({
      leftOut: [
        { item: 'broken', code: 'invalid-tool', file: 'agenttools/tools/broken.json' },
        { item: 'missing', code: 'unknown-tool', file: 'agenttools/servers/weather.json' },
      ],
    });
  });

  it('gives a package of several servers with what it declares', async () => {
    expect(await showIn('./several')).toMatchObject({
      kind: 'package',
      name: 'several',
      description: 'Two servers.',
      version: '1.0.0',
      servers: [
        { name: 'one', item: 'several/one', description: 'The first' },
        { name: 'two', item: 'several/two', description: null },
      ],
      tools: [{ name: 'ping', item: 'several/ping' }],
      prompts: [],
    });
  });

  it.each([
    ['./weather/forecast', '', 'tool', '@acme/weather/forecast'],
    ['./weather/briefing', '', 'prompt', '@acme/weather/briefing'],
    ['./weather/stations', '', 'resource', '@acme/weather/stations'],
    ['./weather/map', '', 'app', '@acme/weather/map'],
    ['~/weather/forecast', '', 'tool', '@acme/weather/forecast'],
    ['@acme/weather/forecast', 'weather', 'tool', '@acme/weather/forecast'],
    ['acme/weather/forecast', 'weather', 'tool', '@acme/weather/forecast'],
    ['several/ping', 'several', 'tool', 'several/ping'],
    ['diagnostics', '', 'tool', 'diagnostics'],
  ])('finds the item %s', async (reference, folder, kind, item) => {
    expect(await showIn(reference, folder)).toMatchObject({ kind, item });
  });

  it.each([
    ['./several/one', '', 'several/one'],
    ['several/two', 'several', 'several/two'],
    ['./weather/weather', '', '@acme/weather/weather'],
    ['@acme/weather', 'weather', '@acme/weather/weather'],
    ['agenttools', '', 'agenttools'],
  ])('finds the server %s', async (reference, folder, name) => {
    expect(await showIn(reference, folder)).toMatchObject({ kind: 'server', name });
  });

  it('gives everything about a tool without importing its handler', async () => {
    expect(await showIn('./weather/forecast')).toMatchObject({
      package: '@acme/weather',
      version: '1.2.0',
      file: 'agenttools/tools/forecast.json',
      category: 'weather',
      annotations: { readOnlyHint: true },
      options: { unit: 'C' },
      timeoutMs: 60_000,
      handler: './boom.js#forecast',
    });
  });

  it.each([
    [
      './weather/nothing',
      'not-found',
      /There is no folder .*nothing, and @acme\/weather declares nothing named "nothing"/,
    ],
    ['./weather/broken', 'invalid-definition', /handler/],
    ['./nowhere', 'not-found', /There is no folder .*nowhere\.$/],
    ['./weather/agenttools/tools', 'not-found', /There is no package at/],
    ['nowhere', 'not-found', /There is no server "nowhere"/],
  ])('%s: %s', async (reference, code, message) => {
    await expect(showIn(reference)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('gives the config key that install writes', async () => {
    const manifest = { name: 'kit', version: '1.0.0', agenttools: { servers: ['My_Desk', 'own'] } };
    const files = {
      'kit/package.json': manifest,
      'kit/agenttools/servers/My_Desk.json': {},
      'kit/agenttools/servers/own.json': { configKey: 'My Own' },
    };
    expect(await showIn('./kit/My_Desk', '', files)).toMatchObject({ configKey: 'my-desk' });
    expect(await showIn('./kit/own', '', files)).toMatchObject({ configKey: 'My Own' });
  });

  it('names the known properties for an unknown one', async () => {
    const facts = await showIn('./weather');
    expect(() => propertyOf(facts, 'versoin')).toThrow(/Did you mean "version"\? It has: kind, name, title/);
    expect(() => propertyOf(facts, 'toString')).toThrow('no property');
    expect(propertyOf(facts, 'configKey')).toBe('weather');
  });

  it.each([
    ['Name', 'name'],
    ['TOOLS', 'tools'],
    ['Location', 'location'],
    ['MCPServerName', 'configKey'],
    ['mcpprompts', 'prompts'],
    ['Transport', 'transport'],
  ] as const)('reads the property %s as %s', async (written, meant) => {
    const facts = await showIn('./weather');
    expect(propertyOf(facts, written)).toBe(Reflect.get(facts, meant));
    expect(propertyOf(facts, written)).toBeDefined();
  });
});
