import { describe, expect, test } from 'vitest';
import { deferred } from '../../../src/engine/base/deferred.js';
import { type ItemSource, LiveServer, type LiveServerOptions } from '../../../src/engine/live/live-server.js';
import type { ServerEvent } from '../../../src/engine/protocol/subscriptions.js';
import type { Servable } from '../../../src/engine/runtime/compose-server.js';
import { composeLive } from '../../support/session.js';

const { signal } = new AbortController();
const handler = () => 'done';
const changed = (kind: 'tools' | 'prompts' | 'resources'): ServerEvent => ({ kind: `${kind}_list_changed` });

/** Composes a server of tools, and prompts of the same names if wanted. */
async function compose(names: readonly string[], prompts: readonly string[] = []): Promise<Servable> {
  const { spec } = await composeLive({
    tools: Object.fromEntries(names.map((name) => [name, { handler }])),
    prompts: Object.fromEntries(prompts.map((name) => [name, { content: 'Well?' }])),
  });
  // The session of the test support has frozen it.
  return { ...spec };
}

/** A live server and the changes that it announced. */
function open(server: Servable, options: Partial<LiveServerOptions> = {}) {
  const live = new LiveServer({ server, env: {}, report: () => {}, ...options });
  const changes: ServerEvent[] = [];
  const unsubscribe = live.onChange((change) => void changes.push(change));
  return { live, changes, unsubscribe };
}

/** A source that a test ends itself. */
function openSource(): ItemSource & { readonly end: () => void } {
  const { promise, resolve } = deferred();
  const isPending = (kind: string) => kind === 'tools';
  return { isPending, wait: async () => await promise, reasons: () => ['It is late.'], end: resolve };
}

const namesOf = ({ registry }: Servable) => registry.all('tools').map(({ name }) => name);
const findIn = (live: LiveServer, name: string) => () => live.current.registry.resolve('tools', name)?.name;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a live server', () => {
  test('keeps the server that a reader holds as it was when it is replaced', async () => {
    const { live } = open(await compose(['one']));
    const { current, calls } = live;
    await live.replace({ server: await compose(['one', 'two']) });
    expect(namesOf(current)).toEqual(['one']);
    expect(namesOf(live.current)).toEqual(['one', 'two']);
    expect(calls.server).toBe(live.current);
    expect(Object.isFrozen(live.current) && Object.isFrozen(current)).toBe(true);
  });

  test('announces a list that changes after a client may have read it', async () => {
    const { live, changes } = open(await compose(['one'], ['ask']));
    await live.replace({ server: await compose(['one', 'two'], []) });
    await live.ready('tools', signal);
    await live.replace({ server: await compose(['one'], ['ask']) });
    await live.replace({ server: await compose(['one'], ['ask']) });
    await turn();
    expect(changes).toEqual([changed('tools')]);
  });

  test('announces a list to clients that read it early while another client waits for it', async () => {
    const { live, changes } = open(await compose(['one']));
    await live.ready('tools', signal);
    const source = openSource();
    live.add(source);
    const list = live.ready('tools', signal);
    await live.replace({ server: await compose(['one', 'two']) });
    source.end();
    await list;
    await turn();
    expect(changes).toEqual([changed('tools')]);
  });

  test('announces every list that changes when definitions are read again', async () => {
    const fresh = await compose(['two'], ['ask']);
    const { live, changes } = open(await compose(['one']), { compose: async () => ({ server: fresh }) });
    await live.recompose({ isFresh: true });
    await turn();
    expect(changes).toEqual([changed('tools'), changed('prompts')]);
  });

  test('announces no list when another process does', async () => {
    const next = await compose(['two']);
    const { live, changes } = open(await compose(['one']), {
      isSilent: true,
      compose: async () => ({ server: next }),
    });
    await live.ready('tools', signal);
    await live.recompose();
    await turn();
    expect(live.current).toBe(next);
    expect(changes).toEqual([]);
  });

  test('announces the same change once per turn, and nothing after the listener unsubscribes', async () => {
    const { live, changes, unsubscribe } = open(await compose(['one']));
    for (const uri of ['a:', 'b:', 'a:']) live.announce({ kind: 'resource_updated', uri });
    await turn();
    expect(changes).toEqual([
      { kind: 'resource_updated', uri: 'a:' },
      { kind: 'resource_updated', uri: 'b:' },
    ]);
    unsubscribe();
    live.announce(changed('tools'));
    await turn();
    expect(changes).toHaveLength(2);
  });

  test('composes once at a time, so the newest composition stays', async () => {
    const [slow, servers] = [deferred(), [await compose(['old']), await compose(['new'])]];
    let count = 0;
    const { live } = open(await compose(['one']), {
      compose: async () => {
        count += 1;
        const server = servers[count - 1]!;
        if (count === 1) await slow.promise;
        return { server };
      },
    });
    const compositions = [live.recompose(), live.recompose()];
    await turn();
    expect(count).toBe(1);
    slow.resolve();
    await Promise.all(compositions);
    expect(namesOf(live.current)).toEqual(['new']);
  });

  test('stays as it is when it cannot be composed, and composes again later', async () => {
    const results: (() => Servable)[] = [];
    const { live } = open(await compose(['one']), { compose: async () => ({ server: results.shift()!() }) });
    results.push(() => {
      throw new Error('no definition');
    });
    await expect(live.recompose()).rejects.toThrow('no definition');
    expect(namesOf(live.current)).toEqual(['one']);
    const next = await compose(['two']);
    results.push(() => next);
    await live.recompose();
    expect(live.current).toBe(next);
  });
});

describe('an item that may still arrive', () => {
  test('is found when it arrives, though other items are still pending', async () => {
    const { live } = open(await compose(['one']));
    const source = openSource();
    live.add(source);
    const found = live.find('tools', findIn(live, 'two'), signal);
    await live.replace({ server: await compose(['one', 'two']) });
    expect(await found).toBe('two');
    source.end();
  });

  test('is given up when nothing is pending any more, with the reasons', async () => {
    const { live } = open(await compose(['one']));
    const source = openSource();
    live.add(source);
    const found = live.find('tools', findIn(live, 'two'), signal);
    source.end();
    expect(await found).toBeUndefined();
    expect(live.explain('Unknown tool: two', 'tools')).toBe('Unknown tool: two. It is late.');
  });

  test('fails the search that throws, and no other', async () => {
    const { live } = open(await compose(['one']));
    live.add(openSource());
    let count = 0;
    const failing = live.find(
      'tools',
      () => {
        count += 1;
        if (count > 1) throw new Error('unreadable');
        return undefined;
      },
      signal,
    );
    const found = live.find('tools', findIn(live, 'two'), signal);
    await Promise.all([
      expect(failing).rejects.toThrow('unreadable'),
      live.replace({ server: await compose(['one', 'two']) }),
    ]);
    expect(await found).toBe('two');
  });

  test('is pending while a source is open', async () => {
    const { live } = open(await compose(['one']));
    expect(live.isPending('tools')).toBe(false);
    live.add(openSource());
    expect([live.isPending('tools'), live.isPending('prompts')]).toEqual([true, false]);
  });
});
