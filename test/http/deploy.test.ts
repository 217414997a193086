import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { blocks } from '../docs/support/pages.js';
import { connectHttp, modernRequest } from '../support/http-client.js';
import { packageJson, writeFolder } from '../support/packages.js';
import { type Message, root } from '../support/program.js';

/** What the page says to write, beside packages of the names that it imports. */
let folder: string;

beforeAll(() => {
  const files = blocks.flatMap(({ language, words, text }) =>
    words.deploy && language === 'js' ? [[words.deploy, text] as const] : [],
  );
  expect(files.map(([file]) => file)).toEqual(['bus.js', 'node.js', 'express.js', 'edge.js']);
  folder = writeFolder({
    'package.json': { type: 'module' },
    ...Object.fromEntries(files),
    'node_modules/@acme/weather/package.json': packageJson({ tools: ['sky'] }, { name: '@acme/weather' }),
    'node_modules/@acme/weather/agenttools/tools/sky.js':
      "export default { description: 'Tells the sky.', handler: () => 'blue' };",
    'node_modules/redis/package.json': { type: 'module', exports: './index.js' },
    'node_modules/redis/index.js': `const channels = new Map();
      const client = () => ({
        on: client,
        connect: async () => client(),
        publish: async (channel, text) => { for (const tell of channels.get(channel) ?? []) tell(text); },
        subscribe: async (channel, tell) => { channels.set(channel, [...(channels.get(channel) ?? []), tell]); },
      });
      export const createClient = client;`,
  });
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, path.join(folder, 'node_modules/agenttools'));
  // Both come with the first official SDK.
  for (const name of ['express', '@hono']) {
    symlinkSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name));
  }
});

const load = async (file: string): Promise<Message> =>
  (await import(/* @vite-ignore */ pathToFileURL(path.join(folder, file)).href)).default;

describe('the page about deploying', () => {
  test('makes a bus that reaches every process', async () => {
    const redisBus = await load('bus.js');
    const [here, there] = [await redisBus(), await redisBus()];
    const heard: string[] = [];
    const leave = here.subscribe(({ kind }: Message) => heard.push(`here: ${kind}`));
    there.subscribe(({ kind }: Message) => heard.push(`there: ${kind}`));
    here.publish({ kind: 'tools_list_changed' });
    leave();
    here.publish({ kind: 'prompts_list_changed' });
    await expect
      .poll(() => heard)
      .toEqual(['here: tools_list_changed', 'there: tools_list_changed', 'there: prompts_list_changed']);
  });

  test('serves a package in Node', async () => {
    vi.stubEnv('TOKEN', 'sesame');
    vi.stubEnv('STATE_SECRET', 'a secret of thirty-two characters');
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    const { fetch } = await load('node.js');
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    const headers = { host: 'mcp.example.com', authorization: 'Bearer sesame' };
    const url = 'https://mcp.example.com/mcp';
    const response = await fetch(modernRequest(url, 'tools/call', { name: 'sky' }, headers));
    expect(((await response.json()) as Message).result.content[0].text).toBe('blue');
    expect((await fetch(modernRequest(url, 'tools/list', {}, { host: 'mcp.example.com' }))).status).toBe(401);
    await fetch.close();
  });

  test('serves a package in Express', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    const { app } = await import(/* @vite-ignore */ pathToFileURL(path.join(folder, 'express.js')).href);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = await connectHttp(`http://127.0.0.1:${server.address().port}/mcp`, { mode: 'pinned' });
    const { content } = (await client.callTool({ name: 'sky' })) as Message;
    expect(content[0].text).toBe('blue');
    await client.close();
    server.closeAllConnections();
    server.close();
    vi.restoreAllMocks();
  });

  test('serves a definition without Node', async () => {
    const { fetch } = await load('edge.js');
    const headers = { host: 'dice.example.com' };
    const response = await fetch(
      modernRequest('https://dice.example.com/', 'tools/call', { name: 'roll', arguments: {} }, headers),
    );
    expect(((await response.json()) as Message).result.content[0].text).toMatch(/^[1-6]$/);
    await fetch.close();
  });
});
