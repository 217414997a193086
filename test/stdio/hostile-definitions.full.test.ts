import { describe, test } from 'vitest';
import { expectOthersWork, hostileDefinitions } from '../support/hostile-definitions.js';

describe.concurrent('a definition that harms its process', () => {
  test.each(Object.entries(hostileDefinitions))('%s, and all others work', async (_, code) => {
    await expectOthersWork(code);
  });
});
