import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;
const files = {
  cursor: '.cursor/mcp.json',
  codex: '.codex/config.toml',
  goose: '.config/goose/config.yaml',
  vscode: '.config/Code/User/mcp.json',
  desktop: '.config/Claude/claude_desktop_config.json',
} as const;
const originals: Readonly<Record<keyof typeof files, string>> = {
  cursor: '{ "mcpServers": { "mine": { "command": "x" } } }',
  codex: '# mine\nmodel = "x" # tail\n',
  goose: '# mine\nGOOSE_MODEL: x\n',
  vscode: '{\n  // mine\n  "servers": {}\n}\n',
  desktop: '{}',
};

function writeHome(): string {
  const folder = writeFolder();
  for (const [name, file] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), originals[name as keyof typeof files]);
  }
  return folder;
}

beforeEach(() => {
  home = writeHome();
  cwd = writeFolder(plugin);
});

const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCli(words, { home, cwd, env });
const sync = (...words: readonly string[]) => run(['sync', '--no-verify', ...words]);
const text = (name: keyof typeof files) => readFileSync(path.join(home, files[name]), 'utf8');
const texts = () => Object.fromEntries(Object.keys(files).map((name) => [name, text(name as 'cursor')]));
const writeSet = (set: object) => writeFileSync(path.join(cwd, 'agenttools.json'), JSON.stringify(set));
const actions = async (...words: readonly string[]) => {
  const { stdout } = await sync('--json', ...words);
  return Object.fromEntries(
    (JSON.parse(stdout) as Record<string, string>[]).map(({ client, key, action }) => [
      `${key} ${client}`,
      action,
    ]),
  );
};

const five = ['cursor', 'codex', 'goose', 'vscode', 'claude-desktop'];
const kit = { server: '.', env: { A: '1' } };

describe('a set', () => {
  it('is written to every client, is then in sync, and its removal restores the bytes', async () => {
    writeSet({ scope: 'user', clients: five, servers: { kit } });
    const { code, stderr } = await sync();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Changed 5 entries.') });
    expect(stderr).toMatch(/^ +cursor +codex +goose +vscode +claude-desktop\nkit +add +add +add +add +add\n/);
    expect(await sync('--check')).toMatchObject({ code: 0, stdout: 'In sync: 5 entries.\n', stderr: '' });
    expect((await sync()).stderr).toContain('Nothing to change.');
    writeSet({ scope: 'user', clients: five, servers: {} });
    expect((await sync()).code).toBe(0);
    expect(texts()).toEqual(originals);
  });

  it('prints a table and one diff per file, and writes nothing with --dry-run', async () => {
    writeSet({
      scope: 'user',
      clients: ['cursor', 'codex'],
      servers: { kit, two: { ...kit, clients: ['codex'] } },
    });
    const { code, stdout, stderr } = await sync('--dry-run');
    expect(code).toBe(0);
    expect(stderr).toMatch(/kit +add +add\ntwo +- +add\n/);
    expect(stdout.match(/^---/gm)).toHaveLength(2);
    expect(stdout).toContain('+[mcp_servers.kit]');
    expect(stdout).toContain('+[mcp_servers.two]');
    expect(texts()).toEqual(originals);
  });

  it('reports drift with --check, and changes nothing', async () => {
    writeSet({ scope: 'user', clients: ['cursor', 'codex', 'goose'], servers: { kit } });
    await sync('--to', 'codex,goose');
    writeFileSync(path.join(home, files.codex), text('codex').replace('A = "1"', 'A = "2"'));
    const before = texts();
    const { code, stdout, stderr } = await sync('--check');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      /^add {2}"kit" in Cursor \(.*\): is missing\nkept {2}"kit" in Codex \(.*\): It was edited by hand\.\n$/,
    );
    expect(texts()).toEqual(before);
  });

  it('updates its entries, and keeps edits by hand until --force', async () => {
    const clients = ['cursor', 'codex', 'goose'];
    writeSet({ scope: 'user', clients, servers: { kit } });
    await sync();
    writeFileSync(path.join(home, files.codex), text('codex').replace('A = "1"', 'A = "2"'));
    writeFileSync(path.join(home, files.goose), originals.goose);
    expect(await actions()).toEqual({ 'kit cursor': 'same', 'kit codex': 'kept', 'kit goose': 'kept' });
    writeSet({ scope: 'user', clients, servers: { kit: { ...kit, env: { A: '3' } } } });
    const { code, stderr } = await sync();
    expect(code).toBe(1);
    expect(stderr).toMatch(/kit +update +conflict +conflict/);
    expect(stderr).toContain(
      'error: "kit" in Codex: It was edited by hand, and has changed in the set. Overwrite it with: agenttools sync kit --to codex --force',
    );
    expect(text('codex')).toContain('A = "2"');
    expect(text('goose')).toBe(originals.goose);
    expect((await sync('--force')).code).toBe(0);
    expect(text('codex')).toContain('A = "3"');
    expect(text('goose')).toContain('A: "3"');
  });

  it('keeps an edited entry that left the set, and removes the others', async () => {
    writeSet({ scope: 'user', clients: ['cursor', 'codex'], servers: { kit } });
    await sync();
    const edited = text('codex').replace('A = "1"', 'A = "2"');
    writeFileSync(path.join(home, files.codex), edited);
    writeSet({ scope: 'user', servers: {} });
    const { code, stderr } = await sync();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('is not in the set any more'),
    });
    expect([text('cursor'), text('codex')]).toEqual([originals.cursor, edited]);
    expect((await sync('--force')).code).toBe(0);
    expect(text('codex')).toBe(originals.codex);
  });

  it('does not touch entries of other programs or servers, unless --force', async () => {
    writeSet({ scope: 'user', clients: ['cursor'], servers: { mine: kit } });
    const { code, stderr } = await sync();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('It is not from AgentTools.'),
    });
    expect(texts()).toEqual(originals);
    expect((await sync('--force')).code).toBe(0);
    expect(JSON.parse(text('cursor')).mcpServers.mine.env.A).toBe('1');
    writeSet({ scope: 'user', servers: {} });
    await sync();
    expect(texts()).toEqual(originals);
  });

  it('writes an entry again if its program no longer exists', async () => {
    writeSet({ scope: 'user', clients: ['codex'], servers: { kit } });
    await sync();
    const node = path.join(home, 'agenttools/bin/node');
    const folder = path.join(home, 'agenttools/receipts');
    for (const name of readdirSync(folder)) {
      const record = path.join(folder, name);
      writeFileSync(record, readFileSync(record, 'utf8').replaceAll(JSON.stringify(node), '"/gone/node"'));
    }
    writeFileSync(path.join(home, files.codex), text('codex').replace(node, '/gone/node'));
    expect(await actions('--check')).toEqual({ 'kit codex': 'update' });
    expect(await actions()).toEqual({ 'kit codex': 'update' });
    expect(text('codex')).toContain(node);
  });

  it('takes over an equal entry without record', async () => {
    writeSet({ scope: 'user', clients: ['codex'], servers: { kit } });
    await sync();
    const written = text('codex');
    const before = home;
    home = writeHome();
    writeFileSync(path.join(home, files.codex), written.replaceAll(before, home));
    expect(await actions('--check')).toEqual({ 'kit codex': 'same' });
    expect(await actions()).toEqual({ 'kit codex': 'adopt' });
    expect(await actions()).toEqual({ 'kit codex': 'same' });
  });

  it('takes secrets from the store, then from variables, and names missing ones', async () => {
    writeSet({
      scope: 'user',
      clients: ['cursor'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: names of a set.
      servers: { kit: { server: '.', env: { TOKEN: '${MY_TOKEN}', TEXT: '$${MY_TOKEN}' } } },
    });
    const missing = await sync();
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain(
      '"kit" needs the value of MY_TOKEN. Store it with: agenttools secret set MY_TOKEN.',
    );
    expect(texts()).toEqual(originals);
    const written = () => JSON.parse(text('cursor')).mcpServers.kit.env;
    await run(['sync', '--no-verify'], { MY_TOKEN: 's3cret' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor, and an escaped name.
    expect(written()).toMatchObject({ TOKEN: '${env:MY_TOKEN}', TEXT: '${MY_TOKEN}' });
    expect(await actions('--check')).toEqual({ 'kit cursor': 'same' });
    await runCli(['secret', 'set', 'MY_TOKEN'], { home, cwd, stdin: 'stored' });
    expect(await actions('--check')).toEqual({ 'kit cursor': 'update' });
    expect((await sync()).code).toBe(0);
    expect(written()).toMatchObject({ TOKEN: 'secret:MY_TOKEN' });
    expect(await actions('--check')).toEqual({ 'kit cursor': 'same' });
  });

  it('writes references of the client for variables, and their values only where it has none', async () => {
    writeSet({
      scope: 'user',
      clients: five,
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: names of a set.
      servers: {
        kit: { server: '.', env: { KEY: '${env:KEY}', B: '$B', MIX: 'a-${KEY}', C: '$$C', OTHER: '${KEY}' } },
        remote: {
          server: 'https://mcp.example.com/mcp',
          headers: { Authorization: 'Bearer ${KEY}', 'X-Key': 'k-${KEY}' },
          clients: ['cursor', 'codex'],
        },
      },
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: names of a set.
    });
    const { code, stderr } = await run(['sync', '--no-verify'], { KEY: 's3cret', B: 'b1' });
    expect(code).toBe(0);
    const { kit, remote } = JSON.parse(text('cursor')).mcpServers;
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: references of Cursor and Visual Studio Code.
    const expected = { KEY: '${env:KEY}', B: '${env:B}', MIX: 'a-${env:KEY}', C: '$C', OTHER: '${env:KEY}' };
    expect(kit.env).toMatchObject(expected);
    expect(remote.headers).toEqual({ Authorization: 'Bearer ${env:KEY}', 'X-Key': 'k-${env:KEY}' });
    const { servers, inputs } = JSON.parse(text('vscode').replace(/\/\/.*/g, ''));
    expect(servers.kit.env).toMatchObject({ MIX: 'a-${input:kit_KEY}', OTHER: '${input:kit_KEY}' });
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: references of Cursor and Visual Studio Code.
    expect(inputs.map(({ id }: { id: string }) => id)).toEqual(['kit_KEY', 'kit_B']);
    // Codex gives a variable neither another name nor a part of a text.
    expect(text('codex')).toContain('env_vars = ["KEY", "B"]');
    expect(text('codex')).toContain('OTHER = "s3cret"');
    expect(text('codex')).toContain('bearer_token_env_var = "KEY"');
    expect(JSON.parse(text('desktop')).mcpServers.kit.env).toMatchObject({ KEY: 's3cret', B: 'b1' });
    for (const told of [
      '"kit" in Cursor: OTHER is a reference. Set KEY in the environment that Cursor starts from.',
      '"kit" in Claude Desktop: KEY is in the file in clear text, since Claude Desktop has no reference for it. To keep it in the secret store: agenttools secret set KEY, then sync again.',
    ])
      expect(stderr).toContain(told);
  });

  const clearText: readonly [string, Readonly<Record<string, unknown>>, string, string][] = [
    ['a variable', { server: '.', env: { API_KEY: 'hunter2' } }, 'The variable API_KEY', 'API_KEY'],
    [
      'a header',
      { server: 'https://h.example/mcp', headers: { Authorization: 'Bearer hunter2' } },
      'The header Authorization',
      'TOKEN',
    ],
    ['an argument', { server: 'npm:@acme/mcp', args: ['--token', 'hunter2'] }, 'The argument', 'TOKEN'],
    ['a word of a command', { command: ['node', 's.js', '--api-key=hunter2'] }, 'The argument', 'API_KEY'],
    ['an address', { server: 'https://h.example/mcp?key=hunter2' }, 'The address', 'KEY'],
    ['an option', { server: '.', toolOptions: ['search.apiKey=hunter2'] }, 'The argument', 'SEARCH_APIKEY'],
  ];
  it.each(clearText)(
    'refuses a secret in %s, copies it nowhere, and writes the other servers',
    async (_, server, what, name) => {
      writeSet({ scope: 'user', clients: ['cursor', 'codex'], servers: { clear: server, kit } });
      const message = `${what} holds a secret in clear text, so nothing is written. Write "\${${name}}" instead, and store the value: agenttools secret set ${name}.`;
      const checked = await sync('--check');
      expect(checked.code).toBe(1);
      expect(checked.stdout).toMatch(/^refused {2}"clear" in Cursor, Codex: .*agenttools\.json:1:\d+: /);
      expect(checked.stdout).toContain(message);
      const { code, stdout, stderr } = await sync('--json');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
      expect(JSON.parse(text('cursor')).mcpServers).toHaveProperty('kit');
      const data = path.join(home, 'agenttools');
      const written = readdirSync(data, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ parentPath, name: file }) => readFileSync(path.join(parentPath, file), 'utf8'));
      expect([...written, ...Object.values(texts()), checked.stdout, stdout, stderr].join()).not.toContain(
        'hunter2',
      );
    },
  );

  it('writes a text that only looks like a secret, if the set allows it', async () => {
    const server = { ...kit, env: { API_KEY: 'none' }, allowFindings: ['literal-secret'] };
    writeSet({ scope: 'user', clients: ['cursor'], servers: { kit: server } });
    expect((await sync()).code).toBe(0);
    expect(JSON.parse(text('cursor')).mcpServers.kit.env.API_KEY).toBe('none');
  });

  it('is written to files of its project, with references for secrets', async () => {
    writeSet({
      clients: ['cursor', 'claude-desktop'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a name of a set.
      servers: { kit: { server: '.', env: { TOKEN: '${MY_TOKEN}' } } },
    });
    const { code, stderr } = await run(['sync', '--no-verify'], { MY_TOKEN: 's3cret' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'error: "kit" in Claude Desktop: Claude Desktop has no config file for projects',
      ),
    });
    const written = readFileSync(path.join(cwd, '.cursor/mcp.json'), 'utf8');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor.
    expect(JSON.parse(written).mcpServers.kit.env.TOKEN).toBe('${env:MY_TOKEN}');
    expect(written).not.toContain('s3cret');
    expect(texts()).toEqual(originals);
    expect((await sync('--check', '--to', 'cursor')).code).toBe(0);
  });

  it('reports clients that are not on the machine, keys that clients refuse, and unreadable files', async () => {
    writeFileSync(path.join(home, files.codex), '[broken');
    writeSet({ scope: 'user', clients: ['windsurf', 'cursor', 'codex'], servers: { 'a b': kit } });
    const { code, stderr } = await sync();
    expect(code).toBe(1);
    expect(stderr).toContain('"a b" in Windsurf: Windsurf was not found on this machine.');
    expect(stderr).toContain('error: "a b" in Cursor: "a b" cannot be the key of an entry');
    writeSet({ scope: 'user', clients: ['cursor', 'codex'], servers: { kit } });
    expect((await sync()).stderr).toMatch(/kit +add +refused\nerror: "kit" in Codex: .*config\.toml:1:/);
  });

  it.each([
    ['{', /agenttools\.json:1:2: /],
    ['[]', /agenttools\.json:1:1: It does not hold an object/],
    ['{ "servers": { "a": { "sever": "x" } } }', /agenttools\.json:1:\d+: .*sever/],
    ['{ "servers": { "a": { "server": "x", "env": { "A": 1 } } } }', /agenttools\.json:1:\d+: .*"A"/],
    ['{ "servers": { "a": { "server": "x" } } }', /agenttools\.json:1:21: No client gets "a"/],
    ['{ "clients": ["nope"], "servers": { "a": { "server": "x" } } }', /There is no client "nope"/],
  ])('is refused with the position of its fault: %s', async (content, message) => {
    writeFileSync(path.join(cwd, 'agenttools.json'), content);
    const { code, stderr } = await sync();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
  });

  it('is looked for in this folder, then in the data folder', async () => {
    expect((await sync()).stderr).toContain('There is no server set');
    mkdirSync(path.join(home, 'agenttools'));
    writeFileSync(
      path.join(home, 'agenttools/agenttools.json'),
      JSON.stringify({ clients: ['cursor'], servers: { kit: { server: cwd } } }),
    );
    expect(await actions()).toEqual({ 'kit cursor': 'add' });
    expect(JSON.parse(text('cursor')).mcpServers.kit).toBeDefined();
  });
});

describe('another client as the source', () => {
  const source = {
    files: { command: 'npx', args: ['-y', 'files', '/tmp'] },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor.
    gh: { command: 'gh-mcp', env: { GITHUB_TOKEN: '${env:GITHUB_TOKEN}', HOST: 'x' } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor.
    remote: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer ${env:API_KEY}' } },
  };
  const writeSource = (servers: object) =>
    writeFileSync(path.join(home, files.cursor), JSON.stringify({ mcpServers: servers }));
  const from = (...words: readonly string[]) =>
    run(['sync', '--from', 'cursor', '--to', 'vscode,codex,goose', ...words]);

  it('is translated into each dialect, followed, and taken back to the byte', async () => {
    writeSource(source);
    const { code, stderr } = await from();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Changed 9 entries.') });
    expect(text('codex')).toContain('env_vars = ["GITHUB_TOKEN"]');
    expect(text('codex')).toContain('bearer_token_env_var = "API_KEY"');
    expect(text('goose')).toContain('env_keys:\n      - GITHUB_TOKEN');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Visual Studio Code.
    expect(text('vscode')).toContain('"GITHUB_TOKEN": "${input:gh_GITHUB_TOKEN}"');
    expect((await from('--check')).stdout).toBe('In sync: 9 entries.\n');
    writeSource({ ...source, files: { command: 'npx', args: ['-y', 'files', '/home'] }, gh: undefined });
    expect((await from()).stderr).toMatch(
      /gh +remove +remove +remove\nfiles +update +update +update\nremote +same +same +same\n/,
    );
    writeSource({});
    await from();
    const { cursor: _, ...others } = texts();
    const { cursor: __, ...expected } = originals;
    expect(others).toEqual(expected);
  });

  it('refuses entries that a client cannot express, names the reason, and writes the others', async () => {
    writeSource({
      ...source,
      odd: { command: 'odd', timeout: 5, disabled: false },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor.
      other: { command: 'x', env: { TOKEN: '${env:GITHUB_TOKEN}' } },
    });
    const { code, stderr } = await run(['sync', '--from', 'cursor', '--to', 'claude-desktop,codex']);
    expect(code).toBe(1);
    for (const told of [
      '"gh" in Claude Desktop: Claude Desktop has no references, and GITHUB_TOKEN is one.',
      '"remote" in Claude Desktop: Claude Desktop reaches no remote servers by its file.',
      '"odd" in Codex: Codex has no equal for "timeout" of Cursor. Write the entry without: --leave-out timeout',
      '"other" in Codex: Codex cannot give the variable GITHUB_TOKEN to the server as TOKEN.',
    ])
      expect(stderr).toContain(told);
    expect(stderr).toMatch(/files +add +add\n/);
    expect(text('codex')).not.toContain('odd');
    const again = await run(['sync', 'odd', '--from', 'cursor', '--to', 'codex', '--leave-out', 'timeout']);
    expect(again.code).toBe(0);
    expect(text('codex')).toContain('command = "odd"');
  });

  it('does not touch foreign entries with the same key, and never the source', async () => {
    writeSource({ mine: { command: 'a' } });
    const before = text('cursor');
    const theirs = `${originals.codex}[mcp_servers.mine]\ncommand = "b"\n`;
    writeFileSync(path.join(home, files.codex), theirs);
    const { code, stderr } = await run(['sync', '--from', 'cursor', '--to', 'codex,cursor']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: "mine" in Codex: It is not from AgentTools. Overwrite it with: agenttools sync mine --from cursor --to codex --force',
    );
    expect([text('cursor'), text('codex')]).toEqual([before, theirs]);
    await run(['sync', '--from', 'cursor', '--to', 'codex', '--force']);
    expect(text('codex')).toContain('command = "a"');
    await run(['undo']);
    expect(text('codex')).toBe(theirs);
  });

  it('keeps the record of servers that AgentTools installed', async () => {
    await run(['install', 'cursor', '.', '--no-verify']);
    await run(['sync', 'kit', '--from', 'cursor', '--to', 'codex']);
    const { stdout } = await run(['list-installed', '--json']);
    expect(JSON.parse(stdout).map(({ server, client }: Record<string, string>) => [client, server])).toEqual(
      expect.arrayContaining([
        ['codex', '@acme/kit/kit'],
        ['cursor', '@acme/kit/kit'],
      ]),
    );
  });

  it.each([
    [['--from', 'cursor'], 2, 'Which clients get the servers?'],
    [['--from', 'cursor', '--to', 'codex', '--file', 'x'], 2, '--file names a set'],
    [['--project'], 2, '--project and --leave-out go with --from'],
    [['nope', '--from', 'cursor', '--to', 'codex'], 1, 'Cursor has no entry "nope"'],
  ] as const)('refuses %j', async (words, exitCode, message) => {
    const { code, stderr } = await run(['sync', ...words]);
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(message) });
  });
});

describe('export', () => {
  it('takes the servers of an old machine to a new one, without secrets', async () => {
    const old = home;
    await run([
      'install',
      'cursor,codex,vscode',
      '.',
      '--no-verify',
      '--env',
      'API_KEY=s3cret',
      '--env',
      'A=1',
    ]);
    await run([
      'install',
      'goose',
      'https://mcp.example.com/mcp',
      '--no-verify',
      '--name',
      'remote',
      '--header',
      'Authorization: Bearer t0ken-value',
    ]);
    const exported = await run(['export', '--out', 'agenttools.json']);
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    expect(exported.stderr).toContain('sync needs the values of: API_KEY, TOKEN');
    const written = readFileSync(path.join(cwd, 'agenttools.json'), 'utf8');
    expect(written).not.toMatch(/s3cret|t0ken/);
    expect(JSON.parse(written)).toEqual({
      scope: 'user',
      servers: {
        kit: {
          server: './kit',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a name of a set.
          env: { API_KEY: '${API_KEY}', A: '1' },
          clients: ['codex', 'cursor', 'vscode'],
        },
        remote: {
          server: 'https://mcp.example.com/mcp',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a name of a set.
          headers: { Authorization: 'Bearer ${TOKEN}' },
          clients: ['goose'],
        },
      },
    });
    expect((await run(['sync', '--check'])).stdout).toBe('In sync: 4 entries.\n');
    home = writeHome();
    const secrets = { API_KEY: 's3cret', TOKEN: 't0ken-value' };
    expect((await run(['sync', '--no-verify'], secrets)).code).toBe(0);
    const moved = (folder: string, content: string) => content.replaceAll(folder, '~');
    const entry = (folder: string) => {
      const content = readFileSync(path.join(folder, files.cursor), 'utf8');
      return JSON.parse(moved(folder, content)).mcpServers.kit;
    };
    const { env, ...before } = entry(old);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor.
    expect(entry(home)).toEqual({ ...before, env: { ...env, API_KEY: '${env:API_KEY}' } });
    for (const name of ['codex', 'goose', 'vscode'] as const) expect(text(name)).not.toMatch(/s3cret|t0ken/);
    expect((await run(['sync', '--check'])).stdout).toBe('In sync: 4 entries.\n');
  });

  it('describes entries of other programs with --foreign, and names what is lost', async () => {
    writeFileSync(
      path.join(home, files.cursor),
      JSON.stringify({
        mcpServers: {
          gh: {
            command: 'gh-mcp',
            args: ['--api-key', 'k3y-0123456789'],
            // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Cursor.
            env: { T: '${env:GH}', PASSWORD: 'hunter2' },
            timeout: 5,
          },
          off: { command: 'x', disabled: true },
        },
      }),
    );
    const { stdout, stderr } = await run(['export', '--foreign', '--from', 'cursor']);
    expect(JSON.parse(stdout)).toEqual({
      scope: 'user',
      clients: ['cursor'],
      servers: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: names of a set.
        gh: { command: ['gh-mcp', '--api-key', '${API_KEY}'], env: { T: '${GH}', PASSWORD: '${PASSWORD}' } },
      },
    });
    expect(stderr).toContain('"gh" in Cursor has settings that a set cannot express: timeout.');
    expect(stderr).toContain('"off" in Cursor is turned off');
  });

  it('reports servers that differ between clients, and does not replace a file', async () => {
    await run(['install', 'cursor', '.', '--no-verify']);
    await run(['install', 'codex', '.', '--no-verify', '--env', 'A=1']);
    const { stderr, code } = await run(['export', '--out', 'set.json']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/"kit" differs between .* and .*/),
    });
    expect(await run(['export', '--out', 'set.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--force'),
    });
    expect((await run(['export', 'nope'])).stderr).toContain('No entry "nope" is installed');
  });
});
