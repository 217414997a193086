import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RecordedServer, recordedServers, serveRecordings } from '../../support/recorded-servers.js';
import { eras, type Message, openBench, withoutTasks } from './support.js';

let recordings: Awaited<ReturnType<typeof serveRecordings>>;
beforeAll(async () => {
  recordings = await serveRecordings();
});
afterAll(async () => await recordings.close());

const lists = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;
const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

const wholeList = ({ exchanges }: RecordedServer, method: keyof typeof lists): readonly Message[] =>
  exchanges.filter((one) => one.method === method).flatMap(({ result }) => result?.[lists[method]] ?? []);

/** Keys of 2026-07-28 that AgentTools adds. */
function withoutModernKeys({ resultType, ttlMs, cacheScope, _meta, ...answer }: Message): Message {
  const { 'io.modelcontextprotocol/serverInfo': _, ...meta } = _meta ?? {};
  return { ...answer, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

describe.each(Object.entries(recordedServers))('the real server %s', (name, recorded) => {
  test.each(eras)(
    'has the same lists and answers through AgentTools for a client of the %s era',
    async (era) => {
      const place = { url: recordings.urlOf(name), headers: {}, transport: 'http' as const };
      const bench = await openBench([{ place }], { era, capabilities });
      for (const [method, key] of Object.entries(lists)) {
        const ours = await bench.request(method);
        const theirs = wholeList(recorded, method as keyof typeof lists);
        expect([method, ours[key]]).toEqual([method, withoutTasks(theirs)]);
      }
      if (era === 'modern') {
        const { instructions } = await bench.request('server/discover');
        expect(instructions).toBe(recorded.initialize.instructions);
      }
      for (const { method, params, result, error } of recorded.exchanges.filter(
        (one) => !(one.method in lists),
      )) {
        const answer = withoutModernKeys(await bench.request(method, params));
        expect([method, params, answer]).toEqual([method, params, result ?? error]);
      }
    },
  );
});

test('includes servers with prompts, resources, apps, instructions and errors', () => {
  const all = Object.values(recordedServers);
  expect(Object.keys(recordedServers).length).toBeGreaterThanOrEqual(13);
  for (const method of ['prompts/list', 'resources/list', 'resources/templates/list'] as const) {
    expect(all.filter((one) => wholeList(one, method).length > 0).length).toBeGreaterThan(1);
  }
  expect(all.filter(({ initialize }) => initialize.instructions).length).toBeGreaterThan(1);
  expect(all.some((one) => wholeList(one, 'tools/list').some(({ _meta }) => _meta?.ui))).toBe(true);
  expect(all.some(({ exchanges }) => exchanges.some(({ error }) => error?.code === -32_603))).toBe(true);
});
