import { expect, test } from 'vitest';
import { findParamsFault } from '../../../src/engine/protocol/params.js';

test.each(['skills/get', 'resources/directory/read'])('the address that %s is about is a text', (method) => {
  for (const era of ['legacy', 'modern'] as const) {
    expect(findParamsFault(era, method, { uri: 5 })).toMatchObject({
      code: -32602,
      message: `Invalid params for ${method}: "uri" must be a string.`,
    });
    expect(findParamsFault(era, method, { uri: 'skill://tea' })).toBeUndefined();
  }
});

test.each([null, [], 5])('nothing of a task is answered with %j', (inputResponses) => {
  expect(findParamsFault('modern', 'tasks/update', { taskId: 'x', inputResponses })).toMatchObject({
    code: -32602,
    message: 'Invalid params for tasks/update: "inputResponses" must be an object.',
  });
});
