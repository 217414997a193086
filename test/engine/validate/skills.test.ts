import { expect, test } from 'vitest';
import { findBrokenLinks } from '../../../src/engine/validate/facts/skills.js';

const files = ['SKILL.md', 'references/times.md', 'a (1).md', 'ü.md'];

test.each<[text: string, broken: readonly string[]]>([
  ['[times](references/times.md)', []],
  ['[times](./references/../references/times.md#green "How long")', []],
  ['[folder](references/) and [this](.)', []],
  ['[encoded](%C3%BC.md), [round](a%20%281%29.md), [angled](<a (1).md>)', []],
  ['[site](https://example.com/x.md), [mail](mailto:a@b.c), [host](//example.com/x), [up](#top), [](?q)', []],
  ['[one](Times.md)', ['Times.md']],
  ['[one](references/Times.md)', ['references/Times.md']],
  ['[![image](cup.png)](tea.md)', ['cup.png', 'tea.md']],
  ['[up](../other/SKILL.md), [root](/etc/passwd)', ['../other/SKILL.md', '/etc/passwd']],
  ['[up](references/../../x), [hidden](%2e%2e/x), [bad](%zz)', ['references/../../x', '%2e%2e/x', '%zz']],
  ['[by][name]\n\n[name]: gone.md "Title"\n', ['gone.md']],
  ['`[code](x.md)` ``a ` [code](x.md)`` [text](y.md)', ['y.md']],
  ['```\n[code](x.md)\n```\n[text](y.md)', ['y.md']],
  ['~~~md\n[code](x.md)\n```\n[code](x.md)\n~~~\n[text](y.md)', ['y.md']],
  ['````\n```\n[code](x.md)\n```\n````\n[text](y.md)', ['y.md']],
  ['```\n[code that never ends](x.md)', []],
  ['a ` b [text](y.md)', ['y.md']],
])('links of %j', (text, broken) => {
  const found = [...findBrokenLinks(text, files)];
  expect(found.map(({ problem }) => problem.match(/^links to "(.*?)",/)?.[1])).toEqual(broken);
  for (const [index, target] of broken.entries()) {
    expect(text.slice(found[index]!.index).startsWith(target)).toBe(true);
  }
});

test.each(['`'.repeat(50_000), '[]('.repeat(30_000), '```\n'.repeat(30_001), '[a]: \n'.repeat(20_000)])(
  'a text of many beginnings is read',
  (text) => {
    expect([...findBrokenLinks(text, files)].length).toBeLessThan(30_001);
  },
);
