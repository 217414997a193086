import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { addFiles, writeFolder } from '../support/packages.js';
import { execute, installInto, pack } from '../support/packed.js';
import { bareEnvironment, root } from '../support/program.js';
import { startRegistry } from '../support/registry.js';

const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

/** The code blocks of the README in one language. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code);

test('the way from an empty folder to a tool in a client works as it is written', async () => {
  const machine = writeFolder();
  await installInto(machine, await pack());
  const registry = await startRegistry();

  // All commands but those of the repository itself, in one shell; the program was installed already.
  const commands = blocks('sh').filter((code) => !code.includes('npm run demo'));
  const theirs = commands.pop();
  expect(commands.length).toBeGreaterThanOrEqual(3);
  const stubs = 'npx() { "$@"; }\nnpm() { [ "$*" = "install --global agenttools" ] || command npm "$@"; }';
  const run = async (home: string, lines: readonly string[]) => {
    addFiles(home, { '.npmrc': registry.settings({ withCredentials: true }) });
    const env = {
      PATH: `${path.join(machine, 'node_modules/.bin')}:${process.env.PATH}`,
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'settings'),
      AGENTTOOLS_AUTO_INSTALL: '',
      AGENTTOOLS_MCP_REGISTRY: 'none',
    };
    return await execute('sh', ['-c', `set -e\n${stubs}\n${lines.join('\n')}`], { cwd: home, env });
  };
  const ran = await run(machine, commands);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Installed my-plugin\/my-plugin in Claude/),
  });
  expect(ran.stdout).toContain('Created my-plugin');
  expect(ran.stdout).toMatch(/valid my-plugin/);
  expect(ran.stdout).toContain('Hello, Ada!');

  // Somebody else finds what was published, and installs it.
  const stranger = writeFolder();
  const found = await run(stranger, [theirs ?? 'exit 1']);
  expect(found).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('my-plugin/my-plugin'),
    stderr: expect.stringMatching(/^Added my-plugin 0\.1\.0, .*\nInstalled my-plugin\/my-plugin in Claude/),
  });

  // What the README shows of the files is in them.
  const [manifest, tool] = blocks('json');
  const folder = path.join(machine, 'my-plugin');
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  expect(read('package.json')).toMatchObject(JSON.parse(`{${manifest}}`));
  expect(read('agenttools/tools/greet.json')).toMatchObject(JSON.parse(tool ?? ''));

  // The clients start what was written.
  for (const home of [machine, stranger]) {
    const config = path.join(home, 'settings/Claude/claude_desktop_config.json');
    const entry = JSON.parse(readFileSync(config, 'utf8')).mcpServers['my-plugin'];
    const client = new Client({ name: 'e2e', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const env = bareEnvironment({ HOME: home, ...entry.env });
    await client.connect(new StdioClientTransport({ ...entry, env }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['greet']);
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
    await client.close();
  }
});

test('every file the README links to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
  expect(links.length).toBeGreaterThan(5);
  const missing = links.filter((target) => {
    try {
      readFileSync(path.join(root, target));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EISDIR';
    }
  });
  expect(missing).toEqual([]);
});

test('the demo shows the main job in both eras', async () => {
  const { code, stdout, stderr } = await execute(process.execPath, ['.scripts/demo.mjs'], { cwd: root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\$ agenttools validate/);
  expect(stdout).toContain('connected to Acme Weather (@acme/weather/weather 1.2.0), MCP 2026-07-28');
  expect(stdout).toContain('connected to Acme Weather (@acme/weather/weather 1.2.0), MCP 2025-11-25');
  for (const answer of [
    'forecast: Gives the weather',
    'briefing: Asks for',
    'weather://stations',
    'error: Invalid arguments',
    'is warmer by',
    'What do I pack?',
    'Storm warning for High Fell',
  ]) {
    expect(stdout).toContain(answer);
  }
  expect(stdout).toMatch(/Both eras of MCP were served from one definition\.\n$/);
});
