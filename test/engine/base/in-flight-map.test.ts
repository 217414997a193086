import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { InFlightMap } from '../../../src/engine/base/in-flight-map.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

describe('`InFlightMap`', () => {
  test('keeps its entries over many additions', () => {
    const map = new InFlightMap<number, string>();
    for (let key = 0; key < 2000; key += 1) {
      map.set(key, `${key}`);
      if (key >= 600) expect(map.delete(key - 600)).toBe(true);
    }
    expect(map.size).toBe(600);
    expect(map.values().slice(0, 2)).toEqual(['1400', '1401']);
    expect([...map].at(-1)).toEqual([1999, '1999']);
    expect([map.has(1399), map.get(1399), map.get(1400)]).toEqual([false, undefined, '1400']);
    map.clear();
    expect(map.size).toBe(0);
  });

  test('lets minor collections free removed entries', () => {
    const map = new InFlightMap<number, object>();
    // A map in the old generation is the problem.
    for (let key = -100; key < 0; key += 1) map.set(key, {});
    map.clear();
    collect();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let key = 0; key < 20_000; key += 1) {
      map.set(key, new Array(100).fill(key));
      map.delete(key - 8);
      if (key % 500 === 0) collect({ type: 'minor' });
    }
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  });
});
