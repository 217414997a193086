import { getEventListeners } from 'node:events';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InstallMissing } from '../../../src/engine/extension/installer.js';
import type { MissingPackageError } from '../../../src/engine/extension/workspace.js';
import { LiveServer } from '../../../src/engine/live/live-server.js';
import { type Preparation, prepareServer } from '../../../src/engine/serve/prepare-server.js';
import { type Patience, PendingPackages } from '../../../src/engine/server/pending-packages.js';
import { createServer } from '../../../src/engine/server/running-server.js';
import { placeholderServer } from '../../../src/engine/server/server-resolver.js';
import { addFiles, type Files, packageJson, writeFolder } from '../../support/packages.js';
import { legacy, modern, openPipe, type Pipe } from '../support/pipe.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;

const greet = { description: 'Greets.', handler: './handlers.js#greet' };
const handlers = `
let runs = 0;
export const start = () => { runs += 1; };
export const greet = () => 'hello, run ' + runs;
`;

/** `@acme/kit`: one tool of its own, whose hook counts, and one each of `@far/one` and `@far/two`. */
const kit: Files = {
  'package.json': packageJson({ servers: ['kit'], tools: ['own'] }),
  'agenttools/servers/kit.json': { tools: ['own', '@far/one/greet', '@far/two/greet'] },
  'agenttools/tools/own.json': { ...greet, initialize: './handlers.js#start' },
  'handlers.js': handlers,
};

/** A package that can be had, with a tool, a prompt and a resource, and a server with these and what else is said. */
const far = (
  name: string,
  { tools = [] as string[], server = {} }: { tools?: string[]; server?: object } = {},
): Files =>
  Object.fromEntries(
    Object.entries({
      'package.json': packageJson(
        { servers: ['main'], tools: ['greet'], prompts: ['ask'], resources: ['page'] },
        { name },
      ),
      'agenttools/servers/main.json': {
        title: 'Far',
        tools: [{ use: 'greet', name: 'greet-far' }, ...tools],
        prompts: '*',
        resources: '*',
        ...server,
      },
      'agenttools/tools/greet.json': { ...greet, name: `greet-${name.split('/')[1]}` },
      'agenttools/prompts/ask.json': { content: 'Well?' },
      'agenttools/resources/page.json': { uri: 'far://page', text: 'A page.' },
      'handlers.js': handlers,
    }).map(([file, content]) => [`packages/node_modules/${name}/${file}`, content]),
  );

/** What obtaining does with the packages that are asked for together; a text is why it cannot be had. */
type Supply = Readonly<Record<string, Files | string>>;

interface Shop {
  readonly obtain: InstallMissing;
  /** What was asked for, in order. */
  readonly asked: (readonly string[])[];
  /** What can be had; may be changed. */
  supply: Supply;
  /** Lets obtaining go on; it does from the beginning, unless the shop is slow. */
  open(): void;
  readonly aborted: () => boolean;
}

function openShop(home: string, supply: Supply, { slow = false } = {}): Shop {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  if (!slow) open();
  let isAborted = false;
  const shop: Shop = {
    supply,
    asked: [],
    open,
    aborted: () => isAborted,
    obtain: async (names, { signal }) => {
      shop.asked.push(names);
      signal?.addEventListener('abort', () => {
        isAborted = true;
      });
      await opened;
      const failures = new Map<string, string>();
      for (const name of names) {
        const found = shop.supply[name] ?? 'nobody has it';
        if (typeof found === 'string') failures.set(name, found);
        else addFiles(home, found);
      }
      return failures;
    },
  };
  return shop;
}

const eager: Patience = { waitMs: 20_000, retryAfterMs: 60_000 };

interface Setting {
  readonly server?: string;
  readonly supply?: Supply;
  readonly slow?: boolean;
  readonly patience?: Patience;
  readonly strict?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly findVersion?: Preparation['findVersion'];
}

interface Opened extends Pipe {
  readonly shop: Shop;
  readonly home: string;
  readonly reported: string[];
  readonly end: AbortController;
  /** Asks in the era of the test; gives the result, or the error. */
  request(method: string, params?: object): Promise<Message>;
}

type Era = 'legacy' | 'modern';
const eras: readonly Era[] = ['legacy', 'modern'];

/** A session with `@acme/kit`, or another server, on a machine that has nothing else. */
async function open(era: Era, { supply = {}, slow = false, ...options }: Setting = {}): Promise<Opened> {
  const { server = writeFolder(kit), patience = eager, strict = false, env = {}, findVersion } = options;
  const home = writeFolder();
  const shop = openShop(home, supply, { slow });
  const reported: string[] = [];
  const end = new AbortController();
  const served = await prepareServer(
    { server, strict, obtain: shop.obtain, patience, findVersion },
    {
      host: {
        cwd: home,
        env: { AGENTTOOLS_HOME: home, npm_config_prefix: path.join(home, 'global'), ...env },
        home,
        platform: 'linux',
      },
      report: (line) => void reported.push(line),
      signal: end.signal,
    },
  );
  const pipe = openPipe({ createServer: (era) => createServer(served, era) });
  if (era === 'legacy') await pipe.initialize();
  let last = 0;
  return {
    ...pipe,
    shop,
    home,
    reported,
    end,
    async request(method, params = {}) {
      last += 1;
      const id = `r${last}`;
      pipe.send(era === 'legacy' ? legacy(id, method, params) : modern(id, method, params));
      const answer = await arrival(pipe, (one) => one.id === id);
      return answer.result ?? answer.error;
    },
  };
}

/** The first message that fits, now or later. */
async function arrival({ received }: Pipe, fits: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const found = received.find(fits);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const namesIn = ({ tools }: Message): readonly string[] => tools.map(({ name }: Message) => name);
const textOf = ({ content }: Message): string => content[0].text;
const changeOf = (kind: string) => (message: Message) =>
  message.method === `notifications/${kind}/list_changed`;
const changes = ({ received }: Pipe) =>
  received.filter(({ method }) => /list_changed$/.test(method ?? '')).map(({ method }) => method);
const subscription = (id: string, ...kinds: readonly string[]) =>
  modern(id, 'subscriptions/listen', {
    notifications: Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])),
  });

const both = { '@far/one': far('@far/one'), '@far/two': far('@far/two') };

describe.each(eras)('%s: a catalog of tools from missing packages', (era) => {
  const server = writeFolder({
    ...kit,
    'agenttools/servers/kit.json': { tools: ['own', '@far/one/greet', 'catalog'], toolList: 'catalog' },
  });

  test.each([
    ['call_tool', { name: 'greet-one' }, 'hello, run 0'],
    ['inspect_tool', { names: ['greet-one'] }, '"name":"greet-one"'],
    ['find_tools', {}, '"name":"greet-one"'],
    ['catalog', { type: 'tools' }, '"name":"greet-one"'],
  ])('waits for them: %s', async (name, args, expected) => {
    const { request } = await open(era, { server, supply: both });
    expect(textOf(await request('tools/call', { name, arguments: args }))).toContain(expected);
  });
});

describe.each(eras)('%s: apps from missing packages', (era) => {
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const withApp: Files = {
    ...far('@far/one'),
    'packages/node_modules/@far/one/package.json': packageJson(
      { tools: ['greet'], apps: ['card'] },
      { name: '@far/one' },
    ),
    'packages/node_modules/@far/one/agenttools/tools/greet.json': { ...greet, ui: 'card' },
    'packages/node_modules/@far/one/agenttools/apps/card.html': '<!doctype html>',
  };
  const supply = { '@far/one': withApp, '@far/two': far('@far/two') };

  async function openShowingUi(setting: Setting) {
    const session = await open(era, setting);
    const ask = async (method: string): Promise<Message> => {
      session.send(era === 'legacy' ? legacy(method, method) : modern(method, method, {}, meta));
      const answer = await arrival(session, (one) => one.id === method);
      return answer.result;
    };
    const { capabilities: offered } =
      era === 'modern'
        ? await ask('server/discover')
        : (await session.initialize('2025-11-25', capabilities)).result;
    return { ...session, offered, ask };
  }

  test.each([
    ['tools/list', 'resources/list'],
    ['resources/list', 'tools/list'],
  ])('come with their tools: %s, then %s', async (...methods) => {
    const { offered, ask } = await openShowingUi({ supply });
    expect(offered).toMatchObject({ resources: { listChanged: true }, extensions: expect.anything() });
    const lists: Message = {};
    for (const method of methods) Object.assign(lists, await ask(method));
    expect(lists.tools[1]._meta.ui.resourceUri).toBe('ui://far/one/card');
    expect(lists.resources).toMatchObject([{ uri: 'ui://far/one/card' }]);
  });

  test('installs the app of a local tool', async () => {
    const server = writeFolder({
      ...kit,
      'agenttools/servers/kit.json': { tools: ['own'] },
      'agenttools/tools/own.json': { ...greet, ui: '@far/one/card' },
    });
    const { ask, shop, reported } = await openShowingUi({ server, supply });
    const { tools } = await ask('tools/list');
    expect(tools[0]._meta.ui.resourceUri).toBe('ui://far/one/card');
    expect((await ask('resources/list')).resources).toMatchObject([{ uri: 'ui://far/one/card' }]);
    expect([shop.asked, reported]).toEqual([[['@far/one']], []]);
  });
});

describe.each(eras)('%s: skills from missing packages', (era) => {
  const name = '@far/one';
  const text = '---\nname: tea\ndescription: About tea.\n---\n';
  const folder = `packages/node_modules/${name}`;
  const supply = {
    [name]: {
      [`${folder}/package.json`]: packageJson({}, { name }),
      [`${folder}/skills/tea/SKILL.md`]: text,
    },
  };
  const server = writeFolder({ ...kit, 'agenttools/servers/kit.json': { skills: [`${name}/tea`] } });
  const uri = 'skill://tea/SKILL.md';

  test.each([
    ['skills/list', {}, { skills: [{ uri }] }],
    ['skills/get', { uri }, { skill: { uri } }],
    ['resources/directory/read', { uri: 'skill://tea' }, { resources: [{ uri }] }],
    ['resources/list', {}, { resources: [{ uri }] }],
    ['resources/read', { uri }, { contents: [{ uri, text }] }],
  ])('are installed for the first request: %s', async (method, params, expected) => {
    const session = await open(era, { server, supply });
    expect(await session.request(method, params)).toMatchObject(expected);
    expect([session.shop.asked, session.reported]).toEqual([[[name]], []]);
  });

  test('are announced when they come late', async () => {
    const session = await open(era, { server, supply, slow: true, patience: { ...eager, waitMs: 1 } });
    if (era === 'modern') session.send(subscription('s', 'resources'));
    expect((await session.request('skills/list')).skills).toEqual([]);
    session.shop.open();
    await arrival(session, changeOf('resources'));
    expect((await session.request('skills/list')).skills).toHaveLength(1);
  });

  test('include the skills of a package that is the server itself', async () => {
    const session = await open(era, { server: `${name}/one`, supply });
    expect((await session.request('skills/list')).skills).toHaveLength(1);
  });
});

describe.each(eras)('%s: items from missing packages', (era) => {
  test('are installed for a list request, and are in the list', async () => {
    const session = await open(era, { supply: both });
    expect(session.shop.asked).toEqual([]);
    expect(namesIn(await session.request('tools/list'))).toEqual(['own', 'greet-one', 'greet-two']);
    expect(session.shop.asked).toEqual([['@far/one', '@far/two']]);
    expect(textOf(await session.request('tools/call', { name: 'greet-two' }))).toMatch(/^hello/);
    expect([session.reported, changes(session)]).toEqual([[], []]);
  });

  test('are installed for a call', async () => {
    const session = await open(era, { supply: both });
    expect(textOf(await session.request('tools/call', { name: 'greet-one' }))).toMatch(/^hello/);
    expect(session.shop.asked).toHaveLength(1);
  });

  test('do not delay installed items', async () => {
    const session = await open(era, { supply: both, slow: true });
    expect(textOf(await session.request('tools/call', { name: 'own' }))).toBe('hello, run 1');
    expect((await session.request('prompts/list')).prompts).toEqual([]);
    expect(session.shop.asked).toEqual([]);
  });

  test('come once, however many ask', async () => {
    const session = await open(era, { supply: both, slow: true });
    const lists = [session.request('tools/list'), session.request('tools/list')];
    const call = session.request('tools/call', { name: 'greet-one' });
    await expect.poll(() => session.shop.asked.length).toBe(1);
    session.shop.open();
    for (const list of await Promise.all(lists)) expect(namesIn(list)).toHaveLength(3);
    expect(textOf(await call)).toMatch(/^hello/);
    expect(session.shop.asked).toHaveLength(1);
  });

  test('leave installed items unchanged', async () => {
    const session = await open(era, { supply: both });
    expect(textOf(await session.request('tools/call', { name: 'own' }))).toBe('hello, run 1');
    await session.request('tools/list');
    expect(textOf(await session.request('tools/call', { name: 'own' }))).toBe('hello, run 1');
  });

  test('are announced when they come late', async () => {
    const session = await open(era, { supply: both, slow: true, patience: { ...eager, waitMs: 1 } });
    if (era === 'modern') session.send(subscription('s', 'tools', 'prompts'));
    expect(namesIn(await session.request('tools/list'))).toEqual(['own']);
    const { message } = await session.request('tools/call', { name: 'greet-one' });
    expect(message).toMatch(
      /^Unknown tool: greet-one\. The package @far\/one is still being installed; try again in a moment\. The package @far\/two/,
    );
    session.shop.open();
    await arrival(session, changeOf('tools'));
    expect(namesIn(await session.request('tools/list'))).toHaveLength(3);
    expect(changes(session)).toEqual(['notifications/tools/list_changed']);
    expect(session.reported).toEqual([]);
  });

  test('reports unavailable ones and serves the others', async () => {
    const supply = { ...both, '@far/two': 'the registry\nis away.' };
    const session = await open(era, { supply });
    expect(namesIn(await session.request('tools/list'))).toEqual(['own', 'greet-one']);
    expect(session.reported).toEqual([
      'The package @far/two could not be installed: the registry is away. Needed by the server @acme/kit/kit for the tool @far/two/greet.',
    ]);
    expect(await session.request('tools/call', { name: 'greet-two' })).toMatchObject({
      code: -32602,
      message: 'Unknown tool: greet-two. The package @far/two could not be installed: the registry is away.',
    });
    expect((await session.request('prompts/get', { name: 'x' })).message).not.toContain('@far');
    await session.request('tools/list');
    expect(session.shop.asked).toHaveLength(1);
  });

  test('retries unavailable ones, and notifies clients that have read the list', async () => {
    const session = await open(era, {
      supply: { '@far/one': far('@far/one') },
      patience: { ...eager, retryAfterMs: 0 },
    });
    if (era === 'modern') session.send(subscription('s', 'tools'));
    expect(namesIn(await session.request('tools/list'))).toEqual(['own', 'greet-one']);
    session.shop.supply = both;
    expect(textOf(await session.request('tools/call', { name: 'greet-two' }))).toMatch(/^hello/);
    expect(session.shop.asked).toEqual([['@far/one', '@far/two'], ['@far/two']]);
    await arrival(session, changeOf('tools'));
    await session.request('tools/list');
    expect(session.shop.asked).toHaveLength(2);
  });

  test('skips items of broken packages', async () => {
    const broken = { ...far('@far/one'), 'packages/node_modules/@far/one/handlers.js': '' };
    const { 'packages/node_modules/@far/one/handlers.js': _, ...without } = broken;
    const session = await open(era, { supply: { ...both, '@far/one': without } });
    expect(namesIn(await session.request('tools/list'))).toEqual(['own', 'greet-two']);
    expect(session.reported).toEqual([expect.stringMatching(/^left out: @far\/one\/greet .*handlers\.js/)]);
  });

  test('stay absent if the installer throws', async () => {
    const session = await open(era, { supply: both });
    session.shop.asked.push = () => {
      throw new Error('no npm here');
    };
    expect(namesIn(await session.request('tools/list'))).toEqual(['own']);
    expect(session.reported[0]).toMatch(
      /^The package @far\/one could not be installed: no npm here\. Needed by/,
    );
  });

  test('are no longer wanted when the client has gone', async () => {
    const session = await open(era, { supply: both, slow: true });
    session.send(era === 'legacy' ? legacy('l', 'tools/list') : modern('l', 'tools/list'));
    await expect.poll(() => session.shop.asked.length).toBe(1);
    session.end.abort();
    expect(session.shop.aborted()).toBe(true);
    session.shop.open();
    await arrival(session, ({ id }) => id === 'l');
    expect(session.reported).toEqual([]);
  });
});

describe.each(eras)('%s: a server from a missing package', (era) => {
  const server = '@far/one/main';

  test('is installed with the packages that it refers to, and served', async () => {
    const supply = { ...both, '@far/one': far('@far/one', { tools: ['@far/two/greet'] }) };
    const session = await open(era, { server, supply });
    expect(session.shop.asked).toEqual([]);
    expect(namesIn(await session.request('tools/list'))).toEqual(['greet-far', 'greet-two']);
    expect(session.shop.asked).toEqual([['@far/one'], ['@far/two']]);
    expect((await session.request('prompts/list')).prompts).toHaveLength(1);
    expect((await session.request('resources/list')).resources).toHaveLength(1);
    expect(
      (
        await session.request('completion/complete', {
          ref: { type: 'ref/prompt', name: 'ask' },
          argument: { name: 'nothing', value: '' },
        })
      ).message,
    ).toMatch(/has no argument "nothing"/);
  });

  test.each<[method: string, params: object, holds: RegExp]>([
    ['tools/call', { name: 'greet-far' }, /hello/],
    ['prompts/get', { name: 'ask' }, /Well\?/],
    ['resources/read', { uri: 'far://page' }, /A page\./],
  ])('answers %s after the installation', async (method, params, holds) => {
    const session = await open(era, { server, supply: both });
    expect(JSON.stringify(await session.request(method, params))).toMatch(holds);
  });

  test('announces all its lists when it comes late', async () => {
    const session = await open(era, { server, supply: both, slow: true, patience: { ...eager, waitMs: 1 } });
    if (era === 'modern') session.send(subscription('s', 'tools', 'prompts', 'resources'));
    for (const kind of ['tools', 'prompts', 'resources'])
      expect(await session.request(`${kind}/list`)).toMatchObject({ [kind]: [] });
    session.shop.open();
    for (const kind of ['tools', 'prompts', 'resources']) await arrival(session, changeOf(kind));
    expect(namesIn(await session.request('tools/list'))).toEqual(['greet-far']);
  });

  test('is empty, with the reason, if the package does not exist', async () => {
    const session = await open(era, { server });
    expect(await session.request('tools/list')).toMatchObject({ tools: [] });
    const why = 'The package @far/one could not be installed: nobody has it.';
    for (const [method, params, what] of [
      ['tools/call', { name: 'x' }, 'Unknown tool: x'],
      ['prompts/get', { name: 'x' }, 'Unknown prompt: x'],
      ['resources/read', { uri: 'x://y' }, 'Resource not found: x://y'],
    ] as const)
      expect(await session.request(method, params)).toMatchObject({ message: `${what}. ${why}` });
    expect(session.reported).toEqual([`${why} Needed by the server @far/one/main.`]);
    expect(session.shop.asked).toHaveLength(1);
  });

  test('reports a server that the package does not have', async () => {
    const session = await open(era, { server: '@far/one/other', supply: both });
    const { message } = await session.request('tools/call', { name: 'x' });
    expect(message).toBe('Unknown tool: x. @far/one has no server "other". Its servers: main.');
    expect(session.reported[0]).toMatch(/Its servers: main\. Needed by the server @far\/one\/other\.$/);
  });

  test('reports an invalid definition', async () => {
    const supply = { '@far/one': far('@far/one', { server: { tools: 7 } }) };
    const session = await open(era, { server, supply });
    expect(await session.request('tools/list')).toMatchObject({ tools: [] });
    expect(session.reported[0]).toMatch(/^agenttools\/servers\/main\.json:.*"tools".*Needed by/);
  });
});

test('a client learns what may still change, and no more', async () => {
  const capabilitiesOf = async (setting: Setting) => {
    const session = await open('modern', setting);
    return (await session.request('server/discover')).capabilities;
  };
  const [tasks, skills] = ['io.modelcontextprotocol/tasks', 'io.modelcontextprotocol/skills'] as const;
  const extensions = { [tasks]: {} };
  expect(await capabilitiesOf({})).toEqual({ tools: { listChanged: true }, logging: {}, extensions });
  const listChanged = true;
  expect(await capabilitiesOf({ server: '@far/one/main' })).toEqual({
    tools: { listChanged },
    prompts: { listChanged },
    resources: { listChanged, subscribe: true },
    completions: {},
    logging: {},
    extensions: { ...extensions, [skills]: { directoryRead: true } },
  });
  const { 'agenttools/servers/kit.json': _, ...rest } = kit;
  const whole = writeFolder({ ...rest, 'agenttools/servers/kit.json': { tools: ['own'] } });
  expect(await capabilitiesOf({ server: whole })).toEqual({ tools: {}, logging: {} });
});

test('gives a missing server its qualified name', async () => {
  for (const [server, name] of [
    ['far/one/main', '@far/one/main'],
    ['@far/one', '@far/one'],
    ['one/main', 'one/main'],
  ] as const) {
    const { received } = await open('legacy', { server });
    expect(received[0].result.serverInfo).toEqual({ name, version: 'unknown' });
  }
});

test('gives a missing server the version that would be installed, if the registry answers in time', async () => {
  const asked: string[] = [];
  const findVersion = async (name: string) => {
    asked.push(name);
    return '3.2.1';
  };
  const known = await open('legacy', { server: '@far/one/main', findVersion });
  expect(known.received[0].result.serverInfo).toEqual({ name: '@far/one/main', version: '3.2.1' });
  expect([asked, known.shop.asked]).toEqual([['@far/one'], []]);
  const slow = await open('legacy', { server: '@far/one', findVersion: () => new Promise(() => {}) });
  expect(slow.received[0].result.serverInfo.version).toBe('unknown');
});

test('an entry that install wrote gets its server back', async () => {
  const session = await open('legacy', {
    server: '@far/one/main',
    supply: both,
    env: { MCP_SERVER_NAME: '@far/one/main' },
  });
  expect(namesIn(await session.request('tools/list'))).toEqual(['greet-far']);
});

test('lists stay fresh while something is to come', async () => {
  const { 'agenttools/servers/kit.json': server, ...rest } = kit;
  const folder = writeFolder({
    ...rest,
    'agenttools/servers/kit.json': { ...(server as object), cache: { ttlMs: 60_000 } },
  });
  const session = await open('modern', { server: folder, supply: both });
  expect(await session.request('tools/list')).toMatchObject({ ttlMs: 0 });
});

test('installs nothing with --strict or for a reference that is not a package', async () => {
  for (const server of ['nobody', './nowhere'])
    await expect(open('legacy', { server })).rejects.toMatchObject({ code: 'not-found' });
  await expect(open('legacy', { strict: true, supply: both })).rejects.toMatchObject({
    code: 'invalid-definition',
  });
  await expect(open('legacy', { strict: true, server: '@far/one/main' })).rejects.toMatchObject({
    message: expect.stringContaining('agenttools add @far/one'),
  });
});

const { server: empty } = placeholderServer({ packageName: '@far/one', server: 'x' } as MissingPackageError);
const lacking = (...names: readonly string[]) => ({
  server: empty,
  lacks: names.map((packageName) => ({ packageName, kinds: ['tools'] as const, neededBy: 'the server x' })),
});

interface Missing {
  readonly names: readonly string[];
  /** Missing packages after the first installation. */
  readonly afterwards?: readonly string[];
  readonly obtain: InstallMissing;
  readonly patience?: Patience;
  readonly signal: AbortSignal;
}

/** A live server that misses packages. */
function openMissing({ names, afterwards = [], obtain, patience, signal }: Missing): LiveServer {
  const report = () => {};
  const live = new LiveServer({
    ...lacking(...names),
    env: {},
    report,
    compose: async () => lacking(...afterwards),
  });
  live.add(new PendingPackages({ live, obtain, report, signal, patience }));
  return live;
}

/** Ends after it has installed one package, which refers to another. */
function openEndingEarly(): LiveServer {
  const end = new AbortController();
  const obtain: InstallMissing = async () => {
    end.abort();
    return new Map();
  };
  return openMissing({ names: ['@far/one'], afterwards: ['@far/two'], obtain, signal: end.signal });
}

test('a package that was not asked for any more is reported as not installed', async () => {
  const live = openEndingEarly();
  await live.find('tools', () => undefined, new AbortController().signal);
  expect(live.explain('Unknown tool: x', 'tools')).toBe(
    'Unknown tool: x. The package @far/two is not installed.',
  );
});

test('a request that was answered leaves no listeners', async () => {
  const { signal } = new AbortController();
  await openEndingEarly().find('tools', () => undefined, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a package that cannot be installed is reported while others are being installed', async () => {
  const { signal } = new AbortController();
  const obtain: InstallMissing = (_, { onSettled }) => {
    onSettled?.({ name: '@far/one', reason: 'nobody has it' });
    return new Promise(() => {});
  };
  const patience = { ...eager, waitMs: 1 };
  const live = openMissing({ names: ['@far/one', '@far/two'], obtain, patience, signal });
  await live.find('tools', () => undefined, signal);
  expect(live.explain('Unknown tool: x', 'tools')).toBe(
    'Unknown tool: x. The package @far/one could not be installed: nobody has it. The package @far/two is still being installed; try again in a moment.',
  );
});
