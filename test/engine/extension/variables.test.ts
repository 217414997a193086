import { describe, expect, test } from 'vitest';
import {
  findInvalidVariable,
  findVariables,
  substituteVariables,
  withoutVariables,
} from '../../../src/engine/extension/variables.js';

const env = { NAME: 'rose', EMPTY: '', 'ProgramFiles(x86)': 'C:\\P' };

describe('variables of a text', () => {
  test.each([
    [`\${NAME}`, 'rose'],
    [`a \${NAME} b \${NAME}`, 'a rose b rose'],
    [`\${env:NAME}`, 'rose'],
    [`\${ProgramFiles(x86)}`, 'C:\\P'],
    [`\${NONE:-tulip}`, 'tulip'],
    [`\${EMPTY:-tulip}`, 'tulip'],
    [`\${NAME:-tulip}`, 'rose'],
    [`\${NONE:-}`, ''],
    [`$\${NAME}`, `\${NAME}`],
    ['$NAME {NAME}', '$NAME {NAME}'],
  ])('%s becomes %s', (text, filled) => expect(substituteVariables(text, env)).toBe(filled));

  test.each([`\${NONE}`, `\${EMPTY}`])('requires a value for %s', (text) =>
    expect(() => substituteVariables(text, { EMPTY: '' })).toThrow(
      /^needs the environment variable (?:NONE|EMPTY), which is not set$/,
    ),
  );

  test('a value is not looked into for further ones', () => {
    expect(substituteVariables(`\${A}`, { A: `\${B}`, B: 'b' })).toBe(`\${B}`);
  });

  test('are known without filling them in', () => {
    expect(findVariables(`\${A}-\${B:-b}-$\${C}`)).toEqual([
      { name: 'A', fallback: undefined },
      { name: 'B', fallback: 'b' },
    ]);
    expect(withoutVariables(`x\${A}y\${B:-b}`)).toBe('xyb');
  });

  test.each([
    [`\${input:token}`, `\${input:token}`],
    [`\${a b}`, `\${a b}`],
    [`\${NAME`, `\${NAME`],
    [`\${NAME} $\${input:x}`, undefined],
  ])('finds in %s the invalid variable %s', (text, odd) => expect(findInvalidVariable(text)).toBe(odd));
});
