import { describe, expect, test } from 'vitest';
import { type Bench, eras, eventually, openBench, pairs, scripted } from './support.js';

const prompts = [
  { name: 'greet', title: 'Greet', arguments: [{ name: 'who', required: true }], icons: [], odd: { a: 1 } },
  { name: 'asks' },
  { name: 'third', _meta: { own: 1 } },
  { name: 'fourth' },
];
const resources = [
  { uri: 'far://a', name: 'a', mimeType: 'text/plain', annotations: { priority: 1 }, size: 3, odd: true },
  { uri: 'far://b', name: 'b' },
  { uri: 'far://c', name: 'c' },
  { uri: 'far://d', name: 'd' },
];
const templates = [{ uriTemplate: 'far://file/{path}', name: 'file', _meta: { own: 2 } }];
const everything = { prompts, resources, templates, completions: true };

const uris = async ({ request }: Bench): Promise<readonly string[]> =>
  (await request('resources/list')).resources.map(({ uri }: { uri: string }) => uri);
const promptNames = async ({ request }: Bench): Promise<readonly string[]> =>
  (await request('prompts/list')).prompts.map(({ name }: { name: string }) => name);

describe.each(pairs)('$downstream downstream, $upstream upstream', ({ downstream, upstream }) => {
  const open = async (told: object = {}, entry: object = {}) => {
    const far = scripted({ era: upstream, ...everything, ...told });
    const bench = await openBench([{ place: far.place, ...entry }], {
      era: downstream,
      capabilities: { elicitation: { form: {} } },
    });
    return { far, bench, ...bench };
  };

  test('lists prompts, resources and templates as they are, all pages', async () => {
    const { request } = await open();
    expect((await request('prompts/list')).prompts).toEqual(prompts);
    expect((await request('resources/list')).resources).toEqual(resources);
    expect((await request('resources/templates/list')).resourceTemplates).toEqual(templates);
  });

  test('gets prompts and reads resources, with unknown fields and errors as they are', async () => {
    const { request } = await open();
    const got = await request('prompts/get', { name: 'greet', arguments: { who: 'Ada' } });
    expect(got).toMatchObject({
      description: 'Filled.',
      messages: [{ role: 'user', content: { type: 'text', text: 'scripted says {"who":"Ada"}' }, odd: 1 }],
      _meta: { own: 3 },
    });
    const contents = (uri: string) => [
      { uri, mimeType: 'text/plain', text: `scripted has ${uri}`, _meta: { own: 4 } },
    ];
    const listed = await request('resources/read', { uri: 'far://a' });
    expect(listed.contents).toEqual(contents('far://a'));
    expect((await request('resources/read', { uri: 'far://file/x' })).contents).toEqual(
      contents('far://file/x'),
    );
    // A result of a tool may link to a resource that no list shows.
    expect((await request('resources/read', { uri: 'odd:1' })).contents).toEqual(contents('odd:1'));
    expect(await request('resources/read', { uri: 'far://file/missing' })).toEqual({
      // The code for a missing resource changed on 2026-07-28.
      code: downstream === 'modern' ? -32_602 : -32_002,
      message: 'Nothing at far://file/missing',
      data: { uri: 'far://file/missing' },
    });
    if (downstream === 'modern' && upstream === 'modern') expect(listed).toMatchObject({ ttlMs: 5 });
  });

  test('forwards completions of prompts and templates', async () => {
    const { request } = await open({}, { prompts: { prefix: 'p_' } });
    const argument = { name: 'who', value: 'A' };
    const context = { arguments: { other: 'x' } };
    const complete = async (ref: object) => {
      const { completion } = await request('completion/complete', { ref, argument, context });
      expect(completion).toMatchObject({ total: 7, hasMore: true });
      return JSON.parse(completion.values[0]);
    };
    expect(await complete({ type: 'ref/prompt', name: 'p_greet' })).toEqual({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument,
      context,
    });
    const template = { type: 'ref/resource', uri: 'far://file/{path}' };
    expect(await complete(template)).toEqual({ ref: template, argument, context });
  });

  test('sends questions of a prompt to the client', async () => {
    const { bench, request } = await open();
    if (downstream === 'modern') {
      const first = await request('prompts/get', { name: 'asks' });
      const [key = ''] = Object.keys(first.inputRequests);
      const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
      const { requestState } = first;
      const got = await request('prompts/get', { name: 'asks', inputResponses, requestState });
      expect(got.messages[0].content.text).toBe('I am Ada');
      return;
    }
    const got = request('prompts/get', { name: 'asks' });
    const { id } = await bench.hears('elicitation/create');
    bench.pipe.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } });
    expect((await got).messages[0].content.text).toBe('I am Ada');
  });

  test('announces changes of each list', async () => {
    const { bench, call } = await open({ tools: ['grow'] });
    if (downstream === 'modern') {
      const notifications = { promptsListChanged: true, resourcesListChanged: true };
      void bench.request('subscriptions/listen', { notifications });
      await bench.hears('notifications/subscriptions/acknowledged');
    }
    expect(await promptNames(bench)).toHaveLength(4);
    expect(await uris(bench)).toHaveLength(4);
    await call('grow', { prompt: { name: 'new' } });
    await bench.hears('notifications/prompts/list_changed');
    expect(await promptNames(bench)).toContain('new');
    await call('grow', { resource: { uri: 'far://new', name: 'new' } });
    await bench.hears('notifications/resources/list_changed');
    expect(await uris(bench)).toContain('far://new');
  });

  test('forwards updates of resources to subscribers, until they unsubscribe', async () => {
    const { bench, call, far } = await open({ tools: ['touch'] });
    if (downstream === 'modern') {
      const notifications = { resourceSubscriptions: ['far://a'] };
      void bench.request('subscriptions/listen', { notifications });
      const { params } = await bench.hears('notifications/subscriptions/acknowledged');
      expect(params.notifications).toEqual(notifications);
      await uris(bench);
    } else expect(await bench.request('resources/subscribe', { uri: 'far://a' })).toEqual({});
    await eventually(() => far.noted().some((line) => /^(?:subscribe|listen) far:\/\/a$/.test(line)));
    await call('touch', { uri: 'far://b' });
    await call('touch', { uri: 'far://a' });
    const { params } = await bench.hears('notifications/resources/updated');
    expect(params.uri).toBe('far://a');
    if (downstream === 'modern' || upstream === 'modern') return;
    await bench.request('resources/unsubscribe', { uri: 'far://a' });
    await eventually(() => far.noted().includes('unsubscribe far://a'));
  });
});

describe('items of several upstream servers', () => {
  test('numbers prompts of one name, and serves the first resource of one URI', async () => {
    const [one, other] = [
      scripted({ name: 'one', ...everything }),
      scripted({ name: 'other', ...everything }),
    ];
    const bench = await openBench([
      { place: one.place, name: 'one' },
      { place: other.place, name: 'other', resources: { except: ['b', 'far://c'] } },
    ]);
    expect(await promptNames(bench)).toEqual([
      ...['greet1', 'asks1', 'third1', 'fourth1'],
      ...['greet2', 'asks2', 'third2', 'fourth2'],
    ]);
    const got = await bench.request('prompts/get', { name: 'third2' });
    expect(got.messages[0].content.text).toBe('other says {}');
    expect(await uris(bench)).toEqual(['far://a', 'far://b', 'far://c', 'far://d']);
    const read = await bench.request('resources/read', { uri: 'far://a' });
    expect(read.contents[0].text).toBe('one has far://a');
    expect(bench.reported.filter((line) => line.includes('URI')).sort()).toEqual(
      ['far://a', 'far://d', 'far://file/{path}'].map(
        (uri) =>
          `The upstream server "other" lists the resource "${uri}", which is left out: another upstream server has its URI.`,
      ),
    );
  });

  test('chooses and renames prompts and resources, or excludes a kind', async () => {
    const far = scripted(everything);
    const bench = await openBench([
      {
        place: far.place,
        prompts: { only: ['greet', 'third', 'gone'], prefix: 'p_', rename: { third: 'last' } },
        resources: { only: ['far://a', 'b', 'no'], prefix: 'r_', rename: { b: 'bee' } },
      },
    ]);
    expect(await promptNames(bench)).toEqual(['p_greet', 'last']);
    const { resources: listed } = await bench.request('resources/list');
    expect(listed.map(({ uri, name }: { uri: string; name: string }) => [uri, name])).toEqual([
      ['far://a', 'r_a'],
      ['far://b', 'bee'],
    ]);
    const refused = await bench.request('resources/read', { uri: 'far://c' });
    expect(refused.message).toBe('Resource not found: far://c');
    expect(bench.reported.filter((line) => line.includes('has no'))).toEqual([
      'The upstream server "far" has no prompt "gone".',
      'The upstream server "far" has no resource "no".',
    ]);
    const none = await openBench([{ place: far.place, prompts: false, resources: false, apps: false }]);
    expect([await promptNames(none), await uris(none)]).toEqual([[], []]);
  });

  test('leaves out items that clients would reject, and reports them', async () => {
    const far = scripted({
      prompts: [{ name: 'good' }, {}, { name: 'bad', arguments: [{}] }],
      resources: [
        { uri: 'a:1', name: 'good' },
        { name: 'none' },
        { uri: 'a:2' },
        { uri: 'a:3', name: 'n', size: 1, icons: {} },
      ],
    });
    const bench = await openBench([{ place: far.place }]);
    expect(await promptNames(bench)).toEqual(['good']);
    expect(await uris(bench)).toEqual(['a:1']);
    expect(bench.reported.filter((line) => line.includes('left out'))).toEqual([
      'The upstream server "far" lists a prompt that has no name, which is left out.',
      'The upstream server "far" lists the prompt "bad", which is left out: its arguments are no list of named arguments.',
      'The upstream server "far" lists a resource that has no URI, which is left out.',
      'The upstream server "far" lists the resource "a:2", which is left out: it has no name.',
      'The upstream server "far" lists the resource "a:3", which is left out: its icons are no list.',
    ]);
  });

  test.each(eras)('forwards the log level and messages outside of calls (%s upstream)', async (upstream) => {
    const far = scripted({ era: upstream, tools: ['log later'] });
    const bench = await openBench([{ place: far.place, choice: { rename: { 'log later': 'later' } } }]);
    await bench.request('logging/setLevel', { level: 'error' });
    await bench.call('later');
    if (upstream === 'legacy') expect(far.noted()).toContain('level error');
    const { params } = await bench.hears('notifications/message');
    expect(params).toEqual({ level: 'error', logger: 'far', data: 'late' });
  });

  test('declares the kinds that upstream servers have, once they are known', async () => {
    const far = scripted({ prompts });
    const bench = await openBench([{ place: far.place }]);
    const capabilities = async () => {
      const { pipe } = await bench.another();
      return pipe.received.find(({ result }) => result?.capabilities)?.result.capabilities;
    };
    expect(Object.keys(await capabilities())).toEqual(expect.arrayContaining(['prompts', 'resources']));
    await bench.request('resources/list');
    const known = await capabilities();
    expect(known.prompts).toEqual({ listChanged: true });
    expect(known).not.toHaveProperty('resources');
  });
});
