import { expect, test } from 'vitest';
import { compose, openSession } from '../support/session.js';
import { examplePackages } from './support/example-packages.js';
import { blocks } from './support/pages.js';

const vault = examplePackages(blocks).find(({ page, name }) => page === 'visibility' && name === 'kit')!;
const field = 'acme.example/word';
const unlock = { name: 'unlock', arguments: { word: 'sesame' } };
const notice = 'notifications/tools/list_changed';

const manifest = { servers: ['vault'], tools: ['unlock', 'gold'] };

test.each(['legacy', 'modern'] as const)('the vault of the page unlocks its list (%s)', async (era) => {
  const { served } = await compose(manifest, vault.files);
  const session = await openSession({ served }, { era });
  const toolNames = async (meta?: object) => {
    const { tools } = await session.request('tools/list', {}, meta);
    return tools.map(({ name }: { name: string }) => name);
  };
  const heard = () => session.notifications.filter(({ method }) => method === notice).length;
  if (era === 'modern') session.send('subscriptions/listen', { notifications: { toolsListChanged: true } });
  expect(await toolNames()).toEqual(['unlock']);

  const { _meta } = await session.request('tools/call', unlock);

  expect(_meta[field]).toBe('sesame');
  await expect.poll(heard).toBe(1);
  expect(await toolNames({ [field]: _meta[field] })).toEqual(['unlock', 'gold']);
  expect(await toolNames({ [field]: 'wrong' })).toEqual(era === 'legacy' ? ['unlock', 'gold'] : ['unlock']);
});
