import { describe, expect, test } from 'vitest';
import { scenarios } from '../support/torture.js';
import { pages } from './support/pages.js';

const [head = [], , ...rows] = pages['config-editing']!.split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

describe('the table of config files', () => {
  test('has the tested scenarios, with the results of the tests for AgentTools', () => {
    expect(head.slice(0, 2)).toEqual(['scenario', 'AgentTools']);
    expect(rows.map(([scenario, ours]) => [scenario, ours])).toEqual(Object.entries(scenarios));
  });

  test('has a cell for every program in every row', () => {
    expect(rows.filter((row) => row.length !== head.length || row.includes(''))).toEqual([]);
  });
});
