import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configValueAt } from '../../../../src/engine/clients/edit/config-path.js';
import { ConfigError, type ConfigValue } from '../../../../src/engine/clients/edit/editor.js';
import { isMap } from '../../../../src/engine/clients/edit/merge-entry.js';
import { spliceBetween } from '../../../../src/engine/clients/edit/splice.js';
import { tomlEditor } from '../../../../src/engine/clients/edit/toml.js';
import { runs } from '../../../support/runs.js';
import { documents, paths } from './toml-documents.js';

const editor = tomlEditor();
const servers = 'mcp_servers';
const entry = { command: 'npx', args: ['-y', 'w'], env: { A: '1' } };

describe('any document', () => {
  const anyValue = fc.constantFrom<ConfigValue>(
    ...[entry, 'x\ny', ['a', 'b'], {}, { url: 'https://example.com' }, { weather: {} }, 5, true],
    { env: { a: { command: 'x', '': 1.5 } }, tools: [{ a: 1 }] },
  );
  const reasons = / is not a map\.$| has an empty header below its sub-tables\.$/;

  test('writes a value once and removes it without a trace', () => {
    let refused = 0;
    const property = fc.property(documents, paths, anyValue, (before, path, value) => {
      const data = editor.parse(before);
      const there = path.findIndex((_, depth) => configValueAt(data, path.slice(0, depth + 1)) === undefined);
      let after: string;
      try {
        after = editor.set(before, path, value);
      } catch (error) {
        refused++;
        expect((error as ConfigError).message).toMatch(reasons);
        expect((error as ConfigError).offset).toBeTypeOf('number');
        return;
      }
      expect(configValueAt(editor.parse(after), path)).toEqual(value);
      expect(editor.set(after, path, value)).toBe(after);
      if (there === -1) return;
      expect(spliceBetween(before, after).removed).toBe('');
      expect(editor.remove(after, path.slice(0, there + 1))).toBe(before);
    });
    fc.assert(property, { numRuns: runs });
    // Some 4 % are; chance makes more of it where the runs are few.
    expect(refused).toBeLessThan(Math.max(runs / 10, 20));
  });

  test('restores the original after two entries are removed in any order', () => {
    const orders = fc.constantFrom(['one', 'two'], ['two', 'one']);
    const property = fc.property(documents, orders, fc.boolean(), (before, [first, last], again) => {
      const container = configValueAt(editor.parse(before), [servers]);
      fc.pre(container === undefined || isMap(container));
      const set = (text: string, key: string) => editor.set(text, [servers, key], entry);
      const remove = (text: string, key: string) => editor.remove(text, [servers, key]);

      const both = set(set(before, 'one'), 'two');
      const left = again ? remove(set(remove(both, first!), first!), first!) : remove(both, first!);
      expect(remove(left, last!)).toBe(before);
    });
    fc.assert(property, { numRuns: runs });
  });

  test('loses the removed path, and gains nothing', () => {
    const property = fc.property(documents, fc.nat(), (before, pick) => {
      const all = pathsOf(editor.parse(before));
      fc.pre(all.length > 0);
      const path = all[pick % all.length]!;
      const after = editor.remove(before, path);
      expect(configValueAt(editor.parse(after), path)).toBe(undefined);
      expect(isSubsequence(after, before)).toBe(true);
    });
    fc.assert(property, { numRuns: runs });
  });

  test('a malformed one is refused with a place in it', () => {
    const noise = fc.constantFrom(
      '[',
      ']',
      '"',
      "'",
      '=',
      '.',
      '\\',
      '{',
      '}',
      ',',
      '\r',
      '\n',
      '#',
      '1',
      '\0',
    );
    const property = fc.property(documents, fc.nat(), noise, fc.boolean(), (text, pick, char, isAdded) => {
      const at = pick % (text.length + 1);
      const broken = text.slice(0, at) + char + text.slice(isAdded ? at : at + 1);
      try {
        editor.set(broken, [servers, 'one'], entry);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        expect((error as ConfigError).message).not.toContain('safely');
        expect((error as ConfigError).offset).toBeLessThanOrEqual(broken.length);
      }
    });
    fc.assert(property, { numRuns: runs });
  });
});

function pathsOf(data: unknown, path: readonly string[] = []): string[][] {
  if (!isMap(data)) return [];
  return Object.entries(data).flatMap(([key, held]) => [[...path, key], ...pathsOf(held, [...path, key])]);
}

function isSubsequence(part: string, whole: string): boolean {
  let found = 0;
  for (const char of whole) if (part.startsWith(char, found)) found += char.length;
  return found === part.length;
}
