import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareServer } from '../../../src/engine/serve/prepare-server.js';
import { PackageWatch } from '../../../src/engine/server/package-watch.js';
import { createServer } from '../../../src/engine/server/running-server.js';
import { makeKitHome } from '../../support/added-packages.js';
import { type Files, packageJson } from '../../support/packages.js';
import { eventually, type Message } from '../../support/program.js';
import { legacy, modern, openPipe, type Pipe } from '../support/pipe.js';

let ending: AbortController;

beforeEach(() => {
  ending = new AbortController();
});

afterEach(() => ending.abort());

const version = (number: number): Files => ({
  'package.json': packageJson({ servers: ['main'], tools: ['tell'] }, { version: `${number}.0.0` }),
  'agenttools/servers/main.json': { tools: '*' },
  'agenttools/tools/tell.json': { description: `Tells ${number}.`, handler: './code.js#tell' },
  'code.js': `export const tell = () => 'version ${number}';`,
});

async function answerTo({ send, received }: Pipe, message: Message): Promise<Message> {
  send(message);
  const find = () => received.find(({ id, method }: Message) => id === message.id && !method) as Message;
  await eventually(() => find() !== undefined, `the answer to ${message.method}`);
  return find().result;
}

describe('a package that is installed while its server runs', () => {
  it.each(['legacy', 'modern'] as const)('is watched for updates, %s', async (era) => {
    const { home, put } = makeKitHome();
    const reported: string[] = [];
    const obtain = async () => {
      await put(version(1));
      return new Map<string, string>();
    };
    const host = { cwd: home, env: { AGENTTOOLS_HOME: home }, home, platform: process.platform };
    const served = await prepareServer(
      { server: '@acme/kit/main', strict: false, obtain },
      { host, report: (line) => void reported.push(line), signal: ending.signal },
    );
    const connect = async () => {
      const pipe = openPipe({ createServer: (era) => createServer(served, era) });
      const { capabilities } =
        era === 'legacy'
          ? ((await pipe.initialize()) as Message).result
          : await answerTo(pipe, modern('d', 'server/discover'));
      return { pipe, capabilities };
    };
    const request = era === 'legacy' ? legacy : modern;
    const { pipe } = await connect();
    const list = async (id: string) => (await answerTo(pipe, request(id, 'tools/list'))).tools[0].description;
    if (era === 'modern')
      pipe.send(modern('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    const changes = () =>
      pipe.received.filter(({ method }: Message) => method === 'notifications/tools/list_changed');
    expect(await list('first')).toBe('Tells 1.');
    const before = changes().length;
    await put(version(2));
    await eventually(() => changes().length > before, 'the notification');
    expect(await list('second')).toBe('Tells 2.');
    expect(reported).toEqual(['Updated while served: @acme/kit.']);
    expect((await connect()).capabilities.tools).toEqual({ listChanged: true });
  });
});

it('reports an update that came before the watch', async () => {
  const { home, put } = makeKitHome();
  await put(version(2));
  const updates: (readonly string[])[] = [];
  const watch = new PackageWatch({
    packagesFolder: path.join(home, 'packages/node_modules'),
    onUpdate: async (names) => void updates.push(names),
    signal: ending.signal,
  });
  watch.watch(new Map([['@acme/kit', path.join(home, 'version-1')]]));
  await eventually(() => updates.length > 0, 'the update');
  expect(updates).toEqual([['@acme/kit']]);
});
