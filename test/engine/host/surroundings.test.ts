import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let user = 0;

beforeEach(() => {
  vi.resetModules();
  vi.spyOn(process as Required<NodeJS.Process>, 'geteuid').mockImplementation(() => user);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test.skipIf(process.platform === 'win32')(
  'a call that changes the user of the process makes a lasting difference',
  async () => {
    const { captureSurroundings } = await import('../../../src/engine/host/surroundings.js');
    const surroundings = captureSurroundings();
    expect(surroundings.quickDifference()).toBeUndefined();
    expect(surroundings.difference()).toBeUndefined();
    user = 1000;
    expect(surroundings.quickDifference()).toBe('the user of the process was changed');
    expect(surroundings.heal()).toBe('the user of the process was changed');
  },
);

test.each<[string, boolean | undefined, PropertyDescriptor]>([
  ['is kept if code can read it', undefined, { value: new Proxy(process.env, {}) }],
  ['is put back if reading it throws', true, { value: new Proxy({}, { has: () => unreadable() }) }],
  ['is put back if it is a getter that throws', true, { get: unreadable }],
])('an environment that a module has replaced %s', async (_, repaired, replacement) => {
  const { captureSurroundings, repairEnv } = await import('../../../src/engine/host/surroundings.js');
  const original = Object.getOwnPropertyDescriptor(process, 'env')!;
  try {
    Object.defineProperty(process, 'env', { ...replacement, configurable: true, enumerable: true });
    expect(repairEnv()).toBe(repaired);
    expect(process.env.PATH).toBe(original.value.PATH);
    expect(captureSurroundings().quickDifference()).toBeUndefined();
  } finally {
    Object.defineProperty(process, 'env', original);
  }
});

test('a call that replaces the prototype of the environment is undone', async () => {
  const { captureSurroundings } = await import('../../../src/engine/host/surroundings.js');
  const surroundings = captureSurroundings();
  const prototype = Object.getPrototypeOf(process.env);
  Object.setPrototypeOf(process.env, { NO_SUCH: '1' });
  const found = surroundings.quickDifference();
  expect(surroundings.heal()).toBeUndefined();
  expect(found).toBe('the prototype of process.env was replaced');
  expect(Object.getPrototypeOf(process.env)).toBe(prototype);
});

function unreadable(): never {
  throw new Error('no');
}
