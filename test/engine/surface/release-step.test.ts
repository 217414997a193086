import { describe, expect, test } from 'vitest';
import { greatestStep, stepBetween, versionAfter } from '../../../src/engine/surface/release-step.js';

describe('the step between two versions', () => {
  test.each([
    ['1.2.3', '2.0.0', 'major'],
    ['1.2.3', '1.3.0', 'minor'],
    ['1.2.3', '1.2.4', 'patch'],
    ['1.2.3', '1.2.3', undefined],
    ['1.2.3', '1.1.9', undefined],
    ['1.2.3', 'next', undefined],
    ['1.2.3', '2.0.0-beta.1', 'major'],
    ['2.0.0-beta.1', '2.0.0', 'major'],
    ['2.0.0', '2.0.0-beta.1', undefined],
    // The caret range ^0.2.3 ends before 0.3.0.
    ['0.2.3', '0.3.0', 'major'],
    ['0.2.3', '0.2.4', 'minor'],
    ['0.2.3', '1.0.0', 'major'],
    ['0.0.3', '0.0.4', 'major'],
  ])('from %s to %s is %s', (before, after, step) => {
    expect(stepBetween(before, after)).toBe(step);
  });
});

describe('the version after a step', () => {
  test.each([
    ['1.2.3', 'major', '2.0.0'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'patch', '1.2.4'],
    ['0.2.3', 'major', '0.3.0'],
    ['0.2.3', 'minor', '0.2.4'],
    ['0.0.3', 'major', '0.0.4'],
  ] as const)('%s and a %s step is %s', (version, step, next) => {
    expect(versionAfter(version, step)).toBe(next);
    expect(greatestStep([stepBetween(version, next)!, step])).toBe(stepBetween(version, next));
  });
});
