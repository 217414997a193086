import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';

describe.each(revisions)('a tool that an entry changes (%s)', (revision) => {
  let server: Connected;
  const schemaOf = async (name: string) => (await server.tool(name)).inputSchema;
  const packed = async (name: string, args: object) =>
    (await server.call(name, { ...args })).structuredContent?.packed;

  beforeAll(async () => {
    server = await connect(`${installFixture('authoring')}/changed`, { revision });
  });

  test('is still there as it was [N-28]', async () => {
    expect(await packed('pack', { item: 'hat' })).toEqual({
      item: 'hat',
      count: 1,
      size: 'm',
      colour: 'green',
    });
  });

  test('calls an argument otherwise, and its handler does not notice [N-38]', async () => {
    const { properties, required } = await schemaOf('renamed');
    expect(properties.thing).toEqual({ type: 'string', description: 'The thing.' });
    expect(properties).not.toHaveProperty('item');
    expect(required).toEqual(['thing']);
    expect(await packed('renamed', { thing: 'hat' })).toMatchObject({ item: 'hat' });
    expect(await server.call('renamed', { item: 'hat' })).toMatchObject({ isError: true });
  });

  test('takes fewer values [N-38]', async () => {
    expect((await schemaOf('pruned')).properties.size.enum).toEqual(['s', 'm']);
    expect(await packed('pruned', { item: 'hat', size: 's' })).toMatchObject({ size: 's' });
    expect(await server.call('pruned', { item: 'hat', size: 'xl' })).toMatchObject({ isError: true });
  });

  test('hides arguments, but passes their defaults [N-38]', async () => {
    expect(Object.keys((await schemaOf('hiding')).properties)).toEqual(['item', 'size']);
    expect(await packed('hiding', { item: 'hat' })).toMatchObject({ colour: 'green', count: 3 });
  });

  test('fixes arguments, regardless of sent values [N-38]', async () => {
    expect(Object.keys((await schemaOf('pinned')).properties)).toEqual(['item', 'size']);
    expect(await packed('pinned', { item: 'hat', colour: 'blue' })).toMatchObject({
      colour: 'red',
      count: 2,
    });
  });

  test('is described by the entry [N-09, N-38]', async () => {
    expect(await server.tool('told')).toMatchObject({
      title: 'Told Otherwise',
      description: 'Packs as well.',
      annotations: { readOnlyHint: true },
      icons: [{ src: 'https://acme.example/bag.png' }],
      _meta: { 'acme.example/weight': 5 },
    });
  });
});
