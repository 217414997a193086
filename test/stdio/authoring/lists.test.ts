import { describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';

const authoring = installFixture('authoring');

/** The methods that list, with what they list under which key. */
const lists = {
  'tools/list': ['tools', 'tool'],
  'prompts/list': ['prompts', 'prompt'],
  'resources/list': ['resources', 'resource'],
  'resources/templates/list': ['resourceTemplates', 'template'],
} as const;

/** The one page that a cursor stands for, as the server answered. */
async function page({ client, lastAnswer }: Connected, method: keyof typeof lists, cursor?: string) {
  const params = cursor === undefined ? {} : { cursor };
  const ask = {
    'tools/list': () => client.request({ method: 'tools/list', params }),
    'prompts/list': () => client.request({ method: 'prompts/list', params }),
    'resources/list': () => client.request({ method: 'resources/list', params }),
    'resources/templates/list': () => client.request({ method: 'resources/templates/list', params }),
  };
  await ask[method]();
  return lastAnswer().result;
}

describe.each(revisions)('lists that are longer than a page (%s)', (revision) => {
  test.each(Object.entries(lists))('are read page by page (%s) [N-63]', async (method, [key, name]) => {
    const server = await connect(`${authoring}/many`, { revision });
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const got = await page(server, method as keyof typeof lists, cursor);
      names.push(...got[key].map((entry: { name: string }) => entry.name));
      cursor = got.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(names).toEqual([1, 2, 3, 4, 5].map((n) => `${name}-${n}`));
    expect(pages).toBe(3);
  });

  test.each(Object.keys(lists))('refuse cursors that are not theirs (%s) [N-63]', async (method) => {
    const server = await connect(`${authoring}/many`, { revision });
    for (const cursor of ['nonsense', 'LTE=', '']) {
      await expect(page(server, method as keyof typeof lists, cursor)).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  test('send cache hints in revisions that have them [L-100]', async () => {
    const server = await connect(`${authoring}/many`, { revision });
    for (const method of Object.keys(lists)) {
      const { ttlMs, cacheScope } = await page(server, method as keyof typeof lists);
      expect([ttlMs, cacheScope]).toEqual(
        revision === '2026-07-28' ? [5_000, 'public'] : [undefined, undefined],
      );
    }
  });
});
