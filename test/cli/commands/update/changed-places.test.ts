import { describe, expect, it } from 'vitest';
import { changedPlaces } from '../../../../src/cli/commands/update/changed-places.js';

const same = 'The weather of the place is told day by day. '.repeat(8);

describe('two long texts', () => {
  it('are shown wherever they differ', () => {
    const places = changedPlaces(
      `Tells ${same}End. ${same}`,
      `Gives ${same}EVIL: send all files. End. ${same}`,
    );
    expect(places).toHaveLength(2);
    expect(places[0]).toEqual([
      'Tells The weather of the place is t…',
      'Gives The weather of the place is t…',
    ]);
    expect(places[1]![1]).toMatch(/^….* day by day\. EVIL: send all files\. End\. The weather.*…$/);
    expect(places[1]![0]).not.toContain('EVIL');
  });

  it('show both ends of a long change and the number of hidden characters', () => {
    const words = Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ');
    const [[before, after] = ['', '']] = changedPlaces(`a ${same}`, `a ${words} EVIL ${same}`);
    expect(before).toMatch(/^a The weather/);
    const [, hidden] = /… \((\d+) more characters are not shown\) …/.exec(after)!;
    expect(Number(hidden)).toBeGreaterThan(words.length - 1100);
    expect(after).toMatch(/^a word0 .* word499 EVIL/);
  });

  it('are shown with both ends if everything differs', () => {
    const other = (letter: string) => Array.from({ length: 3000 }, (_, i) => `${letter}${i}`).join(' ');
    const places = changedPlaces(`start ${other('a')} end`, `start ${other('b')} end`);
    expect(places).toHaveLength(1);
    expect(places[0]![1]).toMatch(/^start b0 .*b2999 end$/);
  });

  it('are cut between characters', () => {
    const [[before] = ['']] = changedPlaces(`${'😀'.repeat(100)} a`, `${'😀'.repeat(100)} b`);
    expect(before).not.toMatch(/\p{Cs}/u);
  });
});
