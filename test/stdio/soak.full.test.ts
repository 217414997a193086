import { readFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { writePackage } from '../support/packages.js';
import { type Program, startProgram } from '../support/program.js';
import { call, cancelled, legacy, modern } from './support/messages.js';

const callCount = 100_000;

/** How much of that is to find out what the process needs at all. */
const warmUp = 50_000;

/** Of the mebibytes after that: 50 bytes that each call leaves behind come to this. */
const tolerance = 2;

/** Kinds of requests, by turns. Each has one answer. */
const kinds: readonly ((id: number) => object)[] = [
  (id) => call(id, 'echo', { id }),
  (id) => modern(id, 'tools/call', { name: 'echo', arguments: { id } }),
  (id) => call(id, 'steps', { id }, { progressToken: id }),
  (id) => modern(id, 'tools/call', { name: 'steps', arguments: { id }, _meta: { progressToken: id } }),
  (id) => call(id, 'echo', { id: 'no number' }),
  (id) => call(id, 'fail', { id }),
  (id) => call(id, `unknown-${id}`),
  (id) => modern(id, 'tools/call', { name: 'ask', _meta: capable }),
  (id) =>
    modern(id, 'tools/call', {
      name: 'ask',
      inputResponses: { e1: { action: 'accept', content: { name: `N${id}` } } },
      _meta: capable,
    }),
  (id) => legacy(id, 'resources/read', { uri: `soak://${id}` }),
  (id) => modern(id, 'resources/read', { uri: `soak://${id}` }),
  (id) => legacy(id, 'prompts/get', { name: 'hello', arguments: { who: `${id}` } }),
  (id) => legacy(id, 'tools/list'),
  (id) => modern(id, `unknown/${id}`),
];

const capable = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };

const directory = writePackage(
  { tools: ['echo', 'steps', 'fail', 'ask', 'wait', 'heap'], prompts: ['hello'], resources: ['page'] },
  {
    'agenttools/tools.json': Object.fromEntries(
      ['echo', 'steps', 'fail', 'ask', 'wait', 'heap'].map((name) => [
        name,
        { description: name, input: { id: 'number' }, handler: `./src/tools.js#${name}` },
      ]),
    ),
    'agenttools/prompts.json': {
      hello: {
        arguments: [{ name: 'who' }],
        description: 'Greets.',
        content: { template: 'Hello, {{who}}!' },
      },
    },
    'agenttools/resources.json': {
      page: { uriTemplate: 'soak://{id}', description: 'A page.', read: './src/tools.js#page' },
    },
    'src/heap.js': transformSync(readFileSync(path.join(import.meta.dirname, '../support/heap.ts')), {
      loader: 'ts',
    }).code,
    'src/tools.js': `
      import { heapInUse } from './heap.js';
      export const echo = (args) => JSON.stringify(args);
      export const steps = (args, { progress, log }) => {
        for (const step of [1, 2, 3]) progress(step);
        log.info('done');
        return 'done';
      };
      export const fail = ({ id }) => {
        throw Object.assign(new Error('no ' + id), { [Symbol.for('agenttools/tool-error')]: true });
      };
      export const ask = async (args, ctx) => (await ctx.elicit('Who?', { name: 'string' })).content.name;
      export const wait = (args, { signal }) =>
        signal.aborted || new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      export const heap = async () => String(await heapInUse());
      export const page = (uri) => uri;
    `,
  },
);

test(`${callCount} calls leave nothing behind`, async () => {
  const program = startProgram(directory);
  await program.initialize();
  const answered = counter(program);
  let id = 0;
  const callUntil = async (count: number): Promise<number> => {
    while (id < count) {
      const volley = Array.from({ length: 500 }, () => {
        id += 1;
        return kinds[id % kinds.length]!(id);
      });
      program.send(volley.map((message) => JSON.stringify(message)).join('\n'));
      // What is cancelled has no answer.
      program.send(call(`waiting-${id}`, 'wait'), cancelled(`waiting-${id}`));
      program.send(modern(`listening-${id}`, 'subscriptions/listen', { notifications: {} }));
      program.send(cancelled(`listening-${id}`));
      await program.until(() => answered() >= id || undefined, `${id} answers`);
    }
    return Number(await program.textOf('heap'));
  };
  const before = await callUntil(warmUp);
  const after = await callUntil(callCount);
  expect(after - before).toBeLessThan(tolerance);
  expect(await program.end()).toEqual({ code: 0, signal: null });
}, 240_000);

/** How many of the numbered requests were answered. */
function counter(program: Program): () => number {
  let seen = 0;
  let count = 0;
  return () => {
    for (; seen < program.messages.length; seen += 1) {
      const { id, method } = program.messages[seen];
      if (method === undefined && typeof id === 'number') count += 1;
    }
    return count;
  };
}
