import path from 'node:path';
import process from 'node:process';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectHttp } from '../support/http-client.js';
import { startHttp } from '../support/http-program.js';
import { connect, type Revision, revisions } from '../support/official-client.js';
import { writePackage } from '../support/packages.js';
import { eventually, isAlive, type Message, openProgram, root } from '../support/program.js';

const script = path.join(root, 'test/support/scripted-upstream.mjs');
const scripted = (told: object) => ({ command: process.execPath, args: [script, JSON.stringify(told)] });

const tools = ['echo', 'ask', 'ask twice', 'progress', 'log', 'hang', 'change', 'late'];
const theirs = { upstream: scripted({ tools, name: 'far' }), rename: { 'ask twice': 'ask_twice' } };
/** Tells the id of its process. */
const placed = {
  command: process.execPath,
  args: [
    '--eval',
    `process.env.PID = String(process.pid); import(${JSON.stringify(script)})`,
    JSON.stringify({ name: 'placed', tools: ['echo', 'environment'] }),
  ],
};

const directory = writePackage(
  {
    servers: ['kit'],
    tools: ['own', 'block', 'nested', 'local', 'guarded', 'checked', 'found', 'by-module', 'same'],
  },
  {
    'agenttools/servers/kit.json': {
      tools: ['own', 'block', 'nested', 'local', 'guarded', 'checked', 'found', 'by-module', 'same', theirs],
    },
    'agenttools/tools.js': `
      import { place } from '../places.js';
      const upstream = ${JSON.stringify(theirs.upstream)};
      export default {
        own: {
          description: 'Does one of several things.',
          input: { what: { type: 'string', required: true } },
          handler: async ({ what }, ctx) => {
            if (what === 'pid') return process.pid;
            if (what === 'kill') return await new Promise(() => process.kill(process.pid, 'SIGKILL'));
            if (what === 'list') return (await ctx.registry.shown()).map(({ name }) => name).join(' ');
            if (what === 'late') return (await ctx.callTool('late')).content[0].text;
            if (what === 'lost') return void ctx.callTool('hang').catch(() => {});
            if (what === 'many') {
              const all = Array.from({ length: 50 }, (_, n) => ctx.callTool('echo', { n }));
              return (await Promise.all(all)).map(({ content }) => content[0].text).join(' ');
            }
          },
        },
        nested: {
          description: 'Calls an upstream tool.',
          input: { name: { type: 'string', required: true }, args: { type: 'string', default: '{}' } },
          handler: async ({ name, args }, ctx) => {
            const steps = [];
            const onProgress = (done, { message }) => steps.push(message);
            const { content, isError } = await ctx.callTool(name, JSON.parse(args), { onProgress });
            return { text: content[0].text, isError: isError ?? false, steps };
          },
        },
        block: {
          description: 'Blocks while an upstream call is open.',
          timeoutMs: 400,
          handler: (_, ctx) => { void ctx.callTool('hang').catch(() => {}); for (;;); },
        },
        local: {
          description: 'Calls a tool that calls an upstream tool.',
          handler: async (_, ctx) => (await ctx.callTool('nested', { name: 'echo' })).structuredContent.text,
        },
        checked: {
          description: 'Has its arguments checked by code.',
          upstream: { ...upstream, tool: 'echo' },
          input: { n: { type: 'integer', required: true } },
        },
        found: { description: 'Is found by a function.', upstream: { place, tool: 'environment' } },
        same: { description: 'Is found by the same function.', upstream: { place, tool: 'environment' } },
        'by-module': { description: 'Is found by a module.', upstream: { place: './places.js#away', tool: 'echo' } },
      };`,
    'agenttools/tools/guarded.json': {
      description: 'Prepares before it is answered.',
      upstream: { ...theirs.upstream, tool: 'echo' },
      initialize: './places.js#prepare',
    },
    'places.js': `
      export const place = ({ env }) => ({ ...${JSON.stringify(placed)}, env: { MARK: env.MARK ?? 'none', HOST_PID: String(process.pid) } });
      let prepared = 0;
      export const prepare = () => {
        prepared += 1;
        console.error('prepared', prepared, process.env.AGENTTOOLS_HOST !== undefined);
      };
      export const away = () => { throw new Error('No kernel is known.'); };`,
  },
);
const server = path.join(directory, 'kit');

const answers = {
  'elicitation/create': ({ message }: Message) => ({ action: 'accept', content: { name: `${message}!` } }),
};
const capabilities = { elicitation: { form: {} } };

interface Served {
  readonly client: Client;
  stderr(): string;
  close(): Promise<unknown>;
}

const transports = {
  stdio: async (revision: Revision): Promise<Served> => {
    const connected = await connect(server, { revision, capabilities, answers, ownProcess: true });
    return connected;
  },
  HTTP: async (revision: Revision): Promise<Served> => {
    const { url, stderr, end } = await startHttp(server);
    const mode = revision === '2026-07-28' ? 'pinned' : 'legacy';
    const client = await connectHttp(url, { mode, client: { capabilities }, answers });
    return { client, stderr, close: async () => await end() };
  },
};

const cases = revisions.flatMap((revision) =>
  (Object.keys(transports) as (keyof typeof transports)[]).map((transport) => ({ revision, transport })),
);

describe.each(cases)(
  'code beside upstream servers, over $transport of $revision',
  ({ revision, transport }) => {
    let served: Served;
    const call = async (name: string, args: object = {}, options?: object): Promise<Message> =>
      await served.client.callTool({ name, arguments: args as Record<string, unknown> }, options);
    const text = async (name: string, args?: object) => (await call(name, args)).content[0].text as string;
    const nested = async (name: string, args: object = {}) =>
      (await call('nested', { name, args: JSON.stringify(args) })).structuredContent;

    beforeAll(async () => {
      served = await transports[transport](revision);
    });
    afterAll(async () => await served.close());

    it('calls upstream tools and local tools from a handler', async () => {
      expect(await nested('echo', { a: 1 })).toMatchObject({ text: 'far echoes {"a":1}', isError: false });
      expect(await text('local')).toBe('far echoes {}');
      const many = await text('own', { what: 'many' });
      expect(many.split('far echoes').length).toBe(51);
    });

    it('passes progress and logs of upstream servers to the handler', async () => {
      expect(await nested('progress')).toMatchObject({ text: 'done', steps: ['step 1', 'step 2'] });
      expect((await nested('log')).text).toBe('logged');
    });

    it('asks the client for an upstream server that a handler calls', async () => {
      expect((await nested('ask')).text).toBe('accept Your name?!');
      expect((await nested('ask_twice')).text).toBe('First?! Second?!');
    });

    it('answers a tool with hooks or checks in code by its upstream server', async () => {
      expect(await text('guarded', { a: 1 })).toContain('far echoes');
      expect(await text('guarded')).toContain('far echoes');
      expect(served.stderr().match(/prepared \d true/g)).toEqual(['prepared 1 true']);
      expect(await text('checked', { n: 2 })).toContain('far echoes {"n":2}');
      expect(await text('checked', { n: 'two' })).toContain('Invalid arguments');
    });

    it('finds a place by a function of the package, in the host and once', async () => {
      const [first, second] = [JSON.parse(await text('found')), JSON.parse(await text('same'))];
      expect(first.HOST_PID).toBe(await text('own', { what: 'pid' }));
      expect(first.PID).toMatch(/^\d+$/);
      expect(second).toEqual(first);
      expect(await text('by-module')).toBe('No kernel is known.');
    });

    it('shows upstream tools to code, also those that come later', async () => {
      expect(await text('own', { what: 'list' })).toContain('ask_twice');
      expect(await text('nested', { name: 'absent' })).toContain('This server has no tool "absent".');
      await call('change');
      let said = '';
      while (said !== 'late') said = await text('own', { what: 'late' });
    });

    it('cancels the upstream call with the call of the handler', async () => {
      const ending = new AbortController();
      const called = call('nested', { name: 'hang' }, { signal: ending.signal });
      setTimeout(() => ending.abort(), 100);
      await expect(called).rejects.toThrow();
      expect(await text('own', { what: 'lost' })).toBeDefined();
      expect((await nested('echo')).text).toBe('far echoes {}');
    });
  },
);

describe.concurrent('a host that dies while it calls an upstream server', () => {
  const said = ({ content }: Message): string => content[0].text;

  it('ends the call that blocks, and the next call reaches the upstream server', async () => {
    const program = await openProgram(server);
    const blocked = await program.call('block');
    expect(said(blocked)).toBe('Tool "block" gave no answer within 0.4 s.');
    expect(said(await program.call('nested', { name: 'echo' }))).toContain('far echoes');
    await program.end();
  });

  it('keeps the upstream server, and names the cause', async () => {
    const program = await openProgram(server);
    const { HOST_PID } = JSON.parse(said(await program.call('found')));
    const killed = await program.call('own', { what: 'kill' });
    expect(said(killed)).toBe('Tool "own" ended with the extension host, which was ended by SIGKILL.');
    expect(said(await program.call('own', { what: 'pid' }))).not.toBe(HOST_PID);
    expect(JSON.parse(said(await program.call('found'))).HOST_PID).toBe(HOST_PID);
    await program.end();
    await eventually(() => !isAlive(Number(HOST_PID)), 'the host is gone');
  });
});
