import { expect, test } from 'vitest';
import { findParamsFault } from '../../../../src/engine/server/protocol/params.js';

test.each([null, [], 5])('nothing of a task is answered with %j', (inputResponses) => {
  expect(findParamsFault('modern', 'tasks/update', { taskId: 'x', inputResponses })).toMatchObject({
    code: -32602,
    message: 'Invalid params for tasks/update: "inputResponses" must be an object.',
  });
});
