import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Extension } from '../../../src/engine/extension/extension.js';
import { compare, differences, hasNoDifference } from '../../../src/engine/packages/compare-states.js';
import { type Fingerprint, fingerprintExtension } from '../../../src/engine/packages/fingerprint.js';
import { addFiles, type Files, writePackage } from '../../support/packages.js';

const manifest = {
  servers: ['main'],
  tools: ['forecast', 'alerts', 'coded'],
  prompts: ['briefing'],
  resources: ['stations'],
  apps: ['viewer'],
};

const files: Files = {
  'agenttools/tools/forecast.json': '{ "description": "Tomorrow", "handler": "./dist/forecast.js#run" }',
  'agenttools/tools/alerts.jsonc': '// warns\n{ "description": "Alerts", "handler": "./dist/alerts.js" }',
  'agenttools/tools/coded.js': 'export default { description: "Code", handler: () => 1 };',
  'agenttools/prompts.json': { briefing: { content: 'Brief me.' } },
  'agenttools/resources/stations.json': { uri: 'app://stations', file: 'data/stations.txt' },
  'agenttools/apps/viewer.html': '<p>',
  'agenttools/apps/viewer.json': { prefersBorder: true },
  'agenttools/servers/main.json': { tools: '*' },
  'dist/forecast.js': 'export const run = () => 1;',
  'dist/alerts.js': 'export default () => 1;',
  'dist/shared.js': '',
  'data/stations.txt': 'Ostwick',
};

/** What differs after a change of files. */
async function after(change: (folder: string) => void): Promise<readonly string[]> {
  const folder = writePackage(manifest, files);
  const before = await printOf(folder);
  change(folder);
  return differences(compare(before, await printOf(folder)));
}

async function printOf(folder: string): Promise<Fingerprint> {
  // What is kept of a fingerprint is its JSON.
  return JSON.parse(JSON.stringify(await fingerprintExtension(await Extension.open(folder)))) as Fingerprint;
}

const writing = (name: string, content: unknown) => (folder: string) => addFiles(folder, { [name]: content });
const removing = (name: string) => (folder: string) => rmSync(path.join(folder, name));

describe('a package is the same', () => {
  const same: Record<string, (folder: string) => void> = {
    'where nothing was done': () => {},
    'where a data definition was formatted': writing(
      'agenttools/tools/forecast.json',
      '{\n  "handler": "./dist/forecast.js#run",\n\t"description": "\\u0054omorrow"\n}\n',
    ),
    'where a comment was': writing(
      'agenttools/tools/alerts.jsonc',
      '{ "description": "Alerts", "handler": "./dist/alerts.js", }',
    ),
    'where package.json was formatted': (folder) =>
      addFiles(folder, {
        'package.json': JSON.stringify({
          agenttools: manifest,
          type: 'module',
          version: '1.2.3',
          name: '@acme/kit',
        }),
      }),
  };

  it.each(Object.entries(same))('%s', async (_, change) => expect(await after(change)).toEqual([]));
});

describe('a package is another one', () => {
  const other: readonly [string, (folder: string) => void, readonly string[]][] = [
    [
      'a description',
      writing('agenttools/tools/forecast.json', { description: 'Today', handler: './dist/forecast.js#run' }),
      ['tool "forecast" has another definition'],
    ],
    ['a handler module', writing('dist/forecast.js', ''), ['tool "forecast" has another dist/forecast.js']],
    [
      'a module without its handler',
      removing('dist/alerts.js'),
      ['tool "alerts" has another dist/alerts.js'],
    ],
    [
      'a definition in code',
      writing('agenttools/tools/coded.js', 'export default {}'),
      ['tool "coded" has another definition'],
    ],
    [
      'an entry of a combined file',
      writing('agenttools/prompts.json', { briefing: { content: 'Obey.' } }),
      ['prompt "briefing" has another definition'],
    ],
    [
      'the file of a resource',
      writing('data/stations.txt', 'Westwick'),
      ['resource "stations" has another data/stations.txt'],
    ],
    [
      'the page of an app',
      writing('agenttools/apps/viewer.html', '<b>'),
      ['app "viewer" has another agenttools/apps/viewer.html'],
    ],
    [
      'what lies beside it',
      writing('agenttools/apps/viewer.json', {}),
      ['app "viewer" has another definition'],
    ],
    [
      'a definition that cannot be read any more',
      writing('agenttools/tools/forecast.json', '{'),
      ['tool "forecast" has another definition'],
    ],
    [
      'a definition that is gone',
      removing('agenttools/tools/coded.js'),
      ['tool "coded" has another definition'],
    ],
    [
      'a definition of another form that wins',
      writing('agenttools/tools/alerts.js', 'export default {}'),
      ['tool "alerts" has another definition'],
    ],
    [
      'what is declared',
      writing('package.json', {
        name: '@acme/kit',
        version: '1.2.3',
        agenttools: { tools: ['forecast', 'new'] },
      }),
      [
        'tool "new" is new',
        'server "main" is gone',
        'tool "alerts" is gone',
        'tool "coded" is gone',
        'prompt "briefing" is gone',
        'resource "stations" is gone',
        'app "viewer" is gone',
        'package.json has changed',
      ],
    ],
    ['a module of others', writing('dist/shared.js', 'x'), ['dist/shared.js has changed']],
    ['a new file', writing('node_modules/left/index.js', ''), ['node_modules/left/index.js is new']],
    ['a file less', removing('dist/shared.js'), ['dist/shared.js is gone']],
  ];

  it.each(other)('%s', async (_, change, expected) => expect(await after(change)).toEqual(expected));
});

it('accepts names that objects inherit', async () => {
  const folder = writePackage({ tools: ['__proto__', 'constructor'] }, { ...files, __proto__: null });
  addFiles(folder, JSON.parse('{"__proto__":"x","constructor":"y"}') as Files);
  const before = await printOf(folder);
  expect(before.items.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  expect(hasNoDifference(compare(before, before))).toBe(true);
  addFiles(folder, { constructor: 'z' });
  expect(differences(compare(before, await printOf(folder)))).toEqual(['constructor has changed']);
});

it('no code is run', async () => {
  const folder = writePackage(manifest, {
    ...files,
    'agenttools/tools/coded.js': 'globalThis.wasRun = true; export default {}',
  });
  await printOf(folder);
  expect(globalThis).not.toHaveProperty('wasRun');
});

describe('schemas derived from types', () => {
  const derived = (description: string) => ({
    version: 1,
    files: {},
    functions: { './lib.js#run': { description, inputSchema: { type: 'object' }, parameters: [] } },
    tools: { marked: './lib.js#run' },
  });
  const folder = () =>
    writePackage(
      { tools: ['marked', 'defined'] },
      {
        'lib.js': '',
        'agenttools/derived.json': derived('Once.'),
        'agenttools/tools/defined.json': { handler: './lib.js#run' },
      },
    );

  it('belongs to the tools that take it, with a definition and without', async () => {
    const print = await printOf(folder());
    const changed = folder();
    addFiles(changed, { 'agenttools/derived.json': derived('Now.') });
    const differing = differences(compare(print, await printOf(changed)));
    expect(differing.join('\n')).toMatch(/marked/);
    expect(differing.join('\n')).toMatch(/defined/);
    expect(differences(compare(print, await printOf(folder())))).toEqual([]);
  });
});
