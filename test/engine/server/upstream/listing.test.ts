import { describe, expect, test } from 'vitest';
import { eras, eventually, openBench, pairs, scripted } from './support.js';

describe.each(pairs)('$downstream downstream, $upstream upstream', ({ downstream, upstream }) => {
  test('tools of an upstream server are listed and called as it says', async () => {
    const far = scripted({ era: upstream, tools: ['echo', 'rich'] });
    const { request, call } = await openBench([{ place: far.place }], { era: downstream });
    const { tools } = await request('tools/list');
    expect(tools).toEqual([
      { name: 'echo', description: 'Does echo.', inputSchema: { type: 'object', properties: {} } },
      {
        name: 'rich',
        title: 'Rich',
        description: 'Has everything.',
        inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://example.com/icon.png' }],
        // Its app is not served here.
        _meta: { category: 'theirs', own: 1 },
      },
    ]);
    const echoed = await call('echo', { any: [1] });
    expect(echoed.content).toEqual([{ type: 'text', text: 'scripted echoes {"any":[1]}' }]);
    const rich = await call('rich', { a: 3 });
    expect(rich).toMatchObject({ structuredContent: { sum: 3 }, _meta: { own: 2 } });
    expect(rich._meta.ui).toBeUndefined();
  });
});

test('nothing is started by a handshake or a ping, and one process serves all who ask', async () => {
  const far = scripted();
  const { request, names, call } = await openBench([{ place: far.place }]);
  await request('ping');
  expect(far.noted()).toEqual([]);
  await Promise.all([names(), names(), call('echo')]);
  expect(far.noted().filter((line) => line === 'start')).toHaveLength(1);
});
