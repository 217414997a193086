import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adaptTools } from '../../../src/engine/adaptation/adapt-list.js';
import { adaptationTarget, adaptationTargetOf } from '../../../src/engine/adaptation/adaptation-target.js';
import { ToolAdapters } from '../../../src/engine/adaptation/tool-adapter.js';
import { limitSubjects } from '../../../src/engine/compatibility/client-limits.js';
import { plainName } from '../../../src/engine/extension/tool-alias.js';
import { runs } from '../../support/runs.js';

const toolName = fc.oneof(
  fc.constantFrom(
    'a_b',
    'a.b',
    'a-b',
    'A_b',
    'a_B',
    'a_b_2e7336dc',
    '9lives',
    'x'.repeat(60),
    'x'.repeat(128),
  ),
  fc.stringMatching(/^[a-zA-Z0-9_.-]{1,128}$/),
  fc.string({ minLength: 1, maxLength: 20 }),
);
const toolNames = fc.uniqueArray(toolName, { minLength: 1, maxLength: 12 });
const serverKey = fc.stringMatching(/^[a-z][a-z0-9-]{0,29}$/);
const subject = fc.constantFrom(...limitSubjects, undefined);

const list = (names: readonly string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' } }));

const settingsOf = (key: string) => ({ mode: 'on', serverKey: key }) as const;
const targetOf = (id: string | undefined, key: string) =>
  id === undefined ? adaptationTarget(undefined, settingsOf(key)) : adaptationTargetOf(id, settingsOf(key))!;

describe('names for a client', () => {
  test('are its own for each tool, in characters and lengths that it accepts', () => {
    fc.assert(
      fc.property(toolNames, serverKey, subject, (names, key, client) => {
        const target = targetOf(client?.id, key);
        const adapted = adaptTools(list(names), target).map(({ tool }) => tool.name);
        expect(new Set(adapted).size).toBe(names.length);
        const seen = target.limits.has('compat/tool-name-collision') ? adapted.map(plainName) : adapted;
        expect(new Set(seen).size).toBe(names.length);
        if (target.limits.has('compat/tool-name-charset'))
          for (const name of adapted) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]*$/);
        for (const { limit = 64, scope } of target.limits.get('compat/tool-name-length') ?? [])
          for (const name of adapted)
            expect(name.length + key.length + Number(scope?.added ?? 0)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: runs / 4 },
    );
  });

  test('do not depend on the order of the list', () => {
    fc.assert(
      fc.property(
        toolNames.chain((names) =>
          fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length })),
        ),
        serverKey,
        subject,
        ([names, shuffled], key, client) => {
          const target = targetOf(client?.id, key);
          const byName = (all: readonly string[]) =>
            new Map(adaptTools(list(all), target).map(({ original, tool }) => [original, tool.name]));
          expect(byName(shuffled)).toEqual(byName(names));
        },
      ),
      { numRuns: runs / 4 },
    );
  });

  test('lead back to their tools', () => {
    fc.assert(
      fc.property(toolNames, serverKey, subject, (names, key, client) => {
        const tools = list(names);
        const adapter = new ToolAdapters().of(client?.clientNames?.[0], settingsOf(key));
        const found = adapter.list(tools).map(({ name }) => adapter.findOriginal(name, tools)?.name);
        expect(found).toEqual(names);
      }),
      { numRuns: runs / 4 },
    );
  });
});
