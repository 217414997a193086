// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { runAtHome } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

type Files = Parameters<typeof writeFolder>[0];

async function create(home: string, from: string, words: readonly string[] = []) {
  return await runAtHome(home, ['create', 'desk', '--from', from, ...words], {
    AGENTTOOLS_MCP_REGISTRY: 'none',
  });
}

/** All files of the new package, with their paths. */
function contentOf(home: string): string {
  const files = readdirSync(path.join(home, 'desk'), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => path.join(file.parentPath, file.name))
    .map((file) => `${file}\n${readFileSync(file, 'utf8')}`)
    .join('\n');
}

const upstreamOf = (home: string, server: string) =>
  JSON.parse(readFileSync(path.join(home, `desk/agenttools/servers/${server}.json`), 'utf8')).tools[0]
    .upstream;

/** Random secrets, each in one place. */
class Markers {
  readonly all = new Map<string, string>();

  /** A secret that looks like a key, a password or a token. */
  plant(place: string): string {
    const word = randomBytes(9).toString('hex');
    const forms = [
      word,
      `Pw${randomInt(1000, 9999)}${word.slice(0, 7)}`,
      `k-${word.toUpperCase()}`,
      `sk-${word}`,
    ];
    const marker = forms[randomInt(forms.length)]!;
    this.all.set(place, marker);
    return marker;
  }

  placesIn(text: string): readonly string[] {
    return [...this.all].flatMap(([place, marker]) => (text.includes(marker) ? [`${place}: ${marker}`] : []));
  }
}

type Plant = (place: string) => string;

/** Inputs of `create --from` with a secret in every place that may hold one. */
const forms: Readonly<
  Record<string, (plant: Plant) => { readonly files: Files; readonly words?: string[] }>
> = {
  './mcp.json': (plant) => ({
    files: {
      'mcp.json': {
        mcpServers: {
          program: {
            command: 'node',
            args: [
              '-p',
              plant('-p'),
              '--password',
              plant('--password'),
              `--api-key=${plant('--api-key=')}`,
              '--name',
              plant('--name'),
              plant('argument'),
              `REGION=${plant('assignment')}`,
              `postgres://me:${plant('connection')}@db.test/x`,
              `https://hooks.test/services/T0001/B0002/${plant('webhook')}`,
              '--header',
              `X-Team: ${plant('header argument')}`,
              `\${ACCT:-${plant('default in args')}}`,
              `--user=\${USER_ID:-${plant('default in a flag')}}`,
              JSON.stringify({ region: plant('JSON') }),
            ],
            env: {
              REGION: plant('env'),
              TOKEN: plant('TOKEN'),
              ACCOUNT: `\${ACCOUNT:-${plant('default in env')}}`,
              MIXED: `\${A}-${plant('after a variable')}`,
              HOOK: `https://\${HOST}/hooks/${plant('hook with a variable')}`,
            },
          },
          remote: {
            url: `https://a.test/s/${plant('path')}/mcp?q=${plant('parameter')}&x=\${X:-${plant('default in a URL')}}#${plant('fragment')}`,
            headers: {
              Authorization: `Bearer ${plant('Authorization')}`,
              'X-Region': plant('X-Region'),
              'X-Acct': `\${ACCT2:-${plant('default in a header')}}`,
            },
          },
          user: { url: `https://${plant('user')}@b.test/mcp` },
          both: { url: `https://me:${plant('password')}@b.test/mcp` },
        },
      },
    },
  }),
  './server.json': (plant) => ({
    files: {
      'server.json': {
        name: 'io.github.acme/tickets',
        description: 'Tickets',
        version: '3.0.0',
        remotes: [
          {
            type: 'streamable-http',
            url: `https://a.test/${plant('path')}`,
            headers: [
              { name: 'X-Key', value: plant('value of a header') },
              { name: 'X-Token', isSecret: true, default: plant('default of a secret') },
              { name: 'Api-Key', default: plant('default of a key') },
            ],
          },
        ],
      },
    },
    words: ['--header', `X-More: ${plant('--header')}`],
  }),
  './plugin': (plant) => ({
    files: {
      'plugin/.claude-plugin/plugin.json': {
        name: 'x',
        userConfig: {
          token: { type: 'string', title: 'Token', sensitive: true, default: plant('userConfig') },
        },
        mcpServers: {
          one: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/srv/a.mjs', plant('manifest')] },
        },
      },
      'plugin/.mcp.json': {
        mcpServers: {
          x: {
            command: 'node',
            args: ['${CLAUDE_PLUGIN_ROOT}/srv/a.mjs', '--t', '${user_config.token}'],
            env: { LEVEL: plant('.mcp.json') },
          },
        },
      },
      'plugin/.cursor/mcp.json': { mcpServers: { x: { url: plant('.cursor') } } },
      'plugin/.vscode/settings.json': { a: plant('.vscode') },
      'plugin/.claude/settings.local.json': { a: plant('.claude') },
      'plugin/.codex/config.toml': plant('.codex'),
      'plugin/.gemini/settings.json': plant('.gemini'),
      'plugin/srv/.cursor/mcp.json': plant('nested .cursor'),
      'plugin/mcp.json': plant('mcp.json'),
      'plugin/plugin.json': plant('plugin.json'),
      'plugin/gemini-extension.json': plant('gemini-extension.json'),
      'plugin/opencode.json': plant('opencode.json'),
      'plugin/.env': plant('.env'),
      'plugin/.env.local': plant('.env.local'),
      'plugin/.envrc': plant('.envrc'),
      'plugin/srv/id_rsa': plant('id_rsa'),
      'plugin/srv/server.key': `-----BEGIN PRIVATE KEY-----\n${plant('key')}\n`,
      'plugin/srv/a.mjs': ticketsServer,
      'plugin/skills/tea/.env': plant('.env of a skill'),
      'plugin/skills/tea/SKILL.md': '---\nname: tea\ndescription: How to brew tea.\n---\nBoil water.\n',
    },
  }),
  './gemini': (plant) => ({
    files: {
      'gemini/gemini-extension.json': {
        name: 'x',
        mcpServers: {
          x: { command: 'node', args: ['${extensionPath}/a.mjs'], env: { REGION: plant('manifest') } },
        },
      },
      'gemini/a.mjs': ticketsServer,
      'gemini/notes.txt': 'x',
    },
    words: ['--env', `TOKEN=${plant('--env')}`, '--arg', plant('--arg')],
  }),
};

describe('create --from', () => {
  it.for(Object.keys(forms))('writes and prints no secret of %s', async (from) => {
    const markers = new Markers();
    const { files, words = [] } = forms[from]!((place) => markers.plant(place));
    for (const more of [['--json'], []]) {
      const home = writeFolder(files);
      const { code, stdout, stderr } = await create(home, from, [...words, ...more]);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      expect(markers.placesIn(`${contentOf(home)}\n${stdout}\n${stderr}`)).toEqual([]);
    }
  });

  it('writes and prints no secret of a URL', async () => {
    const markers = new Markers();
    const home = writeFolder({});
    const url = `https://a.test/s/${markers.plant('path')}/mcp?key=${markers.plant('key')}`;
    const { stdout, stderr } = await create(home, url);
    expect(markers.placesIn(`${contentOf(home)}\n${stdout}\n${stderr}`)).toEqual([]);
    expect(upstreamOf(home, 'a').url).toBe('https://a.test/s/${A_TOKEN}/mcp?key=${A_KEY}');
    const readme = readFileSync(path.join(home, 'desk/README.md'), 'utf8');
    expect(readme).toContain('Made from https://a.test/s/…/mcp.');
    expect(readme).toContain('| `A_TOKEN` | required | In the URL of `a`. |');
  });

  it('writes and prints no secret of a bundle', async () => {
    const markers = new Markers();
    const home = writeFolder({});
    const manifest = {
      manifest_version: '0.3',
      name: 'tickets',
      version: '2.0.0',
      description: 'T.',
      server: {
        type: 'node',
        entry_point: 'server.mjs',
        mcp_config: {
          command: 'node',
          args: [
            '${__dirname}/server.mjs',
            '--password',
            markers.plant('--password'),
            '${user_config.token}',
          ],
          env: { REGION: markers.plant('env') },
        },
      },
      user_config: {
        token: { type: 'string', title: 'Token', sensitive: true, default: markers.plant('default') },
      },
    };
    const bundle = writeBundle(manifest, { 'server.mjs': ticketsServer });
    writeFileSync(path.join(home, 'tickets.mcpb'), bundle);
    const { stdout, stderr } = await create(home, './tickets.mcpb');
    expect(markers.placesIn(`${contentOf(home)}\n${stdout}\n${stderr}`)).toEqual([]);
    expect(stderr).toContain('Files with secrets are not copied: manifest.json.');
  });

  it.skipIf(process.platform === 'win32')('follows no links that leave a plugin', async () => {
    const skill = '---\nname: tea\ndescription: How to brew tea.\n---\nBoil water.\n';
    const home = writeFolder({
      'plugin/.claude-plugin/plugin.json': { name: 'x' },
      'plugin/skills/milk/SKILL.md': skill.replace('tea', 'milk'),
      'outside/SKILL.md': skill,
      'outside.json': { mcpServers: { x: { url: 'https://x.test' } } },
    });
    symlinkSync('../../outside', path.join(home, 'plugin/skills/tea'));
    const { stderr } = await create(home, './plugin');
    expect(stderr).toContain('The skill "tea" was left out: its folder is outside the plugin.');
    expect(readdirSync(path.join(home, 'desk/skills'))).toEqual(['milk']);
    symlinkSync('../outside.json', path.join(home, 'plugin/.mcp.json'));
    const other = await runAtHome(home, ['create', 'desk2', '--from', './plugin']);
    expect(other.stderr).toContain('is a link that leaves the plugin');
  });

  it('names different secrets of all servers differently, and equal ones equally', async () => {
    const env = { API_KEY: 'b-9a8b7c6d5e' };
    const home = writeFolder({
      'mcp.json': {
        mcpServers: {
          a: { command: 'node', args: ['--api-key', 'a-9a8b7c6d5e'], env },
          b: { command: 'node', args: ['--x'], env },
          c: { command: 'node', args: ['--x'], env: { API_KEY: '${API_KEY}' } },
        },
      },
    });
    const { stdout } = await create(home, './mcp.json', ['--json']);
    expect(JSON.parse(stdout).variables).toEqual(['API_KEY_3', 'API_KEY_2', 'API_KEY']);
    expect(upstreamOf(home, 'a')).toMatchObject({
      args: ['--api-key', '${API_KEY_3}'],
      env: { API_KEY: '${API_KEY_2}' },
    });
    expect(upstreamOf(home, 'b').env).toEqual({ API_KEY: '${API_KEY_2}' });
    expect(upstreamOf(home, 'c').env).toEqual({ API_KEY: '${API_KEY}' });
  });
});
