import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { type Connected, connect, revisions } from '../support/official-client.js';
import { writePackage } from '../support/packages.js';
import { openHere, serveHere } from '../support/serving-here.js';
import { modern } from './support/messages.js';

/** A vault whose lists go by what a session knows, and a clock that goes on when nobody asks. */
const build = () =>
  writePackage(
    {
      servers: ['vault', 'clock', 'stuck'],
      tools: ['unlock', 'open', 'tick', 'start'],
      resources: ['time', 'zone', 'maker'],
    },
    {
      'agenttools/tools/unlock.json': { description: 'Unlocks.', handler: './lib/vault.js#unlock' },
      'agenttools/tools/open.json': { description: 'Opens.', handler: './lib/vault.js#open', hidden: true },
      'agenttools/tools/tick.json': {
        description: 'Ticks.',
        input: { uri: { type: 'string', required: true } },
        handler: './lib/clock.js#tick',
      },
      'agenttools/tools/start.json': { description: 'Starts.', handler: './lib/clock.js#start' },
      'agenttools/resources/time.json': {
        uri: 'clock://time',
        read: './lib/clock.js#read',
        subscribable: true,
      },
      'agenttools/resources/zone.json': {
        uriTemplate: 'clock://zone/{name}',
        read: './lib/clock.js#read',
        list: './lib/clock.js#zones',
        subscribable: true,
      },
      'agenttools/resources/maker.json': { uri: 'clock://maker', text: 'Acme' },
      'agenttools/servers/vault.json': {
        tools: ['unlock', 'open', { use: 'catalog', hidden: true }],
        list: { tools: './lib/vault.js#tools' },
      },
      'agenttools/servers/clock.json': {
        tools: ['tick', 'start'],
        resources: '*',
        initialize: './lib/clock.js#initialize',
      },
      'agenttools/servers/stuck.json': {
        tools: ['unlock', 'open'],
        prompts: [
          { name: 'p', content: 'p' },
          { name: 'q', content: 'q', hidden: true },
        ],
        resources: ['maker'],
        list: {
          tools: './lib/vault.js#hang',
          prompts: './lib/vault.js#fail',
          resources: './lib/vault.js#rubbish',
        },
      },
      'lib/vault.js': `
      export const tools = (ctx, registry) =>
        registry.list({ includeHidden: ctx.session?.get('unlocked') === true });
      export function unlock(args, ctx) {
        ctx.session?.set('unlocked', true);
        ctx.notifyChanged('tools');
        return ctx.session ? 'unlocked' : 'no session';
      }
      export const open = () => 'gold';
      export const hang = () => new Promise(() => {});
      export const fail = () => { throw new Error('no luck'); };
      export const rubbish = () => ({ items: 'all of them' });
    `,
      'lib/clock.js': `
      let tell;
      const zones = [{ uri: 'clock://zone/Ostwick' }];
      export const initialize = ({ notifyChanged, notifyResourceUpdated }) => { tell = { notifyChanged, notifyResourceUpdated }; };
      export const tick = ({ uri }, ctx) => ctx.notifyResourceUpdated(uri);
      export const read = (uri) => 'now at ' + uri;
      export { list as zones };
      const list = () => zones;
      export function start() {
        setTimeout(() => {
          zones.push({ uri: 'clock://zone/Fell' });
          tell.notifyChanged('resources');
          tell.notifyResourceUpdated('clock://time');
        }, 20);
        return 'started';
      }
    `,
    },
  );

const house = build();

const toolsChanged = 'notifications/tools/list_changed';
const resourcesChanged = 'notifications/resources/list_changed';
const updated = 'notifications/resources/updated';
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

const urisHeard = (server: Connected) => server.heard(updated).map(({ params }) => params.uri);
const resourceUris = async ({ client }: Connected) =>
  (await client.listResources()).resources.map(({ uri }) => uri);

describe('a list that goes by the session', () => {
  test('grows with a notification for the connection that unlocked it', async () => {
    const server = await connect(`${house}/vault`, { revision: '2025-11-25' });
    expect(server.client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    expect(await server.toolNames()).toEqual(['unlock']);
    expect(await server.textOf('open')).toBe('gold');
    expect(await server.textOf('unlock')).toBe('unlocked');
    expect(await server.hears(toolsChanged)).toEqual([{ jsonrpc: '2.0', method: toolsChanged }]);
    expect(await server.toolNames()).toEqual(['unlock', 'open', 'catalog']);
    expect(await server.toolNames()).toEqual(['unlock', 'open', 'catalog']);
    await server.close();
    const next = await connect(`${house}/vault`, { revision: '2025-11-25' });
    expect(await next.toolNames()).toEqual(['unlock']);
  });

  test('stays the same on 2026-07-28, where hidden tools are found and called', async () => {
    const server = await connect(`${house}/vault`, { revision: '2026-07-28' });
    expect(server.client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    expect(await server.textOf('unlock')).toBe('no session');
    expect(await server.toolNames()).toEqual(['unlock']);
    const { structuredContent } = await server.call('catalog', { type: 'tools' });
    expect(structuredContent.tools.map(({ name }: { name: string }) => name)).toEqual([
      'unlock',
      'open',
      'catalog',
    ]);
    expect(await server.textOf('open')).toBe('gold');
    // Nobody listens.
    expect(server.heard(toolsChanged)).toEqual([]);
  });
});

describe.each(revisions)('hooks that fail (%s)', (revision) => {
  test('leave the default lists and log the reason', async () => {
    const server = await connect(`${house}/stuck`, { revision });
    expect(await server.toolNames()).toEqual(['unlock']);
    expect((await server.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['p']);
    expect(await resourceUris(server)).toEqual(['clock://maker']);
    expect((await server.client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const said = (kind: string) =>
      `@acme/kit/stuck: the list of ${kind} is the usual one, since its hook failed: `;
    expect(server.stderr()).toContain(`${said('tools')}TimeoutError: no answer within 1 s`);
    expect(server.stderr()).toContain(`${said('prompts')}Error: no luck`);
    expect(server.stderr()).toContain(
      `${said('resources')}TypeError: it gave neither { items } nor a list of items`,
    );
  });
});

describe('resources that change (2025-11-25)', () => {
  test('notify subscribers until they unsubscribe', async () => {
    const server = await connect(`${house}/clock`, { revision: '2025-11-25' });
    const { client } = server;
    expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true, subscribe: true });
    for (const uri of ['clock://time', 'clock://zone/Ostwick']) await client.subscribeResource({ uri });
    for (const uri of ['clock://zone/Fell', 'clock://time', 'clock://maker', 'clock://zone/Ostwick'])
      await server.call('tick', { uri });
    await server.hears(updated, 2);
    expect(urisHeard(server)).toEqual(['clock://time', 'clock://zone/Ostwick']);

    await client.unsubscribeResource({ uri: 'clock://time' });
    for (const uri of ['clock://time', 'clock://zone/Ostwick']) await server.call('tick', { uri });
    await server.hears(updated, 3);
    expect(urisHeard(server).slice(2)).toEqual(['clock://zone/Ostwick']);
  });

  test('accept subscriptions only if they exist and are subscribable', async () => {
    const server = await connect(`${house}/clock`, { revision: '2025-11-25' });
    const refusal = async (uri: string) => {
      await expect(server.client.subscribeResource({ uri })).rejects.toThrow();
      return server.lastAnswer().error;
    };
    expect(await refusal('clock://maker')).toMatchObject({ code: -32600, data: { uri: 'clock://maker' } });
    expect(await refusal('clock://gone')).toMatchObject({ code: -32002, data: { uri: 'clock://gone' } });
  });
});

describe('resources that change (2026-07-28)', () => {
  test('notify each subscription that asks for them', async () => {
    const server = await connect(`${house}/clock`, { revision: '2026-07-28' });
    const { client } = server;
    const one = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['clock://maker', 'clock://time', 'clock://gone'],
    });
    const other = await client.listen({
      resourcesListChanged: true,
      resourceSubscriptions: ['clock://time', 'clock://zone/Fell'],
    });
    expect(one.honoredFilter).toEqual({ resourceSubscriptions: ['clock://time'] });
    expect(other.honoredFilter).toEqual({
      resourcesListChanged: true,
      resourceSubscriptions: ['clock://time', 'clock://zone/Fell'],
    });
    const acknowledged = await server.hears('notifications/subscriptions/acknowledged', 2);
    const ids = acknowledged.map(({ params }) => params._meta[subscriptionId]);

    for (const uri of ['clock://time', 'clock://maker', 'clock://zone/Fell'])
      await server.call('tick', { uri });
    await server.hears(updated, 3);
    const heardOn = (id: unknown) =>
      server
        .heard(updated)
        .flatMap(({ params }) => (params._meta[subscriptionId] === id ? [params.uri] : []));
    expect(ids.map(heardOn)).toEqual([['clock://time'], ['clock://time', 'clock://zone/Fell']]);

    await one.close();
    expect(await one.closed).toBe('local');
    await server.call('tick', { uri: 'clock://time' });
    await server.hears(updated, 4);
    expect(ids.map(heardOn)).toEqual([
      ['clock://time'],
      ['clock://time', 'clock://zone/Fell', 'clock://time'],
    ]);
  });

  test('send no notification after the server has ended subscriptions gracefully', async () => {
    const server = await connect(`${house}/clock`, { revision: '2026-07-28', ownProcess: true });
    const subscription = await server.client.listen({ resourcesListChanged: true });
    const { pid } = server.client.transport as unknown as { pid: number };
    process.kill(pid, 'SIGTERM');
    expect(await subscription.closed).toBe('graceful');
  });
});

describe('both eras on one pipe', () => {
  test('get the same change, each in its form', async () => {
    const program = await openHere(`${house}/clock`);
    expect(await program.request('resources/subscribe', { uri: 'clock://time' })).toEqual({});
    const resourceSubscriptions = ['clock://time'];
    program.send(modern('s', 'subscriptions/listen', { notifications: { resourceSubscriptions } }));
    await program.take(
      ({ method }) => method === 'notifications/subscriptions/acknowledged',
      'an acknowledgment',
    );
    await program.call('tick', { uri: 'clock://time' });
    const isUpdate = ({ method }: { method: string }) => method === updated;
    const both = [await program.take(isUpdate, 'an update'), await program.take(isUpdate, 'another')];
    const ids = both.map(({ params }) => params._meta?.[subscriptionId]);
    expect(ids.toSorted()).toEqual(['s', undefined]);
    expect(both.map(({ params }) => params.uri)).toEqual(['clock://time', 'clock://time']);
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.messages.find(({ id }) => id === 's').result).toMatchObject({
      _meta: { [subscriptionId]: 's' },
    });
  });

  test('have no more subscriptions than one client needs, and keep the others', async () => {
    const program = serveHere(`${house}/clock`);
    const listen = (id: number) =>
      modern(id, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['clock://time'] } });
    program.send(...Array.from({ length: 1025 }, (_, id) => listen(id)));
    expect((await program.next(1024)).error.code).toBe(-32603);
    program.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    program.send(
      listen(2000),
      modern(2001, 'tools/call', { name: 'tick', arguments: { uri: 'clock://time' } }),
    );
    await program.next(2001);
    const told = await program.until(() => {
      const heard = program.messages.filter(({ method }) => method === updated);
      return heard.length === 1024 ? heard : undefined;
    }, 'all updates');
    const ids = told.map(({ params }) => params._meta[subscriptionId]);
    expect(new Set(ids).size).toBe(1024);
    expect(ids).not.toContain(7);
  });
});

describe.each(revisions)('notifications between requests (%s)', (revision) => {
  test('are sent through the stored context of an initializer', async () => {
    const server = await connect(`${build()}/clock`, { revision });
    const { client } = server;
    if (revision === '2026-07-28') {
      await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['clock://time'] });
    } else await client.subscribeResource({ uri: 'clock://time' });
    expect(await resourceUris(server)).not.toContain('clock://zone/Fell');
    expect(await server.textOf('start')).toBe('started');
    await server.hears(resourcesChanged);
    await server.hears(updated);
    expect(await resourceUris(server)).toContain('clock://zone/Fell');
  });
});
