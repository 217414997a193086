import { expect, test } from 'vitest';
import { endingWords } from '../../../src/engine/upstream/error-text.js';

const npm = `npm error code E404
npm error 404 Not Found - GET https://registry.example/none
npm error 404
npm error 404  The requested resource 'none@*' could not be found.
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log
`;

const node = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

TypeError: greet is not a function
    at Object.<anonymous> (/srv/greeter.js:3:1)

Node.js v20.19.0
`;

test.each([
  ['npm', npm, 'npm error 404 Not Found - GET https://registry.example/none'],
  ['Node', node, 'TypeError: greet is not a function'],
  ['a program', 'starting\nerror: no such database\nbye\n', 'error: no such database'],
  ['one without an error', 'starting\nno database\n    at open (db.js:1:1)\n', 'no database'],
])('finds the line with the reason in the output of %s', (_who, stderr, line) => {
  expect(endingWords({ code: 1, signal: null }, stderr, (text) => text)).toBe(
    `it exited with code 1. It wrote to stderr: ${line}`,
  );
});

test('describes a program without error text by its exit', () => {
  const frames = '    at open (db.js:1:1)\n\nNode.js v20.19.0\n';
  for (const stderr of ['', frames]) {
    expect(endingWords({ code: null, signal: 'SIGKILL' }, stderr, (text) => text)).toBe(
      'it was ended by SIGKILL',
    );
  }
});
