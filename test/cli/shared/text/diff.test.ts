import { describe, expect, it } from 'vitest';
import { leftOutOfDiffs, renderDiff, renderDiffs } from '../../../../src/cli/shared/text/diff.js';

describe('the diff of a file', () => {
  it.each([
    ['/home/mcp.json', 'a\n', 'b\n', '--- a/home/mcp.json\n+++ b/home/mcp.json\n'],
    ['/a b/mcp.json', 'a\n', 'b\n', '--- a/a b/mcp.json\t\n+++ b/a b/mcp.json\t\n'],
    ['/a b/mcp.json', null, 'b\n', '--- /dev/null\n+++ b/a b/mcp.json\t\n'],
    ['/a b/mcp.json', 'a\n', null, '--- a/a b/mcp.json\t\n+++ /dev/null\n'],
  ])('%s begins with its names, ended by a tab where they hold spaces', (file, before, after, names) => {
    expect(renderDiff({ file, before, after })).toMatch(new RegExp(`^${names.replaceAll('+', '\\+')}@@`));
  });

  it('leaves lines of the file alone that look like names', () => {
    expect(renderDiff({ file: '/x', before: '-- old\t\n', after: '++ new\t\n' })).toContain(
      '\n--- old\t\n+++ new\t\n',
    );
  });

  it('is empty where nothing differs', () => {
    expect(renderDiff({ file: '/x', before: 'a', after: 'a' })).toBe('');
  });
});

describe('the diffs of several changes', () => {
  const change = (file: string, what: string, after = 'b\n') => ({ file, what, before: 'a\n', after });

  it('show the first change of each file, and name the others', () => {
    const changes = [
      change('/x', 'one', 'a\n'),
      change('/x', 'two'),
      change('/x', 'three'),
      change('/y', 'four'),
    ];
    expect(renderDiffs(changes)).toBe(`${renderDiff(change('/x', ''))}${renderDiff(change('/y', ''))}`);
    expect(leftOutOfDiffs(changes)).toEqual([
      '/x would be written more than once; the diff shows two alone, and leaves out three.',
    ]);
  });
});
