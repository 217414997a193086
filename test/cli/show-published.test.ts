import { beforeAll, describe, expect, it } from 'vitest';
import { startJsonRegistry } from '../support/json-registry.js';
import { writeFolder } from '../support/packages.js';
import { type RunOptions, runCli } from '../support/run-cli.js';

const weather = {
  name: '@acme/weather',
  version: '2.0.0',
  description: 'Weather for models.',
  agenttools: {
    servers: [
      {
        name: 'weather',
        description: 'Forecasts.\u001b[31m',
        tools: ['forecast', '@acme/other/x'],
        prompts: '*',
        configKey: 'sky',
      },
    ],
    tools: [
      {
        name: 'forecast',
        description: 'Forecast for a place.',
        parameters: { place: { description: 'Where', required: true }, days: 'Integer' },
      },
      { name: 'radar', parameters: ['station', ['when', 'Any time'], { name: 'how' }, 3] },
    ],
    prompts: [{ name: 'briefing', arguments: [{ name: 'place', description: 'Where', required: true }] }],
    resources: ['stations'],
    apps: [['map', 'A map']],
  },
  _npmUser: { name: 'ada' },
  dist: { attestations: { url: 'https://registry.example/attestation' } },
};

const several = { name: 'several', version: '1.0.0', agenttools: { servers: ['one', 'two'], tools: ['x'] } };

let npmrc: string;

beforeAll(async () => {
  const whole = (version: { readonly version: string }) => ({
    'dist-tags': { latest: version.version },
    time: { [version.version]: '2026-05-06T07:08:09.000Z' },
    versions: { [version.version]: version },
  });
  const url = await startJsonRegistry({
    '/@acme%2fweather': whole(weather),
    '/@acme%2Fweather': whole(weather),
    '/several': whole(several),
    '/plain': whole({ name: 'plain', version: '1.0.0' } as typeof weather),
    '/agenttool': whole({ name: 'agenttool', version: '1.0.0' } as typeof weather),
    '/broken': whole({ ...several, name: 'broken', agenttools: 3 } as unknown as typeof weather),
  });
  npmrc = `registry=${url}\n`;
});

const show = async (words: readonly string[], options: RunOptions = {}) =>
  await runCli(['show', ...words], { home: writeFolder({ '.npmrc': npmrc }), ...options });

const notInstalled = 'note: @acme/weather is not installed. Add it with: agenttools add @acme/weather\n';

describe('show of what is not installed', () => {
  it.each([['@acme/weather'], ['@acme/weather/weather'], ['acme/weather/weather']])(
    '%s is the server, as it is declared',
    async (reference) => {
      const { code, stdout, stderr } = await show([reference, '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: notInstalled });
      expect(JSON.parse(stdout)).toEqual({
        kind: 'server',
        name: '@acme/weather/weather',
        description: 'Forecasts.\u001b[31m',
        package: '@acme/weather',
        installed: false,
        version: '2.0.0',
        publisher: 'ada',
        published: '2026-05-06T07:08:09.000Z',
        provenance: true,
        configKey: 'sky',
        tools: [
          {
            name: 'forecast',
            item: '@acme/weather/forecast',
            description: 'Forecast for a place.',
            parameters: [
              { name: 'place', description: 'Where', required: true },
              { name: 'days', description: null, required: null },
            ],
          },
          { name: 'x', item: '@acme/other/x', description: null, parameters: null },
        ],
        prompts: [
          {
            name: 'briefing',
            item: '@acme/weather/briefing',
            description: null,
            arguments: [{ name: 'place', description: 'Where', required: true }],
          },
        ],
        resources: [{ name: 'stations', item: '@acme/weather/stations', description: null }],
        installations: [],
        findings: [expect.objectContaining({ code: 'text/control-characters', severity: 'error' })],
      });
    },
  );

  it('is shown to people, too', async () => {
    const { stdout } = await show(['@acme/weather']);
    expect(stdout).toMatchInlineSnapshot(`
      "@acme/weather/weather (server)
      description  Forecasts.\\u001b[31m
      package      @acme/weather
      version      2.0.0
      publisher    ada
      published    2026-05-06T07:08:09.000Z
      provenance   true
      configKey    sky

      tools
        forecast  Forecast for a place.
          place (required)  Where
          days
        x

      prompts
        briefing
          place (required)  Where

      resources
        stations

      findings
        error  text/control-characters: "description" of the server "@acme/weather/weather" has control characters, which can change a terminal (U+001B): "Forecasts.\\u001b[31m"
      "
    `);
  });

  it('a package of several servers is the package', async () => {
    const { stdout } = await show(['several', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'package',
      name: 'several',
      installed: false,
      servers: [{ name: 'one', item: 'several/one' }, { name: 'two' }],
      tools: [{ name: 'x' }],
    });
  });

  it('shows the declaration of an item', async () => {
    const { stdout } = await show(['@acme/weather/radar', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'tool',
      name: 'radar',
      item: '@acme/weather/radar',
      package: '@acme/weather',
      installed: false,
      parameters: [
        { name: 'station', description: null },
        { name: 'when', description: null },
        { name: 'how', description: null },
      ],
    });
    expect((await show(['@acme/weather/map', 'kind'])).stdout).toBe('app\n');
    expect((await show(['@acme/weather/stations', 'kind'])).stdout).toBe('resource\n');
    expect((await show(['@acme/weather/briefing', 'kind'])).stdout).toBe('prompt\n');
  });

  it('one property is printed alone', async () => {
    expect(await show(['@acme/weather', 'publisher'])).toMatchObject({
      code: 0,
      stdout: 'ada\n',
      stderr: '',
    });
  });

  it.each([
    [
      ['@acme/weather', 'instructions'],
      '"instructions" is in the files of the package, and @acme/weather is not installed. Add it with: agenttools add @acme/weather',
    ],
    [['@acme/weather/forecast', 'inputSchema'], 'Add it with: agenttools add @acme/weather'],
    [['several', 'directory'], 'Add it with: agenttools add several'],
    [['@acme/weather', 'tols'], 'A server has no property "tols". Did you mean "tools"?'],
    [['@acme/weather/forecst'], 'Did you mean "forecast"?'],
    [
      ['@acme/none'],
      'error: There is no server "@acme/none". The package @acme/none is neither installed nor in the registry.\n',
    ],
    [
      ['acme/weather'],
      'The package acme is neither installed nor in the registry. Did you mean "@acme/weather"? An existing MCP server is named as npm:@acme/weather for an npm package, docker:acme/weather',
    ],
    [
      ['plain'],
      'error: There is no server "plain". The registry has a package plain, which is not an extension. An existing MCP server is named as npm:plain for an npm package',
    ],
    [['agenttool'], 'Did you mean "agenttools"?'],
    [['broken'], '"agenttools" in package.json must be an object or the path of a manifest file'],
  ])('%j exits 1', async (words, message) => {
    const { code, stdout, stderr } = await show(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('keeps the local answer if the registry is unreachable', async () => {
    const { code, stderr } = await show(['@acme/weather'], { home: writeFolder() });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: There is no server "@acme\/weather"\. .*\nThe registry was searched, too, for @acme\/weather: the registry cannot be reached\.\n$/,
    );
  });

  it('shows an installed package without a request', async () => {
    const here = { name: '@acme/weather', version: '1.0.0', agenttools: { tools: ['old'] } };
    const files = {
      'node_modules/@acme/weather/package.json': here,
      'node_modules/@acme/weather/agenttools/tools/old.json': { handler: './x.js' },
    };
    const { stdout } = await show(['@acme/weather', 'version'], { files });
    expect(stdout).toBe('1.0.0\n');
    const { stderr } = await show(['@acme/weather/forecast'], { files });
    expect(stderr).toContain('@acme/weather declares nothing named "forecast"');
  });
});
