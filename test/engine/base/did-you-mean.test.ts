import { describe, expect, test } from 'vitest';
import { didYouMean } from '../../../src/engine/base/did-you-mean.js';

describe('did you mean', () => {
  const known = ['forecast', 'alerts', 'radar', 'Search'];

  test.each([
    ['forcast', 'forecast'],
    ['forecats', 'forecast'],
    ['alert', 'alerts'],
    ['RADAR', 'radar'],
    ['serach', 'Search'],
    ['search', 'Search'],
  ])('%s: %s', (mistyped, meant) => {
    expect(didYouMean(mistyped, known)).toBe(meant);
  });

  test.each(['banana', 'x', '', 'forecastings-of-old'])('%j resembles none', (name) => {
    expect(didYouMean(name, known)).toBeUndefined();
  });

  test('the nearest of several counts', () => {
    expect(didYouMean('forecastx', ['forecaster', 'forecast'])).toBe('forecast');
  });
});
