import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.mjs';
import * as handlers from './servers/handlers.mjs';
import { countedTool, jsonSchemaOf, tools } from './tools.mjs';

const answers = new Map(
  tools.map(({ name, call }) => [name, new Map(Object.entries(handlers)).get(name)(call)]),
);

const clientInfo = { name: 'bench', version: '1.0.0' };

/** How a client of each era opens, and what each of its requests carries. */
const eras = {
  '2025-11-25': {
    params: (own) => own,
    async open(connection) {
      const { protocolVersion } = await connection.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo,
      });
      assert.equal(protocolVersion, '2025-11-25');
      connection.notify('notifications/initialized');
    },
  },
  '2026-07-28': {
    params: (own) => ({
      ...own,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    async open() {},
  },
};

/** Everything that is measured. A measurement is a fresh process of one contestant. */
export const measurements = [
  {
    id: 'start-2025',
    group: 'start',
    title: 'Start: spawn to tools/list, 2025-11-25',
    brief: 'start 2025-11-25',
    era: '2025-11-25',
    run: start,
  },
  {
    id: 'start-2026',
    group: 'start',
    title: 'Start: spawn to tools/list, 2026-07-28',
    brief: 'start 2026-07-28',
    era: '2026-07-28',
    run: start,
  },
  {
    id: 'calls-1',
    group: 'calls',
    title: 'Calls one by one, 2025-11-25',
    brief: 'one by one',
    era: '2025-11-25',
    run: calls(1, 12_000),
  },
  {
    id: 'calls-64',
    group: 'calls',
    title: 'Calls 64 at a time, 2025-11-25',
    brief: '64 at a time',
    era: '2025-11-25',
    run: calls(64, 12_000),
  },
  {
    id: 'calls-64-2026',
    group: 'calls',
    title: 'Calls 64 at a time, 2026-07-28',
    brief: '64 at a time, 2026-07-28',
    era: '2026-07-28',
    run: calls(64, 12_000),
  },
  {
    id: 'memory',
    group: 'memory',
    title: 'Memory after 10 tools listed and 1000 calls',
    brief: 'memory',
    era: '2025-11-25',
    run: memory,
  },
];

/** The numbers each group gives, in the order they are shown. */
export const metrics = {
  start: [
    { key: 'ms', unit: 'ms', digits: 0, showsSpread: true, inSummary: true },
    { key: 'cpu', unit: 'CPU ms', digits: 0 },
    { key: 'firstCall', unit: 'first call ms', digits: 1, inSummary: true },
  ],
  calls: [{ key: 'perSecond', unit: 'calls/s', digits: 0, showsSpread: true, inSummary: true }],
  memory: [
    { key: 'rss', unit: 'RSS MiB', digits: 1, showsSpread: true, inSummary: true },
    { key: 'pss', unit: 'Pss MiB', digits: 1, showsSpread: true },
  ],
};

async function start(contestant, era) {
  const startedAt = performance.now();
  return await connected(contestant, async (connection) => {
    await eras[era].open(connection);
    const listed = await connection.request('tools/list', eras[era].params({}));
    const ms = performance.now() - startedAt;
    const cpu = connection.cpuMs();
    checkTools(listed);
    return { ms, cpu, firstCall: await firstCall(connection, era) };
  });
}

/** How long the first call takes, right after the list: what was put off at the start is paid here. */
async function firstCall(connection, era) {
  const startedAt = performance.now();
  const result = await connection.request('tools/call', countedCall(era));
  const ms = performance.now() - startedAt;
  checkerOf(countedTool)(result);
  return ms;
}

const countedCall = (era) => eras[era].params({ name: countedTool.name, arguments: countedTool.call });

function calls(window, count) {
  return async (contestant, era) =>
    await connected(contestant, async (connection) => {
      await eras[era].open(connection);
      const flood = {
        window,
        method: 'tools/call',
        params: countedCall(era),
        check: checkerOf(countedTool),
      };
      await connection.flood({ ...flood, count: 2000 });
      const startedAt = performance.now();
      await connection.flood({ ...flood, count });
      return { perSecond: count / ((performance.now() - startedAt) / 1000) };
    });
}

async function memory(contestant, era) {
  return await connected(contestant, async (connection) => {
    await eras[era].open(connection);
    checkTools(await connection.request('tools/list', eras[era].params({})));
    for (let turn = 0; turn < 1000; turn += 1) {
      const tool = tools[turn % tools.length];
      const params = eras[era].params({ name: tool.name, arguments: tool.call });
      checkerOf(tool)(await connection.request('tools/call', params));
    }
    await sleep(100);
    return connection.memory();
  });
}

async function connected(contestant, work) {
  const connection = new Connection(contestant);
  try {
    return await work(connection);
  } catch (error) {
    throw new Error(`${contestant.label}: ${error.message}`, { cause: error });
  } finally {
    await connection.close();
  }
}

/** All ten tools, with what a model reads of them. */
function checkTools({ tools: listed }) {
  const facts = ({ name, description, inputSchema: { type, properties, required = [] } }) => ({
    name,
    description,
    type,
    properties: Object.fromEntries(
      Object.entries(properties).map(([property, { type, description, enum: values }]) => [
        property,
        { type, description, values },
      ]),
    ),
    required: required.filter((property) => properties[property].default === undefined),
  });
  const expected = tools.map((tool) => facts({ ...tool, inputSchema: jsonSchemaOf(tool) }));
  const byName = (one, other) => one.name.localeCompare(other.name);
  assert.deepEqual(listed.map(facts).sort(byName), expected.sort(byName));
}

function checkerOf({ name }) {
  const text = answers.get(name);
  return ({ content, isError }) => {
    if (isError || content.length !== 1 || content[0].text !== text) {
      throw new Error(`${name} answered ${JSON.stringify(content)} instead of ${JSON.stringify(text)}`);
    }
  };
}
