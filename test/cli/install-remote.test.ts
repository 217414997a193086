import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';

let home: string;

beforeEach(() => {
  home = writeFolder();
});

interface Remote {
  readonly origin: string;
  /** Values of the header X-Key in all requests. */
  readonly keys: (string | undefined)[];
}

/**
 * A server on 127.0.0.1: Streamable HTTP at /mcp, the older transport at /sse, one that wants a sign-in at /login, and
 * one with an invalid tool at /faulty.
 */
async function startRemote(): Promise<Remote> {
  const keys: (string | undefined)[] = [];
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    keys.push(request.headers['x-key'] as string | undefined);
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await text(request);
    if (pathname === '/login') return void response.writeHead(401).end();
    if (pathname === '/sse' && request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void stream.write('event: endpoint\ndata: /messages\n\n');
    }
    const isFaulty = pathname === '/faulty';
    const answer = request.method === 'POST' ? answerTo(body, isFaulty) : undefined;
    if (pathname === '/messages') {
      response.writeHead(202).end();
      return void (answer && stream?.write(`event: message\ndata: ${answer}\n\n`));
    }
    if ((pathname !== '/mcp' && !isFaulty) || request.method !== 'POST')
      return void response.writeHead(405).end();
    if (answer === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

/** A port that no program listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** The answer to a message; undefined for a notification. */
function answerTo(body: string, isFaulty: boolean): string | undefined {
  const { id, method } = JSON.parse(body);
  if (id === undefined) return undefined;
  const result =
    method === 'initialize'
      ? {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'tickets', version: '1.0.0' },
        }
      : {
          tools: [
            { name: 'find', inputSchema: { type: 'object' } },
            ...(isFaulty ? [{ name: 'bad', inputSchema: 1 }] : []),
          ],
        };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

const run = async (words: readonly string[], env: Record<string, string> = {}) =>
  await runCli(words, { home, cwd: home, env: { PATH: process.env.PATH ?? '', ...env } });

const json = (file: string) => JSON.parse(readFileSync(path.join(home, file), 'utf8'));

describe('install of a URL', () => {
  test('asks the server, writes its address, and uninstall gives the bytes back', async () => {
    const { origin, keys } = await startRemote();
    const words = ['install', 'cursor', `${origin}/mcp`, '--name', 'tickets', '--header', 'X-Key: abc'];
    const { code, stderr } = await run(words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(`Installed ${origin}/mcp in Cursor as "tickets"`);
    expect(keys).toContain('abc');
    expect(json('.cursor/mcp.json')).toEqual({
      mcpServers: { tickets: { url: `${origin}/mcp`, headers: { 'X-Key': 'abc' } } },
    });
    const { stdout } = await run(['list-installed', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ server: `${origin}/mcp`, state: 'intact' }]);
    expect((await run(['uninstall', 'cursor', `${origin}/mcp`])).code).toBe(0);
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
  });

  test('finds out the older transport', async () => {
    const { origin } = await startRemote();
    await run(['install', 'claude-code', `${origin}/sse`, '--name', 'old']);
    expect(json('.claude.json').mcpServers.old).toEqual({ type: 'sse', url: `${origin}/sse` });
  });

  test('writes an entry through AgentTools for a client that cannot reach the server', async () => {
    const { origin, keys } = await startRemote();
    const words = (client: string) => ['install', client, `${origin}/sse`, '--name', 'far'];
    const { code, stderr } = await run([...words('codex'), '--header', 'X-Key: abc']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('since Codex cannot reach it directly.');
    const toml = readFileSync(path.join(home, '.codex/config.toml'), 'utf8');
    expect(toml).toContain(
      `"start", "--transport", "sse", "--header-env", "X-Key=MCP_X_KEY", "${origin}/sse"`,
    );
    expect(toml).toContain('MCP_X_KEY = "abc"');
    expect(keys.filter((key) => key === 'abc').length).toBeGreaterThan(1);
    expect((await run(['uninstall', 'codex', 'far'])).code).toBe(0);

    expect((await run(words('claude-desktop'))).code).toBe(0);
    const { args } = json('.config/Claude/claude_desktop_config.json').mcpServers.far;
    expect(args.slice(1)).toEqual(['start', '--transport', 'sse', `${origin}/sse`]);
  });

  test('writes an entry through AgentTools for chosen and renamed tools', async () => {
    const { origin } = await startRemote();
    const words = ['install', 'cursor', `${origin}/mcp`, '--name', 'far', '--rename', 'find=search'];
    expect((await run([...words, '--only', 'find', '--prefix', 'x_'])).code).toBe(0);
    expect(json('.cursor/mcp.json').mcpServers.far.args.slice(1)).toEqual([
      'start',
      '--only',
      'find',
      '--prefix',
      'x_',
      '--rename',
      'find=search',
      '--transport',
      'http',
      `${origin}/mcp`,
    ]);
    const { code, stderr } = await run([...words, '--only', 'fnid', '--force']);
    expect(code).toBe(1);
    expect(stderr).toContain('has no tool "fnid". Did you mean "find"?\nCorrect the names in --only');
  });

  test('names an invalid tool that clients refuse, which validate and call find without the transport', async () => {
    const { origin } = await startRemote();
    const installed = await run(['install', 'cursor', `${origin}/faulty`]);
    expect(installed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'Most clients refuse all tools of this server, because some are invalid: bad: inputSchema is not a schema with "type": "object".',
      ),
    });
    const adapted = await run(['install', 'cursor', `${origin}/faulty`, '--adapt', '--force']);
    expect(adapted.stderr).not.toContain('refuse');
    const checked = await run(['validate', `${origin}/faulty`, '--json']);
    expect(JSON.parse(checked.stdout).extensions[0].diagnostics).toContainEqual(
      expect.objectContaining({ code: 'invalid-input-schema', file: 'tool/bad#/inputSchema' }),
    );
    expect((await run(['call', `${origin}/faulty`])).stdout).toContain('find');
  });

  test('names the option to leave out its check, which call does not have', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/mcp`;
    const installed = await run(['install', 'cursor', url]);
    expect([installed.code, installed.stderr]).toEqual([1, expect.stringContaining('add --no-verify.')]);
    const called = await run(['call', url]);
    expect([called.code, called.stderr]).toEqual([
      1,
      expect.stringMatching(/ECONNREFUSED.*Check its address\. To reach .*: --transport http/),
    ]);
  });

  test('writes the address of a server that wants a sign-in for clients that sign in by themselves', async () => {
    const { origin } = await startRemote();
    const { code, stderr } = await run(['install', 'cursor', `${origin}/login`, '--name', 'login']);
    expect(code).toBe(0);
    expect(stderr).toContain('The server wants a sign-in. Cursor asks for it.');
    expect(json('.cursor/mcp.json').mcpServers.login).toEqual({ url: `${origin}/login` });
  });

  test('starts a server that wants a sign-in through AgentTools for other clients', async () => {
    const { origin } = await startRemote();
    const words = ['install', 'windsurf', `${origin}/login`, '--name', 'login', '--no-verify'];
    // Without the check, the sign-in is not known.
    expect((await run(words)).stderr).not.toContain('sign-in');
    const { code, stderr } = await run([...words.slice(0, -1), '--force', '--dry-run']);
    expect(code).toBe(0);
    expect(stderr).toContain(`The server wants a sign-in. Sign in with: agenttools login ${origin}/login`);
    expect(stderr).toContain('The entry starts the server through AgentTools, which signs in to it.');
  });

  test('writes nothing for a server that does not answer', async () => {
    const { origin } = await startRemote();
    for (const [url, reason] of [
      [`${origin}/none`, 'status 405'],
      [`http://127.0.0.1:${await closedPort()}/mcp`, 'ECONNREFUSED'],
    ] as const) {
      const { code, stderr } = await run(['install', 'cursor', url]);
      expect(code).toBe(1);
      expect(stderr).toContain(`The server at ${url} did not answer as an MCP server:`);
      expect(stderr).toContain(reason);
    }
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
  });

  test('keeps secret headers out of project files', async () => {
    const words = (client: string) => [
      ...['install', client, 'https://mcp.example.com/mcp', '--project', '--no-verify'],
      ...['--header', 'Authorization: Bearer s3cret', '--header', 'X-Team: one'],
    ];
    for (const client of ['vscode', 'codex', 'claude-code', 'kimi-code']) {
      const { code, stderr } = await run(words(client));
      expect({ client, code }).toEqual({ client, code: 0 });
      expect(stderr).toContain('The value is the part after "Bearer ".');
    }
    const files = ['.vscode/mcp.json', '.codex/config.toml', '.mcp.json', '.kimi-code/mcp.json'];
    const texts = files.map((file) => readFileSync(path.join(home, file), 'utf8'));
    for (const written of texts) expect(written).not.toContain('s3cret');
    expect(json('.vscode/mcp.json')).toMatchObject({
      servers: {
        example: {
          headers: { Authorization: expect.stringMatching(/^Bearer \$\{input:\w+\}$/), 'X-Team': 'one' },
        },
      },
      inputs: [{ password: true }],
    });
    expect(texts[1]).toContain('bearer_token_env_var = "EXAMPLE_AUTHORIZATION"');
    expect(json('.mcp.json').mcpServers.example.headers.Authorization).toBe(
      `Bearer \${EXAMPLE_AUTHORIZATION}`,
    );
    expect(json('.kimi-code/mcp.json').mcpServers.example).toEqual({
      transport: 'http',
      url: 'https://mcp.example.com/mcp',
      headers: { 'X-Team': 'one' },
      bearerTokenEnvVar: 'EXAMPLE_AUTHORIZATION',
    });
    const { code, stderr } = await run(words('amazon-q'));
    expect(code).toBe(1);
    expect(stderr).toContain('The header Authorization is a secret, and others may read this file.');
  });

  test('names a variable for a header that fx does not accept as text', async () => {
    const words = (value: string) => [
      ...['install', 'fx', 'https://mcp.example.com/mcp', '--name', 'kit', '--no-verify'],
      ...['--header', `Authorization: ${value}`, '--header', 'X-Key: abc'],
    ];
    const refused = await run(words('Basic YTpi'));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('fx takes the header Authorization only as "Bearer" and a token.');
    const { code, stderr } = await run(words('Bearer s3cret'));
    expect(code).toBe(0);
    expect(stderr).toContain('Set KIT_AUTHORIZATION in the environment that fx starts from.');
    expect(json('.fx/mcp.json').mcp.kit).toEqual({
      type: 'http',
      url: 'https://mcp.example.com/mcp',
      enabled: true,
      headers: { 'X-Key': 'abc' },
      bearer_token_env: 'KIT_AUTHORIZATION',
    });
  });

  test('notes headers that the client replaces, and those that are no longer set', async () => {
    const words = ['install', 'cursor', 'https://mcp.example.com/mcp', '--name', 'kit', '--no-verify'];
    const { stderr } = await run([...words, '--header', `X-Team: \${env:HOME}`, '--header', 'X-Region: eu']);
    expect(stderr).toContain(`Cursor will take "\${env:HOME}" in the header X-Team for a reference`);
    expect((await run(words)).stderr).toContain(
      'No longer set, because they were not given again: the header X-Team, the header X-Region.',
    );
  });

  test('refuses what only a program has', async () => {
    const { code, stderr } = await run([
      'install',
      'cursor',
      'https://mcp.example.com/mcp',
      '--env',
      'A=b',
      '--no-verify',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('Leave out --env and --cwd.');
  });
});

test('a remote entry of the MCP Registry asks for its headers', async () => {
  const { url } = await startMcpRegistry([
    registryEntry({
      name: 'io.github.acme/tickets',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{region}.acme.example/mcp',
          variables: { region: { default: 'eu' } },
          headers: [{ name: 'X-Key', isRequired: true, isSecret: true }],
        },
      ],
    }),
  ]);
  const env = { AGENTTOOLS_MCP_REGISTRY: url };
  const words = ['install', 'cursor', 'io.github.acme/tickets', '--no-verify'];
  expect((await run(words, env)).stderr).toContain('--header "X-Key: <value>" is missing.');
  expect((await run([...words, '--header', 'x-key: abc'], env)).code).toBe(0);
  expect(json('.cursor/mcp.json').mcpServers.tickets).toEqual({
    url: 'https://eu.acme.example/mcp',
    headers: { 'X-Key': 'abc' },
  });
});
