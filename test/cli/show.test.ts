import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { noisy, several, weather } from '../support/weather.js';

const files = { ...weather, ...several, ...noisy };
const show = (words: readonly string[], options = {}) => runCli(['show', ...words], { files, ...options });

describe('show', () => {
  it('prints a server for people', async () => {
    const { code, stdout, stderr } = await show(['./weather']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/^location +.*$/m, 'location …')).toMatchInlineSnapshot(`
      "@acme/weather/weather (server)
      title        Weather
      description  Forecasts and radar.
      version      1.2.0
      package      @acme/weather
      location …
      configKey    weather
      transport    stdio

      tools
        forecast  Forecast for a place.
          Ask for one place at a time.
          place (string, required)  Where
          days (integer)
          result: object
        radar (hidden)  A picture.

      prompts
        briefing  A briefing.
          place (required)  Where

      resources
        stations  All stations.
          weather://stations

      apps
        map  A map
          ui://acme/weather/map

      instructions
        Use it.

        Well.

      leftOut
        broken  invalid-tool, agenttools/tools/broken.json
          Tool "broken" has no "handler". Expected a function or a module reference such as "./dist/file.js#name".
        missing  unknown-tool, agenttools/servers/weather.json
          @acme/weather declares no tool "missing", and no built-in one has that name. Declared: forecast, radar, broken.
      "
    `);
  });

  describe('existing servers', () => {
    const desk = {
      'desk/package.json': JSON.stringify({
        name: 'desk',
        version: '1.0.0',
        agenttools: { servers: ['desk'], tools: ['find'] },
      }),
      'desk/agenttools/servers/desk.json': JSON.stringify({
        tools: [
          'find',
          {
            upstream: { command: 'npx', args: ['-y', 'it', '--token', 'rose'] },
            prefix: 'it_',
            except: ['wipe'],
            prompts: false,
            resources: { except: ['a:1'] },
          },
          {
            upstream: { url: `https://me:rose@a.example/mcp?k=\${K}` },
            only: ['a'],
            rename: { a: 'b' },
            hidden: true,
          },
        ],
      }),
      'desk/agenttools/tools/find.json': JSON.stringify({
        description: 'Finds.',
        upstream: { command: 'npx', args: ['-y', 'it'], env: { TOKEN: 'rose' }, tool: 'search' },
      }),
    };

    it('lists the upstream servers of a server without starting them', async () => {
      const { stdout } = await runCli(['show', './desk'], { files: desk });
      expect(stdout.replace(/^location +.*$/m, 'location …')).toMatchInlineSnapshot(`
        "desk/desk (server)
        version    1.0.0
        package    desk
        location …
        configKey  desk
        transport  stdio

        tools
          find  Finds.
            answered by: search of npx -y it

        upstreams
          tools of npx -y it --token …
            all that it has when it is asked; not wipe; each with it_ before its name
            prompts: none
            resources: all that it has when it is asked; not a:1
          tools of https://a.example/mcp (hidden)
            only a; a as b
            gets K, sent to a.example
        "
      `);
    });

    it('names the upstream server of a tool without its secrets', async () => {
      const tool = await runCli(['show', './desk/find', '--json'], { files: desk });
      expect(JSON.parse(tool.stdout)).toMatchObject({
        upstream: { server: 'npx -y it', tool: 'search' },
        handler: null,
      });
      const server = await runCli(['show', './desk', '--json'], { files: desk });
      const all = { prefix: '', only: null, except: [], rename: {} };
      expect(JSON.parse(server.stdout).upstreams).toEqual([
        {
          server: 'npx -y it --token …',
          variables: [],
          host: null,
          prefix: 'it_',
          only: null,
          except: ['wipe'],
          rename: {},
          hidden: false,
          ...{ prompts: null, resources: { ...all, except: ['a:1'] }, apps: all },
        },
        {
          server: 'https://a.example/mcp',
          variables: ['K'],
          host: 'a.example',
          prefix: '',
          only: ['a'],
          except: [],
          rename: { a: 'b' },
          hidden: true,
          ...{ prompts: all, resources: all, apps: all },
        },
      ]);
      expect(tool.stdout + server.stdout).not.toContain('rose');
    });
  });

  it('gives the location under its earlier name, with a note', async () => {
    const { cwd, stdout, stderr } = await show(['./several', 'directory']);
    expect(stdout).toBe(`${path.join(cwd, 'several')}\n`);
    expect(stderr).toBe('note: The property "directory" is now named "location".\n');
  });

  it('prints a package of several servers', async () => {
    const { stdout } = await show(['./several']);
    expect(stdout.replace(/^location +.*$/m, 'location …')).toMatchInlineSnapshot(`
      "several (package)
      description  Two servers.
      version      1.0.0
      location …

      servers
        one  The first
        two

      tools
        ping
      "
    `);
  });

  it('prints an item', async () => {
    const { stdout } = await show(['./weather/forecast']);
    expect(stdout).toMatchInlineSnapshot(`
      "@acme/weather/forecast (tool)
      name       forecast
      title      Forecast
      category   weather
      package    @acme/weather
      version    1.2.0
      file       agenttools/tools/forecast.json
      timeoutMs  60000
      handler    ./boom.js#forecast

      description
        Forecast for a place.
        Ask for one place at a time.

      inputSchema
        {
          "type": "object",
          "properties": {
            "place": {
              "type": "string",
              "description": "Where"
            },
            "days": {
              "type": "integer"
            }
          },
          "required": [
            "place"
          ]
        }

      outputSchema
        {
          "type": "object",
          "properties": {
            "text": {
              "type": "string"
            }
          }
        }

      annotations
        {
          "readOnlyHint": true
        }

      options
        {
          "unit": "C"
        }
      "
    `);
  });

  it('prints JSON', async () => {
    const { code, stdout } = await show(['./weather', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'server', name: '@acme/weather/weather' });
  });

  it.each([
    ['cursor', '"mcpServers": {'],
    ['codex', '[mcp_servers.Wolfram]'],
    ['jetbrains', '"mcpServers": {'],
  ])('prints the config of %s for a server', async (client, head) => {
    const { code, stdout, stderr } = await runCli(['show', 'Wolfram', 'Config', '--client', client]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(head);
    expect(stdout).toContain('"start"');
  });

  it('needs one client for a config', async () => {
    const { code, stderr } = await show(['./weather', 'config']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: config needs one client. Write, for example: agenttools show <reference> config --client cursor\n',
    });
  });

  it('prints one property: a text as it is, anything else as JSON', async () => {
    expect((await show(['./weather', 'version'])).stdout).toBe('1.2.0\n');
    expect((await show(['./weather', 'version', '--json'])).stdout).toBe('"1.2.0"\n');
    expect(JSON.parse((await show(['./weather/forecast', 'options'])).stdout)).toEqual({ unit: 'C' });
    expect((await show(['./several/one', 'instructions'])).stdout).toBe('null\n');
    expect((await show(['./several/one', 'instructions', '--json'])).stdout).toBe('null\n');
  });

  it('has null for what is not given', async () => {
    const { stdout } = await show(['./weather', '--json']);
    const { tools } = JSON.parse(stdout);
    expect(tools[1]).toMatchObject({ name: 'radar', outputSchema: null });
    expect((await show(['./weather/radar', 'outputSchema'])).stdout).toBe('null\n');
  });

  it('shows the same facts of a server as list-servers', async () => {
    const about = { name: 'p', version: '1.0.0', description: 'About it.' };
    const files = { 'package.json': { ...about, agenttools: { tools: ['t'] } } };
    const { stdout, cwd } = await show(['.', 'description'], { files });
    expect(stdout).toBe('About it.\n');
    const listed = await runCli(['list-servers', '--json'], { cwd });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'p/p', description: 'About it.' }]);
  });

  it('suggests the scope that is missing', async () => {
    const kit = { name: '@acme/kit', version: '1.0.0', agenttools: { tools: ['t'] } };
    const { stderr } = await show(['acme/kit'], { files: { 'node_modules/@acme/kit/package.json': kit } });
    expect(stderr).toContain('There is no server "acme/kit". Did you mean "@acme/kit"?');
  });

  it('finds what a path, a relative name or the current folder means', async () => {
    const { cwd } = await show(['./weather']);
    for (const reference of ['.', './weather', '@acme/weather', 'acme/weather/weather', '../weather']) {
      const { stdout } = await runCli(['show', reference, 'name'], { cwd: `${cwd}/weather` });
      expect({ reference, stdout }).toEqual({ reference, stdout: '@acme/weather/weather\n' });
    }
  });

  it('spells out control characters of a package', async () => {
    const description = 'a\u001b]0;owned\u0007b\u009b31mc';
    const odd = {
      'odd/package.json': {
        name: 'odd',
        version: '1.0.0',
        type: 'module',
        agenttools: { tools: ['ping'] },
      },
      'odd/agenttools/tools/ping.json': {
        description,
        input: { type: 'object', properties: { 'k\u001b[31m': { type: 'string', description } } },
        options: { 'o\u007f': description },
        handler: './ping.js#ping',
      },
      'odd/ping.js': 'export const ping = () => "pong";',
    };
    for (const words of [['./odd'], ['./odd/ping'], ['./odd/ping', 'description'], ['./odd', '--json']]) {
      const { code, stdout } = await show(words, { files: odd });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^[\n\t\P{Cc}]*$/u);
      expect(stdout).toContain('a\\u001b]0;owned\\u0007b\\u009b31mc');
    }
    const { stdout } = await show(['./odd/ping', 'options', '--json'], { files: odd });
    expect(JSON.parse(stdout)).toEqual({ 'o\u007f': description });
  });

  it('has no line that a package has made up', async () => {
    const forged = 'x\nnote: signed by somebody\n';
    const { stdout } = await show(['./p'], {
      files: {
        'p/package.json': { name: 'p', version: `1\n${forged}`, agenttools: { tools: ['t'] } },
        'p/agenttools/tools/t.json': {
          description: 'T',
          handler: './h.js',
          input: { type: 'object', properties: { [forged]: { type: 'string' } } },
        },
        'p/h.js': 'export default () => 1;',
      },
    });
    expect(stdout).not.toMatch(/^\s*note:/m);
    expect(stdout).toContain('x\\nnote: signed by somebody\\n (string)');
    const { stderr } = await show(['./p/t'], {
      files: {
        'p/package.json': { name: 'p', version: '1.0.0', agenttools: { tools: ['t'] } },
        'p/agenttools/tools/t.json': { description: 'T', handler: `./${forged}.js#${forged}`, input: forged },
      },
    });
    expect(stderr.split('\n')).toHaveLength(2);
    const manifest = { name: 'p', version: '1.0.0', agenttools: `./${forged}.json` };
    const missing = await show(['./p'], { files: { 'p/package.json': manifest } });
    expect(missing.stderr.split('\n')).toHaveLength(2);
  });

  it.each(['./p', './p/s', './p/t'])('warns about the unlisted declarations beside %s', async (reference) => {
    const { code, stderr } = await show([reference], {
      files: {
        'p/package.json': {
          name: 'p',
          version: '1.0.0',
          agenttools: { servers: ['s'], tools: ['t'], prompts: 'p' },
        },
        'p/agenttools/servers/s.json': {},
        'p/agenttools/tools/t.json': { description: 'T', handler: './h.js' },
        'p/h.js': 'export default () => 1;',
      },
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'note: p: "prompts" of the manifest is not a list. Expected a list of names, such as "prompts": ["forecast"].\n',
    });
  });

  it('keeps what code definitions print off stdout', async () => {
    const { stdout, stderr } = await show(['./noisy/coded', 'description']);
    expect({ stdout, stderr }).toEqual({ stdout: 'In code.\n', stderr: 'loading\n' });
  });

  it.each([
    [['./weather', 'tols'], 1, 'A server has no property "tols". Did you mean "tools"? It has: kind, name,'],
    [['./weather/forecst'], 1, 'Did you mean "forecast"?'],
    [['./weather/broken'], 1, 'agenttools/tools/broken.json'],
    [['./nowhere'], 1, 'There is no folder '],
    [['weather/weather'], 1, 'write ./weather/weather'],
    [['@acme/nowhere'], 1, 'There is no server "@acme/nowhere"'],
    [['agenttool'], 1, 'Did you mean "agenttools"?'],
    [[], 2, "missing required argument 'reference'"],
    [['./weather', 'tools', 'more'], 2, 'too many arguments'],
  ])('%j exits %i', async (words, expected, message) => {
    const { code, stdout, stderr } = await show(words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(message);
  });
});
