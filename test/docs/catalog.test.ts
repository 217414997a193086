import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.js';
import { compose, openSession } from '../support/session.js';
import { blocks, pages } from './support/pages.js';

const page = pages.catalog ?? '';
const definition = blocks.find(({ words }) => words.package === 'many' && words.file?.endsWith('.json'));
const names = Array.from({ length: 200 }, (_, index) => `forecast_${index + 1}`);

/** The bytes of a row of the table. */
function told(what: string): number {
  const row = page.split('\n').find((line) => line.startsWith(`| ${what}`)) ?? '';
  return Number(/\| ([\d ]+) \|$/.exec(row)?.[1]?.replaceAll(' ', ''));
}

async function open(toolList: 'all' | 'catalog') {
  const tool = JSON.parse(definition?.text ?? '') as object;
  const composed = await compose(
    { tools: names },
    {
      ...Object.fromEntries(names.map((name) => [`agenttools/tools/${name}.json`, tool])),
      'forecast.js': 'export default () => 1;',
    },
    { toolList, builtinFolder: path.join(root, 'src/builtin') },
  );
  return await openSession(composed);
}

const bytesOf = (result: unknown) => Buffer.byteLength(JSON.stringify(result));

test('has the byte counts that the page gives for a list and a catalog', async () => {
  const all = await open('all');
  const catalog = await open('catalog');
  const call = async (name: string, args: object) =>
    bytesOf((await catalog.request('tools/call', { name, arguments: args })).structuredContent);
  expect({
    all: bytesOf(await all.request('tools/list')),
    catalog: bytesOf(await catalog.request('tools/list')),
    find: await call('find_tools', { query: 'weather forecast' }),
    inspect: await call('inspect_tool', { names: ['forecast_1'] }),
  }).toEqual({
    all: told('`tools/list`, all'),
    catalog: told('`tools/list`, catalog'),
    find: told('`find_tools` with a query'),
    inspect: told('`inspect_tool`, one tool'),
  });
});
