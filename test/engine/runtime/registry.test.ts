import { describe, expect, test } from 'vitest';
import { Registry } from '../../../src/engine/runtime/registry.js';
import type { ToolSpec } from '../../../src/engine/runtime/specs.js';

const tool = (name: string, hidden = false) => ({ name, hidden, wire: { name } }) as unknown as ToolSpec;

const registry = (tools: readonly ToolSpec[], pageSize?: number) =>
  new Registry({ tools, prompts: [], resources: [] }, pageSize === undefined ? {} : { pageSize });

describe('hidden items', () => {
  const some = registry([tool('a'), tool('b', true), tool('c')]);

  test('are not listed', () => {
    expect(some.list('tools').items.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  test('are found by name, and listed on request', () => {
    expect(some.resolve('tools', 'b')?.name).toBe('b');
    expect(some.list('tools', { includeHidden: true }).items).toHaveLength(3);
    expect(some.all('tools')).toHaveLength(3);
  });

  test('take no room on a page', () => {
    const paged = registry([tool('a', true), tool('b'), tool('c', true), tool('d')], 1);
    const first = paged.list('tools');
    expect(first.items.map(({ name }) => name)).toEqual(['b']);
    expect(paged.list('tools', { cursor: first.nextCursor }).items.map(({ name }) => name)).toEqual(['d']);
  });
});

test('distinguishes names by case and inherits none', () => {
  const some = registry([tool('a')]);
  for (const name of ['A', '', 'constructor', '__proto__', 'toString']) {
    expect(some.resolve('tools', name)).toBeUndefined();
  }
});

describe('items that handlers see', () => {
  const resource = (uri: string) => ({ kind: 'resources', name: 'r', item: 'r', uri, wire: { uri } });
  const some = new Registry({
    tools: [tool('a'), tool('b', true), tool('c')],
    prompts: [],
    resources: [resource('x://1'), resource('x://2')] as never,
  }).forHandlers;
  const namesOf = ({ items }: ReturnType<typeof some.list>) => items.map(({ name }) => name);

  test('are the tools that are listed, unless they ask for others', () => {
    expect(namesOf(some.list())).toEqual(['a', 'c']);
    expect(namesOf(some.list({ includeHidden: true }))).toEqual(['a', 'b', 'c']);
    expect(some.list({ kind: 'resources' }).items.map(({ definition }) => definition.uri)).toEqual([
      'x://1',
      'x://2',
    ]);
  });

  test('are pages, if they want', () => {
    const first = some.list({ pageSize: 1 });
    expect(namesOf(first)).toEqual(['a']);
    const last = some.list({ pageSize: 1, cursor: first.nextCursor! });
    expect([namesOf(last), last.nextCursor]).toEqual([['c'], undefined]);
    for (const pageSize of [0, -1, Number.NaN]) expect(() => some.list({ pageSize })).toThrow(RangeError);
  });

  test('are found by name and address', () => {
    expect(some.resolve('b')).toMatchObject({ name: 'b', hidden: true });
    expect(some.resolve('x://1', 'resources')?.definition).toEqual({ uri: 'x://1' });
    expect(some.resolve('r', 'resources')?.kind).toBe('resources');
    expect([some.resolve('r'), some.resolve('a', 'prompts')]).toEqual([undefined, undefined]);
  });

  test('are theirs to change', () => {
    const { definition } = some.resolve('a')!;
    (definition as Record<string, unknown>).name = 'changed';
    expect(some.resolve('a')?.definition).toEqual({ name: 'a' });
  });
});
