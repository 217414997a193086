import { describe, expect, test } from 'vitest';
import { type Bench, eventually, openBench, type Script, scripted } from './support.js';

const capabilities = { roots: { listChanged: true } };
const work = [{ uri: 'file:///work', name: 'Work' }];
const asksRoots = () => scripted({ era: 'legacy', asksRoots: true });
const places = ({ noted }: Script) => noted().filter((line) => line.startsWith('works in '));

/** Waits until an upstream server believes that clients work in a place. It may ask more than once. */
const learns = async (far: Script, place: string) =>
  await eventually(() => places(far).at(-1) === `works in ${place}`);

/** Has the client of a bench say that it works elsewhere. */
async function move({ pipe, hears }: Bench, uri: string): Promise<void> {
  pipe.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  const { id } = await hears('roots/list');
  pipe.send({ jsonrpc: '2.0', id, result: { roots: [{ uri }] } });
}

describe('an upstream server that asks for roots outside any call', () => {
  test('gets the roots of the client, and asks again after a change', async () => {
    const far = asksRoots();
    const bench = await openBench([{ place: far.place }], { capabilities, roots: work });
    await bench.names();
    await learns(far, 'file:///work');
    expect(places(far)).not.toContain('works in nothing');
    await move(bench, 'file:///elsewhere');
    await learns(far, 'file:///elsewhere');
  });

  test('waits for an answer of the client that is on its way', async () => {
    const far = asksRoots();
    const { names, hears, pipe } = await openBench([{ place: far.place }], { capabilities, roots: null });
    const { id } = await hears('roots/list');
    await names();
    expect(places(far)).toEqual([]);
    pipe.send({ jsonrpc: '2.0', id, result: { roots: work } });
    await eventually(() => places(far).length > 0);
    expect(places(far)[0]).toBe('works in file:///work');
  });

  test('works without an answer of the client, and asks again after it', async () => {
    const far = asksRoots();
    const { names, hears, pipe } = await openBench([{ place: far.place }], { capabilities, roots: null });
    const { id } = await hears('roots/list');
    await names();
    await learns(far, 'nothing');
    pipe.send({ jsonrpc: '2.0', id, result: { roots: work } });
    await learns(far, 'file:///work');
  });

  test('gets no roots while clients have different ones', async () => {
    const far = asksRoots();
    const bench = await openBench([{ place: far.place }], { capabilities, roots: work });
    await bench.names();
    await learns(far, 'file:///work');
    const other = await bench.another();
    await move(other, 'file:///secret');
    await learns(far, 'nothing');
    other.pipe.input.end();
    await learns(far, 'file:///work');
    expect(places(far)).not.toContain('works in file:///secret');
  });

  test.each([
    ['of 2026-07-28, which can be asked within calls alone', 'modern', capabilities],
    ['that has none', 'legacy', {}],
  ] as const)('gets no roots for a client %s', async (_who, era, has) => {
    const far = asksRoots();
    const { names, says } = await openBench([{ place: far.place }], { era, capabilities: has });
    await names();
    await eventually(() => places(far).length === 1);
    expect(places(far)).toEqual(['works in nothing']);
    expect(await says('echo')).toBe('scripted echoes {}');
  });
});
