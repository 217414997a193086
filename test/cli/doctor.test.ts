// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references in config files.
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { failedStarts } from '../../src/engine/doctor/checks/started.js';
import { type FindingCode, findingTable } from '../../src/engine/doctor/codes.js';
import type { Finding } from '../../src/engine/doctor/finding.js';
import type { EntryPicture, Picture } from '../../src/engine/doctor/picture.js';
import { startJsonRegistry } from '../support/json-registry.js';
import { npmInProcess } from '../support/npm-in-process.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { root } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { type Files, runCli } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

const node = process.execPath;
const vendorFile = (name: string) => readFileSync(path.join(root, 'fixtures/clients', name), 'utf8');
const secret = 'sk-proj-abcdefghijklmnop1234567890';

/** A server with many tools, with long descriptions: `server.mjs 3 1000`. */
const manyTools = `
import { createInterface } from 'node:readline';
const [count, length] = process.argv.slice(2).map(Number);
const tools = Array.from({ length: count }, (_, index) => ({
  name: 'tool' + index, description: 'word '.repeat(length), inputSchema: { type: 'object' },
}));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'many', version: '1.0.0' } }
    : { tools };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

interface Case {
  readonly code: FindingCode;
  readonly client: string | null;
  /** Files of the home folder. `HOME` and `NODE` stand for paths. */
  readonly files: Files;
  readonly line?: number | null;
  /** Working directory below the home folder. */
  readonly cwd?: string;
  /** False if the damage has other findings, too. */
  readonly isAlone?: boolean;
  /** Default: `--offline --no-start`. */
  readonly words?: readonly string[];
  readonly env?: (home: string) => Readonly<Record<string, string>>;
  /** Further damage. */
  readonly damage?: (home: string) => Promise<unknown> | unknown;
  /** `fix`: `--fix` repairs it; `command`: the printed command does; else a person. */
  readonly mend: 'fix' | 'command' | ((home: string) => unknown);
  /** Text of a file after the repair. */
  readonly after?: readonly [file: string, text: string];
}

const cursor = '.cursor/mcp.json';
const servers = (entries: object) => ({ mcpServers: entries });
const many = (...args: readonly string[]) =>
  servers({ many: { command: 'node', args: ['HOME/many.mjs', ...args] } });
const cursorFile = vendorFile('cursor/01-install-one-line-siblings/before.json');
const vscodeFile = vendorFile('vscode/01-install-user-comments-trailing-commas/before.jsonc');
const codexFile = vendorFile('codex/01-install-comments/before.toml')
  .replace(/GITHUB_TOKEN = "xxx", /, '')
  .replace('"docker"', '"node"');
const zedSettings = vendorFile('zed/01-install-comments-trailing-commas-decoy/before.jsonc');
const edit = (file: string, from: string, to: string) => (home: string) => {
  const place = path.join(home, file);
  writeFileSync(place, readFileSync(place, 'utf8').replace(from, to));
};
const run = (
  home: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin?: string,
  cwd: string = home,
) =>
  runCli(words, {
    home,
    cwd,
    env: { ...npmInProcess, PATH: path.dirname(node), HOME: home, ...env },
    ...(stdin !== undefined && { stdin }),
  });
const install =
  (...words: readonly string[]) =>
  (home: string) =>
    run(home, [
      'install',
      'cursor',
      '--no-verify',
      '--name',
      'tickets',
      ...words,
      '--',
      node,
      path.join(home, 'server.mjs'),
    ]);

let registry: Registry;
let audited: string;
let silent: string;

beforeAll(async () => {
  registry = await startRegistry();
  await registry.publish({
    'package.json': { name: '@acme/mcp', version: '1.2.0', type: 'module', bin: 'server.js' },
    'server.js': ticketsServer,
  });
  audited = await startJsonRegistry({
    '/@acme%2fold/latest': { name: '@acme/old', version: '2.0.0' },
    '/-/npm/v1/security/advisories/bulk': {
      '@acme/old': [{ title: 'Reads any file', severity: 'high', url: 'https://advisories.example/1' }],
    },
  });
  silent = await startJsonRegistry({ '/@acme%2fold/latest': { name: '@acme/old', version: '1.0.0' } });
});

const online = ['--no-start'];
const oldPackage = { [cursor]: servers({ old: { command: 'npx', args: ['-y', '@acme/old@1.0.0'] } }) };
const started = ['--offline', '--start-foreign'];

/** One case for each code, except codes that need a server behind a server. */
const cases: readonly Case[] = [
  {
    code: 'doctor/unreadable-file',
    client: 'zed',
    files: { '.config/zed/settings.json': zedSettings.replace('"agent": {', '"agent": ') },
    line: 7,
    mend: edit('.config/zed/settings.json', '"agent": ', '"agent": {'),
  },
  {
    code: 'doctor/unsupported-syntax',
    client: 'cursor',
    files: { [cursor]: cursorFile.replace('"] }', '"] },') },
    line: 4,
    mend: 'fix',
    after: [cursor, cursorFile],
  },
  {
    code: 'doctor/unsupported-syntax',
    client: 'claude-desktop',
    files: { '.config/Claude/claude_desktop_config.json': '{\n  // mine\n  "mcpServers": {}\n}\n' },
    line: 2,
    mend: edit('.config/Claude/claude_desktop_config.json', '  // mine\n', ''),
  },
  {
    code: 'doctor/byte-order-mark',
    client: 'gemini-cli',
    files: { '.gemini/settings.json': `\uFEFF${cursorFile}` },
    line: 1,
    mend: 'fix',
    after: ['.gemini/settings.json', cursorFile],
  },
  {
    code: 'doctor/duplicate-key',
    client: 'cursor',
    files: {
      [cursor]: vendorFile('cursor/03-install-duplicate-container-key/before.json').replace('"b"', '"node"'),
    },
    line: 5,
    mend: edit(cursor, '"mcpServers"', '"former"'),
  },
  {
    code: 'doctor/wrong-container',
    client: 'vscode',
    files: { '.config/Code/User/mcp.json': cursorFile },
    line: 2,
    mend: edit('.config/Code/User/mcp.json', '"mcpServers"', '"servers"'),
  },
  {
    code: 'doctor/wrong-container',
    client: 'cursor',
    files: { [cursor]: vendorFile('cursor/05-install-wrong-container-type-must-refuse/before.json') },
    line: 2,
    mend: edit(cursor, '["not", "an", "object"]', '{}'),
  },
  {
    code: 'doctor/invalid-entry',
    client: 'cursor',
    files: { [cursor]: servers({ one: { cmd: 'node' } }) },
    line: 3,
    mend: edit(cursor, 'cmd', 'command'),
  },
  {
    code: 'doctor/invalid-key',
    client: 'claude-code',
    files: { '.claude.json': servers({ 'my server': { command: 'node' } }) },
    line: 3,
    mend: edit('.claude.json', 'my server', 'my-server'),
  },
  {
    code: 'doctor/moved-home',
    client: 'codex',
    files: {
      '.codex/config.toml': `${codexFile}\n[mcp_servers.tickets]\ncommand = "node"\nargs = ["/home/before/server.mjs"]\n`,
      'server.mjs': '',
    },
    mend: 'fix',
    after: [
      '.codex/config.toml',
      `${codexFile}\n[mcp_servers.tickets]\ncommand = "node"\nargs = ["HOME/server.mjs"]\n`,
    ],
  },
  {
    code: 'doctor/dead-program',
    client: 'vscode',
    files: { '.config/Code/User/mcp.json': vscodeFile.replace('"npx"', '"/opt/node18/bin/node"') },
    line: 14,
    mend: 'fix',
    after: ['.config/Code/User/mcp.json', vscodeFile.replace('"npx"', '"NODE"')],
  },
  {
    code: 'doctor/dead-script',
    client: 'cursor',
    files: {
      [cursor]: servers({
        one: { command: 'node', args: ['/opt/agenttools/bin/agenttools.js', 'start', 'x'] },
      }),
    },
    line: 3,
    mend: 'fix',
  },
  {
    code: 'doctor/missing-program',
    client: 'cursor',
    files: { [cursor]: servers({ one: { command: 'acme-server' } }) },
    line: 3,
    env: (home) => ({ PATH: [path.join(home, 'bin'), path.dirname(node)].join(path.delimiter) }),
    mend: (home) => {
      addFiles(home, { 'bin/acme-server': '' });
      chmodSync(path.join(home, 'bin/acme-server'), 0o755);
    },
  },
  {
    code: 'doctor/server-missing',
    client: 'cursor',
    files: { [cursor]: '{}' },
    damage: async (home) => {
      await run(home, ['install', 'cursor', '@acme/mcp', '--no-verify']);
      rmSync(path.join(home, 'agenttools/npm-servers'), { recursive: true });
    },
    line: 3,
    mend: 'fix',
  },
  {
    code: 'doctor/entry-edited',
    client: 'cursor',
    files: { [cursor]: cursorFile, 'server.mjs': ticketsServer },
    damage: async (home) => {
      await install('--env', 'REGION=eu')(home);
      edit(cursor, '"eu"', '"us"')(home);
    },
    mend: 'command',
  },
  {
    code: 'doctor/entry-gone',
    client: 'cursor',
    files: { [cursor]: cursorFile, 'server.mjs': ticketsServer },
    damage: async (home) => {
      await install()(home);
      addFiles(home, { [cursor]: cursorFile });
    },
    line: null,
    mend: 'command',
    after: [cursor, cursorFile],
  },
  {
    code: 'doctor/unreadable-record',
    client: null,
    files: { 'agenttools/receipts/0.json': '{' },
    line: null,
    mend: (home) => rmSync(path.join(home, 'agenttools/receipts/0.json')),
  },
  {
    code: 'doctor/start-failed',
    client: 'cursor',
    files: {
      [cursor]: servers({ one: { command: 'node', args: ['HOME/server.mjs'] } }),
      'server.mjs': 'process.exit(1)',
    },
    words: started,
    mend: (home) => addFiles(home, { 'server.mjs': ticketsServer }),
  },
  {
    code: 'doctor/duplicate-server',
    client: 'cursor',
    files: {
      [cursor]: servers({ one: { command: 'node', args: ['a'] }, two: { command: 'node', args: ['a'] } }),
    },
    mend: 'command',
  },
  {
    code: 'doctor/name-clash',
    client: 'cursor',
    files: {
      [cursor]: servers({ one: { command: 'node', args: ['a'] } }),
      'project/.cursor/mcp.json': servers({ one: { command: 'node', args: ['b'] } }),
    },
    cwd: 'project',
    mend: 'command',
  },
  {
    code: 'doctor/readable-secrets',
    client: 'cursor',
    files: { [cursor]: servers({ one: { command: 'node', args: ['a'], env: { API_KEY: secret } } }) },
    damage: (home) => chmodSync(path.join(home, cursor), 0o644),
    line: null,
    isAlone: false,
    mend: 'fix',
  },
  {
    code: 'doctor/clear-text-secret',
    client: 'cursor',
    files: { [cursor]: servers({ one: { command: 'node', args: ['a'], env: { API_KEY: secret } } }) },
    damage: (home) => chmodSync(path.join(home, cursor), 0o600),
    line: 9,
    mend: 'command',
  },
  {
    code: 'doctor/clear-text-secret',
    client: 'cursor',
    files: {
      [cursor]: servers({
        one: { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer ${secret}` } },
      }),
    },
    damage: (home) => chmodSync(path.join(home, cursor), 0o600),
    line: 6,
    mend: 'command',
  },
  {
    code: 'doctor/frozen-changed',
    client: 'cursor',
    files: { 'server.mjs': ticketsServer },
    words: ['--offline'],
    damage: async (home) => {
      const server = path.join(home, 'server.mjs');
      await run(home, ['install', 'cursor', '--frozen', '--name', 'tickets', '--', node, server]);
      writeFileSync(server, ticketsServer.replace('inputSchema', "description: 'Obey', inputSchema"));
    },
    mend: (home) => writeFileSync(path.join(home, 'server.mjs'), ticketsServer),
  },
  {
    code: 'doctor/missing-secret',
    client: 'cursor',
    files: { [cursor]: cursorFile, 'server.mjs': ticketsServer },
    damage: async (home) => {
      await run(home, ['secret', 'set', 'TOKEN'], {}, 'a value');
      await install('--env', 'TOKEN=secret:TOKEN')(home);
      await run(home, ['secret', 'remove', 'TOKEN']);
    },
    mend: 'command',
  },
  {
    code: 'doctor/untrusted-folder',
    client: 'gemini-cli',
    files: {
      '.gemini/settings.json': { security: { folderTrust: { enabled: true } } },
      'project/.gemini/settings.json': cursorFile,
    },
    cwd: 'project',
    line: null,
    mend: (home) => addFiles(home, { '.gemini/trustedFolders.json': { [home]: 'TRUST_FOLDER' } }),
  },
  {
    code: 'doctor/untrusted-folder',
    client: 'codex',
    files: { 'project/.codex/config.toml': '[mcp_servers.one]\ncommand = "node"\n' },
    cwd: 'project',
    line: null,
    mend: (home) =>
      addFiles(home, { '.codex/config.toml': `[projects."${home}/project"]\ntrust_level = "trusted"\n` }),
  },
  {
    code: 'doctor/untrusted-folder',
    client: 'copilot-cli',
    files: {
      'project/.github/mcp.json': servers({ one: { command: 'node', args: ['a'] } }),
      '.copilot/config.json': '// Settings\n{ "trusted_folders": [] }',
    },
    cwd: 'project',
    line: null,
    mend: (home) => addFiles(home, { '.copilot/config.json': { trustedFolders: [home] } }),
  },
  {
    code: 'doctor/disabled-server',
    client: 'cursor',
    files: { [cursor]: servers({ one: { command: 'node', disabled: true } }) },
    mend: edit(cursor, 'true', 'false'),
  },
  {
    code: 'doctor/disabled-server',
    client: 'gemini-cli',
    files: {
      '.gemini/settings.json': { ...servers({ one: { command: 'node' } }), mcp: { excluded: ['one'] } },
    },
    mend: edit('.gemini/settings.json', '"one"\n', '"other"\n'),
  },
  {
    code: 'doctor/tool-count',
    client: 'windsurf',
    files: { '.codeium/windsurf/mcp_config.json': many('101', '1'), 'many.mjs': manyTools },
    words: started,
    line: null,
    mend: edit('.codeium/windsurf/mcp_config.json', '101', '9'),
  },
  {
    code: 'doctor/token-budget',
    client: 'windsurf',
    files: { '.codeium/windsurf/mcp_config.json': many('9', '9999'), 'many.mjs': manyTools },
    words: started,
    line: null,
    mend: edit('.codeium/windsurf/mcp_config.json', '9999', '1'),
  },
  {
    code: 'doctor/lost-tools',
    client: 'cursor',
    files: { [cursor]: many('1', '1'), 'many.mjs': manyTools.replace("'tool' +", "'t'.repeat(60) +") },
    words: started,
    mend: (home) => addFiles(home, { 'many.mjs': manyTools }),
  },
  {
    code: 'doctor/outdated',
    client: 'cursor',
    files: oldPackage,
    words: online,
    env: () => ({ npm_config_registry: audited }),
    isAlone: false,
    mend: edit(cursor, '@1.0.0', '@2.0.0'),
  },
  {
    code: 'doctor/vulnerable',
    client: 'cursor',
    files: oldPackage,
    words: online,
    env: () => ({ npm_config_registry: audited }),
    isAlone: false,
    mend: edit(cursor, '@1.0.0', '@latest'),
  },
  {
    code: 'doctor/registry-unavailable',
    client: null,
    files: oldPackage,
    words: online,
    env: () => ({ npm_config_registry: silent }),
    line: null,
    mend: edit(cursor, '@1.0.0', '@latest'),
  },
  {
    code: 'doctor/client-too-old',
    client: 'codex',
    files: {
      '.codex/config.toml': '[mcp_servers.one]\nurl = "https://mcp.example.com/mcp"\n',
      'codex/package.json': { name: '@openai/codex', version: '0.42.0', bin: { codex: 'bin/codex' } },
      'codex/bin/codex': '',
    },
    env: (home) => ({ PATH: [path.join(home, 'codex/bin'), path.dirname(node)].join(path.delimiter) }),
    damage: (home) => chmodSync(path.join(home, 'codex/bin/codex'), 0o755),
    line: 1,
    mend: edit('codex/package.json', '0.42.0', '0.43.0'),
  },
];

async function mend({ mend: how, ...one }: Case, finding: Finding, home: string): Promise<void> {
  if (typeof how === 'function') return void (await how(home));
  const printed = (finding.fix.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const words = how === 'fix' ? ['doctor', '--fix'] : printed.slice(1);
  const options = words[0] === 'doctor' ? wordsOf(one) : [];
  const { stderr, code } = await run(home, [...words, ...options], envOf(one, home), 'a value');
  // Other findings may remain.
  if (one.isAlone !== false) expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
}

const wordsOf = ({ words = ['--offline', '--no-start'] }: Pick<Case, 'words'>) => words;
const envOf = ({ env }: Pick<Case, 'env'>, home: string) => env?.(home) ?? {};

async function look(one: Case, home: string) {
  const cwd = one.cwd === undefined ? home : path.join(home, one.cwd);
  const { stdout, code } = await run(
    home,
    ['doctor', '--json', ...wordsOf(one)],
    envOf(one, home),
    undefined,
    cwd,
  );
  return { code, findings: JSON.parse(stdout).findings as readonly Finding[] };
}

describe('doctor', () => {
  it.each(cases.map((one) => [one.code, one.client, one] as const))(
    'finds %s in the files of %s, and nothing after the repair',
    async (code, client, one) => {
      const home = writeFolder({ '.npmrc': registry.settings() });
      addFiles(home, fillIn(one.files, home));
      await one.damage?.(home);
      const before = await look(one, home);
      const found = before.findings.filter((finding) => finding.code === code);
      expect(found).toHaveLength(1);
      const { severity } = findingTable.find((row) => row.code === code)!;
      expect(found[0]).toMatchObject({ client, severity, fixable: one.mend === 'fix' });
      if (one.line !== undefined) expect(found[0]!.line).toBe(one.line);
      expect(found[0]!.message).toMatch(/\.$/);
      if (one.isAlone !== false) expect(before.findings.map((finding) => finding.code)).toEqual([code]);
      expect(before.code).toBe(before.findings.some((finding) => finding.severity !== 'info') ? 1 : 0);

      await mend(one, found[0]!, home);
      const after = await look(one, home);
      const left = after.findings.filter((finding) => one.isAlone !== false || finding.code === code);
      expect(left).toEqual([]);
      if (one.after) {
        const [file, text] = one.after;
        const expected = text.replaceAll('HOME', home).replaceAll('NODE', node);
        expect(readFileSync(path.join(home, file), 'utf8')).toBe(expected);
      }
    },
  );

  it('has a case for every code', () => {
    const others = new Set(['doctor/upstream-unavailable', 'doctor/moved-record']);
    const covered = new Set(cases.map(({ code }) => code));
    expect(
      findingTable.map(({ code }) => code).filter((code) => !others.has(code) && !covered.has(code)),
    ).toEqual([]);
  });

  it('changes nothing without --fix, and shows the changes of a dry run as a diff', async () => {
    const home = writeFolder({ [cursor]: cursorFile.replace('"npx"', '"/opt/node18/bin/npx"') });
    const before = readFileSync(path.join(home, cursor), 'utf8');
    const text = await run(home, ['doctor', 'cursor', '--offline']);
    expect(text.stdout).toContain('Cursor  ~/.cursor/mcp.json\n  error  doctor/dead-program  4:5\n');
    expect(text.stdout).toContain('fix: agenttools doctor cursor --fix\n');
    expect(text.stdout).toContain('1 error: 2 servers in 1 config file, 0 started.\n');
    const dry = await run(home, ['doctor', '--fix', '--dry-run', '--offline']);
    expect(dry.stdout).toContain('-    "playwright": { "command": "/opt/node18/bin/npx"');
    expect(dry.stderr).toContain('Would repair: Let "playwright" run');
    expect([text.code, dry.code]).toEqual([1, 1]);
    expect(readFileSync(path.join(home, cursor), 'utf8')).toBe(before);
  });

  it('never starts servers that AgentTools did not install, without --start-foreign', async () => {
    const writes = "require('node:fs').writeFileSync(process.env.MARK, '')";
    const home = writeFolder();
    const mark = path.join(home, 'mark');
    addFiles(home, {
      [cursor]: servers({ one: { command: 'node', args: ['-e', writes], env: { MARK: mark } } }),
    });
    await run(home, ['doctor', '--offline']);
    expect(existsSync(mark)).toBe(false);
    const { stdout } = await run(home, ['doctor', '--offline', '--start-foreign']);
    expect(existsSync(mark)).toBe(true);
    expect(stdout).toContain('doctor/start-failed');
  });

  it('starts installed servers, and counts their tools', async () => {
    const home = writeFolder({ [cursor]: cursorFile, 'server.mjs': ticketsServer });
    await install()(home);
    const { code, stdout } = await run(home, ['doctor', '--offline']);
    expect(stdout).toMatch(
      /^Cursor: 1 tool of 1 started server, ≈ \d+ tokens of each request\nNothing is wrong/m,
    );
    expect(code).toBe(0);
  });

  it('repairs entries of AgentTools so that they stay intact, and uninstall restores the bytes', async () => {
    const home = writeFolder({ [cursor]: cursorFile, 'server.mjs': ticketsServer });
    await install('--env', `API_KEY=${secret}`)(home);
    const link = path.join(home, 'agenttools/bin/node');
    for (const file of [cursor, ...receiptFiles(home)])
      edit(
        path.relative(home, path.resolve(home, file)),
        JSON.stringify(link),
        '"/opt/node18/bin/node"',
      )(home);
    const { code, stdout } = await run(home, ['doctor', '--fix', '--offline', '--no-start']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('Repaired: Let "tickets" run'),
    });
    const entry = JSON.parse(readFileSync(path.join(home, cursor), 'utf8')).mcpServers.tickets;
    expect(entry).toMatchObject({ command: link, env: { API_KEY: 'secret:API_KEY' } });
    expect(entry.args.slice(1)).toEqual(['start', '--', link, path.join(home, 'server.mjs')]);
    expect((await run(home, ['list-installed', '--check'])).code).toBe(0);
    await run(home, ['uninstall', 'cursor', 'tickets']);
    expect(readFileSync(path.join(home, cursor), 'utf8')).toBe(cursorFile);
  });

  it('follows a home folder that moved with its data folder, and uninstall restores the bytes', async () => {
    const folder = writeFolder({ [`old/${cursor}`]: cursorFile, 'old/server.mjs': ticketsServer });
    await install()(path.join(folder, 'old'));
    const home = path.join(folder, 'new');
    renameSync(path.join(folder, 'old'), home);
    const words = ['doctor', '--offline', '--no-start', '--json'];
    const { stdout } = await run(home, words);
    const codes = JSON.parse(stdout).findings.map(({ code }: Finding) => code);
    expect(codes).toEqual(['doctor/moved-home', 'doctor/moved-record']);
    const fixed = await run(home, [...words, '--fix']);
    expect(JSON.parse(fixed.stdout)).toMatchObject({ findings: [], repairs: [{}, {}] });
    expect(JSON.parse(readFileSync(path.join(home, cursor), 'utf8')).mcpServers.tickets.args).toEqual([
      path.join(home, 'server.mjs'),
    ]);
    expect((await run(home, ['list-installed', '--check'])).code).toBe(0);
    await run(home, ['uninstall', 'cursor', 'tickets']);
    expect(readFileSync(path.join(home, cursor), 'utf8')).toBe(cursorFile);
  });

  it('points the link to Node at the present one', async () => {
    const home = writeFolder({ [cursor]: cursorFile, '.npmrc': registry.settings() });
    await run(home, ['install', 'cursor', '@acme/mcp', '--no-verify']);
    const link = path.join(home, 'agenttools/bin/node');
    rmSync(link);
    symlinkSync('/opt/node18/bin/node', link);
    const { code, stdout } = await run(home, ['doctor', '--offline', '--no-start', '--fix']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('run the present Node by') });
    expect(readlinkSync(link)).toBe(node);
  });

  it('points the link to AgentTools at the present one', async () => {
    const home = writeFolder({ [cursor]: cursorFile });
    await run(home, ['install', 'cursor', 'agenttools', '--no-verify']);
    const text = readFileSync(path.join(home, cursor), 'utf8');
    const link = path.join(home, 'agenttools/bin/agenttools.js');
    rmSync(link);
    symlinkSync('/opt/node18/lib/node_modules/agenttools/bin/agenttools.js', link);
    const { code, stdout } = await run(home, ['doctor', '--offline', '--no-start', '--fix']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('run the present AgentTools by'),
    });
    expect(readlinkSync(link)).toBe(path.resolve('bin/agenttools.js'));
    expect(readFileSync(path.join(home, cursor), 'utf8')).toBe(text);
  });

  it('takes over an entry with a secret, lists it, and puts the former one back', async () => {
    const text = JSON.stringify(
      servers({ one: { command: 'node', args: ['a'], env: { API_KEY: secret } } }),
      null,
      2,
    );
    const home = writeFolder({ [cursor]: text });
    const { stdout } = await run(home, [
      'doctor',
      'cursor',
      '--fix',
      '--move-secrets',
      '--offline',
      '--no-start',
    ]);
    expect(stdout).toContain('Repaired: Move API_KEY of "one" into the secret store');
    expect(readFileSync(path.join(home, cursor), 'utf8')).not.toContain(secret);
    expect((await run(home, ['secret', 'list'])).stdout).toContain('used by "one" in Cursor');
    expect(JSON.parse((await run(home, ['export'])).stdout).servers).toEqual({
      one: { command: ['node', 'a'], env: { API_KEY: '${API_KEY}' } },
    });
    await run(home, ['uninstall', 'cursor', 'one']);
    expect(readFileSync(path.join(home, cursor), 'utf8')).toBe(text);
  });

  it('moves secrets of arguments and addresses, and gives them to the server', async () => {
    const echo = `${ticketsServer}\nprocess.stderr.write(JSON.stringify([process.argv.slice(2), process.env.API_KEY]));`;
    const text = JSON.stringify(
      servers({
        one: {
          command: node,
          args: ['server.mjs', '--token', secret, '--key=hunter2', '--x=1'],
          env: { API_KEY: secret },
        },
        two: { url: `https://mcp.example.com/mcp?key=hunter2&x=1`, headers: { 'X-Key': 'hunter3' } },
      }),
    );
    const home = writeFolder({ [cursor]: text, 'server.mjs': echo });
    const words = ['doctor', 'cursor', '--fix', '--move-secrets', '--offline', '--no-start'];
    const { code, stdout } = await run(home, words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Nothing is wrong') });
    expect(stdout).toContain('Repaired: Move the argument token, the argument key, API_KEY of "one"');
    expect(stdout).toContain('Repaired: Move its address, X-Key of "two"');
    const written = readFileSync(path.join(home, cursor), 'utf8');
    expect(written).not.toMatch(new RegExp(`${secret}|hunter`));
    const { one, two } = JSON.parse(written).mcpServers;
    expect(one.args.slice(1)).toEqual(
      `start --arg-env token=MCP_TOKEN --arg-env key=MCP_KEY -- ${node} server.mjs --token {arg:token} --key={arg:key} --x=1`.split(
        ' ',
      ),
    );
    expect(two.args.at(-1)).toBe('https://mcp.example.com/mcp?key={arg:key}&x=1');
    expect(JSON.parse((await run(home, ['export'])).stdout).servers).toEqual({
      one: {
        command: [node, 'server.mjs', '--token', '${TOKEN}', '--key=${KEY}', '--x=1'],
        env: { API_KEY: '${API_KEY}' },
      },
      two: {
        server: 'https://mcp.example.com/mcp?key=${KEY}&x=1',
        headers: { 'X-Key': '${TWO_X_KEY}' },
      },
    });
    for (const key of ['one', 'two']) await run(home, ['uninstall', 'cursor', key]);
    expect(readFileSync(path.join(home, cursor), 'utf8')).toBe(text);
  });

  it('moves what it can of an entry through AgentTools, and names what to do with its options', async () => {
    const args = [
      path.join(root, 'bin/agenttools.js'),
      'start',
      '--arg',
      `token=${secret}`,
      'npm:@acme/mcp@1.2.0',
    ];
    const home = writeFolder({
      [cursor]: servers({ one: { command: node, args, env: { API_KEY: secret } } }),
    });
    const words = ['doctor', 'cursor', '--offline', '--no-start', '--json'];
    const found = async (...more: readonly string[]) =>
      JSON.parse((await run(home, [...words, ...more])).stdout).findings.filter(
        ({ code }: Finding) => code === 'doctor/clear-text-secret',
      );
    const advice =
      'Store the value with: agenttools secret set TOKEN. Then install the server again with secret:TOKEN in place of the value.';
    expect(await found()).toMatchObject([
      {
        message: expect.stringContaining(`AgentTools cannot move the argument token. ${advice}`),
        fixable: false,
      },
    ]);
    expect(await found('--fix', '--move-secrets')).toMatchObject([
      { message: expect.stringContaining('"one" holds the argument token in clear text.'), fix: advice },
    ]);
    expect(JSON.parse(readFileSync(path.join(home, cursor), 'utf8')).mcpServers.one.env.API_KEY).toBe(
      'secret:API_KEY',
    );
  });

  it('exports a remote server that it took over, with the name of its secret', async () => {
    const home = writeFolder({
      [cursor]: servers({
        one: { url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer ${secret}`, A: 'b' } },
      }),
    });
    await run(home, ['doctor', 'cursor', '--fix', '--move-secrets', '--offline', '--no-start']);
    const { stdout } = await run(home, ['export']);
    expect(JSON.parse(stdout).servers).toEqual({
      one: {
        server: 'https://mcp.example.com/mcp',
        headers: { A: 'b', Authorization: 'Bearer ${ONE_AUTHORIZATION}' },
      },
    });
  });

  it('names the servers that it did not start, and why', async () => {
    const home = writeFolder({
      [cursor]: servers({
        foreign: { command: node, args: ['a'] },
        off: { command: node, args: ['b'], disabled: true },
        gone: { command: '/opt/gone/program' },
      }),
      'server.mjs': ticketsServer,
    });
    await install('--env', 'TOKEN=abc')(home);
    edit(cursor, '"abc"', '"${input:token}"')(home);
    const words = ['doctor', 'cursor', '--fix', '--offline'];
    const { stdout } = await run(home, words);
    expect(stdout).toContain(
      'Not started: "foreign", "gone" in Cursor: AgentTools did not install it. Add --start-foreign.\n',
    );
    expect(stdout).toContain('Not started: "off" in Cursor: It is switched off by "disabled": true.\n');
    expect(stdout).toContain(
      'Not started: "tickets" in Cursor: It was edited by hand. Add --start-foreign.\n',
    );
    const { notStarted } = JSON.parse((await run(home, [...words, '--start-foreign', '--json'])).stdout);
    expect(notStarted).toEqual([
      { client: 'cursor', key: 'off', reason: 'It is switched off by "disabled": true.' },
      { client: 'cursor', key: 'gone', reason: 'Its program does not exist.' },
      { client: 'cursor', key: 'tickets', reason: 'It needs ${input:token}, which only its client knows.' },
    ]);
    expect((await run(home, [...words, '--no-start'])).stdout).not.toContain('Not started');
  });

  it('reads the servers that Claude Code keeps for single projects', async () => {
    const dead = servers({ one: { command: '/opt/gone/program' } });
    const secretive = servers({ one: { command: node, args: ['a'], env: { API_KEY: secret } } });
    const projects = {
      '/projects/a': dead,
      '/projects/b': dead,
      '/projects/c': secretive,
      '/projects/d': servers({}),
    };
    const text = JSON.stringify({ projects, ...servers({ one: { command: node, args: ['b'] } }) }, null, 2);
    const home = writeFolder({ '.claude.json': text });
    chmodSync(path.join(home, '.claude.json'), 0o600);
    const words = ['doctor', 'claude-code', '--offline', '--no-start', '--json'];
    const found = async (...more: readonly string[]) =>
      JSON.parse((await run(home, [...words, ...more])).stdout).findings.map(
        ({ code, line, key }: Finding) => `${code} ${key} ${line}`,
      );
    expect(await found()).toEqual([
      'doctor/dead-program one 5',
      'doctor/name-clash one 5',
      'doctor/dead-program one 12',
      'doctor/name-clash one 12',
      'doctor/name-clash one 19',
      'doctor/clear-text-secret one 25',
    ]);
    await run(home, ['doctor', 'claude-code', '--fix', '--move-secrets', '--offline', '--no-start']);
    const { projects: after } = JSON.parse(readFileSync(path.join(home, '.claude.json'), 'utf8'));
    expect(after['/projects/c'].mcpServers.one.env.API_KEY).toBe('secret:API_KEY');
    expect((await run(home, ['uninstall', 'claude-code', 'one'])).stderr).toContain(
      'The entry that was there before is back.',
    );
    expect(readFileSync(path.join(home, '.claude.json'), 'utf8')).toBe(text);
  });

  it('does not call an entry gone if its file cannot be parsed', async () => {
    const home = writeFolder({ [cursor]: cursorFile, 'server.mjs': ticketsServer });
    await install()(home);
    writeFileSync(path.join(home, cursor), cursorFile.replace('{', '{ ,'));
    const { stdout } = await run(home, ['doctor', '--json', '--offline', '--no-start']);
    const codes = JSON.parse(stdout).findings.map(({ code }: Finding) => code);
    expect(codes).toEqual(['doctor/unreadable-file']);
  });

  it('reports files of one client alone, and refuses unknown clients and useless options', async () => {
    const dead = servers({ one: { command: '/opt/gone' } });
    const home = writeFolder({ [cursor]: dead, '.codeium/windsurf/mcp_config.json': dead });
    const { stdout } = await run(home, ['doctor', 'windsurf', '--json', '--offline']);
    expect(JSON.parse(stdout).findings).toMatchObject([{ client: 'windsurf' }]);
    expect((await run(home, ['doctor', 'curser'])).stderr).toContain('Did you mean "cursor"?');
    expect((await run(home, ['doctor', '--move-secrets'])).code).toBe(2);
    expect((await run(home, ['doctor', '--no-start', '--start-foreign'])).code).toBe(2);
  });
});

describe('the check of servers behind servers', () => {
  it('reports each entry with unavailable servers', () => {
    const entry = { key: 'one', config: { client: { name: 'Cursor' } } } as unknown as EntryPicture;
    const probe = { state: 'answers', tools: [], absences: ['The server x does not answer.'] } as const;
    const picture = { probes: new Map([[entry, probe]]) } as unknown as Picture;
    expect([...failedStarts(picture)]).toMatchObject([
      { code: 'doctor/upstream-unavailable', message: '"one": The server x does not answer.' },
    ]);
  });
});

function receiptFiles(home: string): readonly string[] {
  const folder = path.join(home, 'agenttools/receipts');
  return readdirSync(folder).map((name) => path.join(folder, name));
}

/** Fills in the paths of the machine. */
function fillIn(files: Files, home: string): Files {
  const texts = Object.entries(files).map(([file, content]) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    return [file, text.replaceAll('HOME', home).replaceAll('NODE', node)];
  });
  return Object.fromEntries(texts);
}
