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
