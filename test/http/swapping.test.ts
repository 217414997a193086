import { expect, it } from 'vitest';
import { makeKitHome } from '../support/added-packages.js';
import { connectHttp } from '../support/http-client.js';
import { startHttp } from '../support/http-program.js';
import { type Files, packageJson } from '../support/packages.js';
import { eventually, type Message } from '../support/program.js';

const version = (number: number): Files => ({
  'package.json': packageJson({ tools: ['count', `only-${number}`] }, { version: `${number}.0.0` }),
  'agenttools/tools.json': {
    count: { description: 'Counts.', handler: './code.js#count' },
    [`only-${number}`]: { description: 'Is new.', handler: './code.js#count' },
  },
  'code.js': `
    export const count = (_, { session }) => {
      session.set('count', (session.get('count') ?? 0) + 1);
      return { version: ${number}, count: session.get('count') };
    };`,
});

it('swaps an updated package behind sessions over HTTP, which stay open', async () => {
  const { home, put } = makeKitHome();
  await put(version(1));
  const program = await startHttp('@acme/kit', { env: { AGENTTOOLS_HOME: home } });
  let changes = 0;
  const onChanged = () => {
    changes += 1;
  };
  const client = await connectHttp(program.url, {
    mode: 'legacy',
    prepare: (one) => one.setNotificationHandler('notifications/tools/list_changed', onChanged),
  });
  const count = async () => ((await client.callTool({ name: 'count' })) as Message).structuredContent;
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toEqual(['count', 'only-1']);
  expect(await count()).toEqual({ version: 1, count: 1 });
  await put(version(2));
  await eventually(() => changes === 1, 'the notification');
  expect(await names()).toEqual(['count', 'only-2']);
  expect(await count()).toEqual({ version: 2, count: 2 });
  await client.close();
  expect(await program.end()).toBe(0);
});
