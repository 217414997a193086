import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocks } from '../docs/support/pages.js';
import { fetchByTls, findDaemon, freePorts, startDaemon, writeCertificate } from '../support/daemons.js';
import { connectHttp, envelope, type HttpClientOptions, modernRequest } from '../support/http-client.js';
import { startHttp } from '../support/http-program.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { type Message, programFile, root } from '../support/program.js';
import { writeTellingServer } from '../support/telling-server.js';

const host = 'mcp.example.com';
const url = `https://${host}/mcp`;
const authorization = 'Bearer sesame-open-0123456789';

/** What the page about deploying says to run, by the file that it is in. */
const configurations = new Map(
  blocks.flatMap(({ words, text }) => (words.deploy ? [[words.deploy, text] as const] : [])),
);

const areThere = ['nginx', 'haproxy', 'redis-server', 'openssl'].every(findDaemon);

describe.skipIf(!areThere)('proxies as the page about deploying sets them up', () => {
  let folder: string;
  let processes: readonly [number, number];

  /** A file of the page, for a folder and ports of this test. */
  const written = (file: string, { front = 0, one = 0 } = {}): string =>
    configurations
      .get(file)!
      .replace(/(?<=listen )443/, `127.0.0.1:${front}`)
      .replace(/(?<=bind ):443/, `127.0.0.1:${front}`)
      .replace(/\b3000\b/g, String(one))
      .replace(/\b3001\b/g, String(processes[0]))
      .replace(/\b3002\b/g, String(processes[1]))
      .replaceAll('/etc/ssl', folder);

  /** What starts each proxy, beside its file. */
  const proxies: Readonly<Record<string, (file: string) => readonly [string, ...string[]]>> = {
    nginx: (file) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const http = [
        'access_log off;',
        ...temporary.map((what) => `${what}_temp_path ${file}-${what};`),
        `include ${file};`,
      ];
      const main = `daemon off; master_process off; pid ${file}.pid; error_log stderr; events {} http { ${http.join(' ')} }`;
      addFiles(folder, { [`${file}-main`]: main });
      return ['nginx', '-e', 'stderr', '-p', folder, '-c', `${file}-main`];
    },
    haproxy: (file) => ['haproxy', '-db', '-f', file],
  };

  /** Runs a proxy with a file of the page; what sends requests through it. */
  async function startAs(proxy: string, file: string, one?: number) {
    const [front] = (await freePorts(1)) as [number];
    addFiles(folder, { [file]: written(file, { front, ...(one !== undefined && { one }) }) });
    await startDaemon(proxies[proxy]!(file), { cwd: folder, ports: [front] });
    return fetchByTls(front, path.join(folder, `${host}.pem`));
  }

  beforeAll(async () => {
    folder = writeFolder({ 'bus.js': configurations.get('bus.js') });
    writeCertificate(folder, host);
    symlinkSync(writeTellingServer(), path.join(folder, 'plugin'));
    for (const inside of ['node_modules', 'bin']) mkdirSync(path.join(folder, inside));
    symlinkSync(path.join(root, 'node_modules/redis'), path.join(folder, 'node_modules/redis'));
    symlinkSync(programFile, path.join(folder, 'bin/agenttools'));

    const [redis, one, two] = (await freePorts(3)) as [number, number, number];
    processes = [one, two];
    const store = ['redis-server', '--bind', '127.0.0.1', '--port', String(redis), '--save', ''] as const;
    await startDaemon(store, { cwd: folder, ports: [redis] });
    await startDaemon(['bash', '-c', `${written('processes.sh')}\nwait`], {
      cwd: folder,
      env: {
        PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH].join(
          path.delimiter,
        ),
        REDIS_URL: `redis://127.0.0.1:${redis}`,
        TOKEN: 'sesame-open-0123456789',
      },
      ports: processes,
    });
  });

  const textOf = (result: unknown): string => (result as Message).content[0].text;

  test('one lets everything through that the server takes', async () => {
    const { port } = await startHttp(path.join(folder, 'plugin'), {
      flags: ['--allowed-host', host, '--token-env', 'TOKEN'],
      env: { TOKEN: 'sesame-open-0123456789' },
    });
    const fetch = await startAs('nginx', 'one.conf', port);
    const call = async (padding: string, headers: Readonly<Record<string, string>>) =>
      (await fetch(modernRequest(url, 'tools/call', { name: 'pid', arguments: { padding } }, headers)))
        .status;
    const almostFull = 'x'.repeat(4 * 1024 * 1024 - 1000);
    expect(await call(almostFull, { authorization })).toBe(200);
    expect(await call('', {})).toBe(401);

    const client = await connectHttp(url, { mode: 'legacy', fetch, headers: { authorization } });
    expect(textOf(await client.callTool({ name: 'visits' }))).toBe('1');
  });

  describe.each([
    ['nginx', 'several.conf'],
    ['haproxy', 'haproxy.cfg'],
  ])('%s', (proxy, file) => {
    let fetch: Awaited<ReturnType<typeof startAs>>;
    let connect: (options: HttpClientOptions) => ReturnType<typeof connectHttp>;

    beforeAll(async () => {
      fetch = await startAs(proxy, file);
      connect = async (options) => await connectHttp(url, { ...options, fetch, headers: { authorization } });
    });

    test('spreads requests of 2026-07-28, and questions go on in the other process', async () => {
      const client = await connect({
        mode: 'pinned',
        client: { capabilities: { elicitation: { form: {} } } },
        answers: {
          'elicitation/create': ({ message }) => ({ action: 'accept', content: { value: `${message}!` } }),
        },
      });
      const pids = [await client.callTool({ name: 'pid' }), await client.callTool({ name: 'pid' })].map(
        textOf,
      );
      expect(new Set(pids).size).toBe(2);
      // Three rounds, the last of which the first one's process takes again.
      expect(textOf(await client.callTool({ name: 'trip' }))).toBe('to?! by by?! true');
    });

    test('carries notifications of either process to every listener, in both eras', async () => {
      const heard: string[] = [];
      const listen = (name: string): Pick<HttpClientOptions, 'prepare'> => ({
        prepare: (client) =>
          client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push(name)),
      });
      const listener = await connect({ mode: 'pinned', ...listen('new') });
      const subscription = await listener.listen({ toolsListChanged: true });
      await connect({ mode: 'legacy', ...listen('old') });
      const tellers = new Set([
        textOf(await listener.callTool({ name: 'tick' })),
        textOf(await listener.callTool({ name: 'tick' })),
      ]);
      expect(tellers.size).toBe(2);
      await expect.poll(() => [...heard].sort(), { timeout: 20_000 }).toEqual(['new', 'new', 'old', 'old']);
      await subscription.close();
    });

    // Nginx cannot, as the page says.
    if (proxy === 'haproxy')
      test('leads what is asked of a task to where it is', async () => {
        const ask = async (method: string, params: Message, headers: Readonly<Record<string, string>>) => {
          const clientCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
          const _meta = { ...envelope, 'io.modelcontextprotocol/clientCapabilities': clientCapabilities };
          const request = modernRequest(url, method, { ...params, _meta }, { authorization, ...headers });
          return ((await (await fetch(request)).json()) as Message).result;
        };
        for (const _ of ['one', 'two']) {
          const { taskId } = await ask('tools/call', { name: 'errand' }, {});
          for (const _again of ['one', 'two', 'three'])
            expect(await ask('tasks/get', { taskId }, { 'mcp-name': taskId })).toMatchObject({ taskId });
        }
      });

    test('leads sessions of 2025-11-25 to where they are', async () => {
      const clients = [await connect({ mode: 'legacy' }), await connect({ mode: 'legacy' })];
      for (const expected of ['1', '2', '3']) {
        for (const client of clients)
          expect(textOf(await client.callTool({ name: 'visits' }))).toBe(expected);
      }
    });
  });
});
