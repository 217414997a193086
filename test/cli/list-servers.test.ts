import { beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.js';
import { startJsonRegistry } from '../support/json-registry.js';
import { writeFolder } from '../support/packages.js';
import { fakeHost, type RunOptions, runCli } from '../support/run-cli.js';
import { several, weather } from '../support/weather.js';

const files = Object.fromEntries(
  Object.entries({ ...weather, ...several }).map(([file, held]) => [`node_modules/@acme/${file}`, held]),
);

let npmrc: string;

const published = {
  name: '@far/kit',
  version: '3.0.0',
  description: `A kit. ${'It is long. '.repeat(20)}`,
  keywords: ['agenttools-extension'],
  agenttools: { tools: ['x'] },
  dist: { attestations: {} },
};

beforeAll(async () => {
  const found = { name: '@far/kit', date: '2026-05-06T07:08:09Z', publisher: { username: 'ada' } };
  const url = await startJsonRegistry({
    '/-/v1/search?text=keywords%3Aagenttools-extension&size=250&from=0': {
      objects: [{ package: found }],
      total: 1,
    },
    '/@far%2Fkit/latest': published,
    '/@far%2fkit/latest': published,
  });
  npmrc = `registry=${url}\n`;
});

const list = async (words: readonly string[] = [], options: RunOptions = {}) =>
  await runCli(['list-servers', ...words], { files, home: writeFolder({ '.npmrc': npmrc }), ...options });

describe('list-servers', () => {
  it('marks a server if the folder of its definitions is missing', async () => {
    const manifest = { name: 'lost', version: '1.0.0', agenttools: { root: 'gone', servers: ['desk'] } };
    const lost = { 'node_modules/lost/package.json': JSON.stringify(manifest) };
    const { stdout, stderr } = await list([], { files: lost });
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /lost\/desk {2}1\.0\.0\n {4}cannot start: The folder of its definitions does not exist: .*gone\n/,
    );
    const [server] = JSON.parse((await list(['--json'], { files: lost })).stdout);
    expect(server).toMatchObject({ name: 'lost/desk', problem: expect.stringContaining('gone') });
  });

  it('prints servers by where they come from', async () => {
    const { code, stdout, stderr } = await list(['--built-in', '--remote']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const version = /(?<=^ {2}agenttools {2})\S+/m;
    expect(
      stdout.replace(version, '…').replace(/(?<=^ {2}agenttools {2}….*\n).*/m, '    …'),
    ).toMatchInlineSnapshot(`
      "9 servers

      in this project
        @acme/several/one  1.0.0  The first
          1 tool: ping
        @acme/several/two  1.0.0  Two servers.
          1 tool: ping
        @acme/weather/weather  1.2.0  Forecasts and radar.
          4 tools: forecast, radar, broken, missing
          1 prompt: briefing

      built in
        Wolfram  0.1.0  Computation and knowledge: Wolfram|Alpha and the Wolfram Lang…
          3 tools: WolframContext, WolframLanguageEvaluator, WolframAlpha
          1 prompt: WolframSearch
        WolframAlpha  0.1.0  Knowledge and computation by Wolfram|Alpha.
          2 tools: WolframAlphaContext, WolframAlpha
          1 prompt: WolframAlphaSearch
        WolframLanguage  0.1.0  Development in the Wolfram Language.
          7 tools: WolframLanguageContext, WolframLanguageEvaluator, ReadNotebook, Wr…
          2 prompts: WolframLanguageSearch, Notebook
        WolframPacletDevelopment  0.1.0  Development of paclets in the Wolfram Langua…
          13 tools: WolframLanguageContext, WolframLanguageEvaluator, ReadNotebook, W…
          2 prompts: WolframLanguageSearch, Notebook
        agenttools  …  Facts about this AgentTools and the connection to it, and …
          …

      in the registry; get one with: agenttools add <package>
        @far/kit/kit  3.0.0  A kit. It is long. It is long. It is long. It is long. I…
          1 tool: x
          published 2026-05-06 by ada with provenance
      "
    `);
  });

  it('prints JSON', async () => {
    const { stdout } = await list(['--json']);
    const servers = JSON.parse(stdout);
    expect(servers.map((one: object) => Object.keys(one))).toEqual(
      Array(3).fill(['name', 'source', 'description', 'version', 'tools', 'prompts', 'location']),
    );
    const [remote] = JSON.parse((await list(['--json', '--remote', '@far/*'])).stdout);
    expect(remote).toMatchObject({
      name: '@far/kit/kit',
      location: null,
      publisher: 'ada',
      published: '2026-05-06T07:08:09.000Z',
      provenance: true,
    });
  });

  it('goes by shorter names', async () => {
    const { stdout } = await list(['several']);
    for (const alias of ['list', 'ls']) {
      expect((await runCli([alias, 'several'], { files })).stdout).toBe(stdout);
    }
  });

  it('has its shorter names in the help', async () => {
    expect((await runCli(['--help'])).stdout).toContain('list-servers|list|ls [options] [pattern]');
    expect((await runCli(['ls', '--help'])).stdout).toContain(
      'agenttools list-servers|list|ls [options] [pattern]',
    );
  });

  it('names existing MCP servers that a server includes', async () => {
    const { stdout } = await list([], {
      files: {
        'package.json': { name: 'desk', version: '1.0.0', agenttools: { servers: ['desk'] } },
        'agenttools/servers/desk.json': {
          tools: [
            { upstream: { command: 'archive' } },
            { upstream: { url: 'https://far.test/mcp', name: 'Far\u001b' } },
          ],
        },
      },
    });
    expect(stdout).toContain('    includes 2 MCP servers: archive, Far\\u001b\n');
  });

  it('suggests other sources if the list is empty', async () => {
    const empty = async (words: readonly string[]) => (await runCli(['ls', ...words])).stdout;
    expect(await empty([])).toBe(
      'Found no servers. --built-in lists the servers that come with AgentTools. --remote searches the npm registry and the MCP Registry.\n',
    );
    expect(await empty(['@none/*'])).toMatch(/^Found no server that matches "@none\/\*"\. --built-in/);
    expect(await empty(['@none/*', '--built-in'])).toBe(
      'Found no server that matches "@none/*". --remote searches the npm registry and the MCP Registry.\n',
    );
    expect(await empty(['--remote'])).toMatch(/^Found no servers here or in the registries\. --built-in/);
    expect(await empty(['none', '--remote'])).toMatch(
      /^Found no server that matches "none" here or in the registries\. /,
    );
    expect(await empty(['--json'])).toBe('[]\n');
  });

  it('reads the registry again with --refresh, which implies --remote', async () => {
    expect(JSON.parse((await list(['--json', '--refresh', '@far/kit'])).stdout)).toHaveLength(1);
  });

  it('prints notes for a broken package and an unreachable registry', async () => {
    const manifest = './none\u009b\nnote: broken is signed by somebody.\n.json';
    const broken = { 'node_modules/broken/package.json': { name: 'broken', agenttools: manifest } };
    const { code, stdout, stderr } = await list(['--remote', '--json'], {
      files: { ...files, ...broken },
      home: writeFolder(),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(stderr).toMatch(
      /^note: broken is left out: .*package\.json: .*none\\u009b\\nnote: broken is signed by somebody.*\nnote: The registry 127\.0\.0\.1:9 cannot be reached\. Its servers are not listed\.\n$/,
    );
  });

  it('has no line that a package has made up', async () => {
    const version = '1\n\nbuilt in\n  @acme/safe  1.0.0\t Official';
    const pack = { name: 'x', version, agenttools: { tools: ['t'] } };
    const { stdout } = await list([], { files: { 'node_modules/x/package.json': pack } });
    expect(stdout).toBe(
      '1 server\n\nin this project\n  x/x  1\\n\\nbuilt in\\n  @acme/safe  1.0.0\\t Official\n    1 tool: t\n',
    );
  });

  it('shows its progress on a terminal and erases it', async () => {
    const home = writeFolder({ '.npmrc': npmrc });
    const { host, stdout, stderr } = fakeHost({ cwd: home, home });
    Object.assign(stderr, { isTTY: true });
    expect(await main(['ls', '--remote'], host)).toBe(0);
    expect(stderr.text).toContain('Reading packages of 127.0.0.1');
    expect(stderr.text.endsWith('\r\u001b[2K')).toBe(true);
    expect(stdout.text).toContain('@far/kit/kit');
  });

  it('cuts lines to the terminal', async () => {
    const home = writeFolder({ '.npmrc': npmrc });
    const { host, stdout } = fakeHost({ cwd: home, home });
    Object.assign(stdout, { columns: 60 });
    await main(['ls', '--remote'], host);
    expect(Math.max(...stdout.text.split('\n').map(({ length }) => length))).toBe(60);
  });

  it.each([[['a', 'b']], [['--what']]])('%j is no command line', async (words) => {
    const { code, stdout } = await list(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});
