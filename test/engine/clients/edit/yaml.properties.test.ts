import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigPath, ConfigValue } from '../../../../src/engine/clients/edit/editor.js';
import { yamlEditor } from '../../../../src/engine/clients/edit/yaml.js';
import { runs } from '../../../support/runs.js';
import { misleading, reasonsToKeep, unlessRefused, yamlDocuments } from './yaml-documents.js';

const { parse, set, remove } = yamlEditor();

/** An entry as Goose has it, small. */
const entry = { name: 'w', enabled: true, args: ['-y', 'a b'], envs: { A: 'yes' }, env_keys: [] };

const turns = fc.array(fc.nat(), { minLength: 1, maxLength: 5 });

const values: fc.Arbitrary<ConfigValue> = fc.letrec<{ value: ConfigValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...misleading),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(null, true, false, 0, -1, 1e21, 0.1),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('cmd', '__proto__', ...misleading), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('any document', () => {
  it('gets an entry and loses it without a trace, or is refused for a reason with a name', () => {
    fc.assert(
      fc.property(yamlDocuments, ({ text, container, form }) => {
        const data = parse(text) as Record<string, unknown>;
        const held = data[container];
        const isList = container === 'mcpServers';
        const path = [container, isList ? (Array.isArray(held) ? held.length : 0) : 'w'];
        const edited = unlessRefused(() => set(text, path, entry));
        if (edited === undefined) return;

        const now = isList ? [...((held as []) ?? []), entry] : { ...(held as object), w: entry };
        expect(parse(edited)).toEqual({ ...data, [container]: now });
        expect(set(edited, path, entry)).toBe(edited);
        expect(linesMissing(text, edited)).toBeLessThanOrEqual(form === 'block' ? 0 : 1);
        const restored = remove(edited, path);
        if (form !== 'none') expect(restored).toBe(text);
      }),
      { numRuns: runs },
    );
  });

  it('is changed at any place, and nowhere else, or that is refused for a reason with a name', () => {
    fc.assert(
      fc.property(yamlDocuments, turns, values, ({ text }, way, value) => {
        const data = parse(text);
        const path = pathIn(data, way);
        const replaced = unlessRefused(() => set(text, path, value));
        if (replaced !== undefined) expect(valueAt(parse(replaced), path)).toEqual(value);

        const shorter = unlessRefused(() => remove(text, path), reasonsToKeep);
        if (shorter !== undefined) expect(sizeOf(parse(shorter), path)).toBe(sizeOf(data, path) - 1);

        const held = valueAt(data, path);
        if (typeof held !== 'object' || held === null) return;
        const place = [...path, Array.isArray(held) ? held.length : 'new'];
        const longer = unlessRefused(() => set(text, place, value));
        if (longer !== undefined) expect(remove(longer, place)).toBe(text);
      }),
      { numRuns: runs / 2 },
    );
  });
});

/** A path to something that is there, one turn for each step of it. */
function pathIn(data: unknown, turns: readonly number[]): ConfigPath {
  const [turn, ...others] = turns;
  if (turn === undefined || typeof data !== 'object' || data === null) return [];
  const keys = Array.isArray(data) ? [...data.keys()] : Object.keys(data);
  const step = keys[turn % keys.length];
  return step === undefined ? [] : [step, ...pathIn(valueAt(data, [step]), others)];
}

function valueAt(data: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((held, step) => Object.getOwnPropertyDescriptor(held, step)?.value, data);
}

/** How much is in what holds the end of a path. */
function sizeOf(data: unknown, path: ConfigPath): number {
  return Object.keys(valueAt(data, path.slice(0, -1)) as object).length;
}

/** How many lines of a text are not in another, as their longest common sequence tells. */
function linesMissing(before: string, after: string): number {
  const lines = before.split(/\r?\n/);
  const others = after.split(/\r?\n/);
  let common: readonly number[] = others.map(() => 0);
  for (const line of lines) {
    const next: number[] = [];
    for (const [index, other] of others.entries()) {
      const both = (common[index - 1] ?? 0) + 1;
      next.push(line === other ? both : Math.max(common[index]!, next[index - 1] ?? 0));
    }
    common = next;
  }
  return lines.length - common.at(-1)!;
}
