import { expect, test } from 'vitest';
import { tellingLine } from '../../../src/engine/base/telling-line.js';

const nodeCrash = `node:internal/modules/run_main:123
    triggerUncaughtException(
    ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/library' imported from /server.js
    at packageResolve (node:internal/modules/esm/resolve:767:81) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v20.20.2
`;

test.each([
  [nodeCrash, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/library' imported from /server.js"],
  ['Traceback\n  File "x.py"\nImportError: no module\n', 'ImportError: no module'],
  ['starting\nno token is set\n', 'no token is set'],
  ['no token is set\n    at main (x.js:1:2)\nNode.js v20.20.2\n', 'no token is set'],
  ['\n \n', undefined],
])('explains the end of a program by one line: %j', (stderr, line) => {
  expect(tellingLine(stderr)).toBe(line);
});
