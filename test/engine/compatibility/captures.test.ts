import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Capture, readCaptures, readLimits, withCaptures, withHarm } from '../../../.scripts/limits.mjs';
import {
  type ClientLimit,
  clientLimits,
  limitSubjects,
} from '../../../src/engine/compatibility/client-limits.js';

const captures = new Map(readCaptures().map((capture) => [capture.client, capture]));

type Outcome = 'same' | 'changed' | 'renamed' | 'lost';

function outcomeOf({ lost, names, changed }: Capture, probe: string): Outcome {
  if (lost.includes(probe)) return 'lost';
  if (names[probe] !== undefined) return 'renamed';
  return changed[probe] ? 'changed' : 'same';
}

const faults = ['property-true', 'description-null', 'no-type', 'required-null', 'output-without-type'];
const nameLengths = [50, 60, 80, 130];
const keyLength = 'probe'.length;

/** Probes that breach a limit. */
function breaches({ code, limit = 0, scope = {} }: ClientLimit): readonly string[] {
  const byLength = () => nameLengths.filter((length) => length + keyLength + Number(scope.added) > limit);
  const byName = () =>
    ['parameter-dot', 'parameter-space', 'parameter-long'].filter(
      (probe) => !new RegExp(String(scope.pattern)).test(parameters[probe as keyof typeof parameters]),
    );
  const accepted = String(scope.accepts ?? '');
  const probes: Readonly<Record<string, readonly string[]>> = {
    'compat/tool-list-rejected': faults
      .filter((probe) => !(accepted.includes('boolean') && probe === 'property-true'))
      .filter((probe) => !(accepted.includes('outputSchema') && probe === 'output-without-type'))
      .flatMap((probe) => [probe, `beside-${probe}`]),
    'compat/tool-name-charset': ['name-slash', 'name-space', 'name-not-ascii'],
    'compat/tool-name-length': byLength().map((length) => `name-${length}`),
    'compat/param-name-charset': scope.pattern === undefined ? [] : byName(),
    'compat/root-union': ['root-any-of', 'root-one-of', 'root-all-of'],
    'compat/schema-size': ['schema-5200-bytes'],
    'compat/schema-depth': ['deep-in-12000-bytes'],
    'compat/schema-tuple': [scope.keyword === 'items' ? 'tuple' : 'prefix-items'],
    'compat/array-without-items': ['array-without-items'],
    'compat/untyped-property': ['untyped'],
    'compat/enum-non-string': ['enum-mixed'],
    'compat/keyword-lost': ['keywords'],
    'compat/description-length': [scope.of === 'tool' ? 'description-5000' : 'parameter-text'],
    'compat/app-only-exposed': ['app-only'],
  };
  return probes[code] ?? [];
}

const parameters = {
  'parameter-dot': 'a.b',
  'parameter-space': 'a b',
  'parameter-long': 'n'.repeat(70),
};

/** Outcomes that an effect allows. APIs refuse some tools that clients send unchanged. */
const outcomes: Readonly<Record<ClientLimit['effect'], readonly Outcome[]>> = {
  'lose-all': ['lost'],
  skip: ['lost'],
  'reject-tool': ['lost'],
  'reject-request': ['same'],
  strip: ['changed'],
  truncate: ['changed'],
  change: ['changed'],
  rename: ['renamed'],
  ignore: ['same'],
};

const measured = clientLimits.filter(
  ({ evidence, subject }) => evidence === 'measured' && captures.has(subject),
);

describe.each(measured.map((limit) => [limit.subject, limit.code, limit] as const))(
  'the capture of %s shows the limit of %s',
  (subject, code, limit) => {
    const capture = captures.get(subject)!;

    if (!['compat/instructions-length', 'compat/tool-name-collision'].includes(code))
      test(`the client ${limit.does}`, () => {
        const seen = breaches(limit).map((probe) => [probe, outcomeOf(capture, probe)]);
        expect(seen.length).toBeGreaterThan(0);
        const allowed = code === 'compat/app-only-exposed' ? ['same', 'changed'] : outcomes[limit.effect];
        expect(seen.filter(([, outcome]) => !allowed.includes(outcome as Outcome))).toEqual([]);
      });

    if (code === 'compat/tool-name-collision')
      test(`the client ${limit.does}`, () => {
        const seen = ['name-dot', 'name-underscore'].map((probe) => outcomeOf(capture, probe));
        if (limit.effect === 'skip') expect(seen.filter((outcome) => outcome === 'lost')).toHaveLength(1);
        else expect(seen).toContain('renamed');
        if (limit.effect !== 'skip') expect(seen).not.toContain('lost');
      });

    if (code === 'compat/instructions-length')
      test(`the client ${limit.does}`, () => {
        const { instructionsKept } = capture;
        expect(limit.limit! - instructionsKept).toBeGreaterThanOrEqual(0);
        expect(limit.limit! - instructionsKept).toBeLessThan(100);
      });

    if (['compat/tool-name-length', 'compat/schema-size'].includes(code))
      test('keeps tools within the limit', () => {
        const within =
          code === 'compat/schema-size'
            ? ['schema-4900-bytes']
            : nameLengths
                .map((length) => `name-${length}`)
                .filter((probe) => !breaches(limit).includes(probe));
        expect(within.map((probe) => outcomeOf(capture, probe))).toEqual(within.map(() => 'same'));
      });
  },
);

describe.each([...captures])('the capture of %s', (client, capture) => {
  test('has a limit for each probe that is lost', () => {
    const limits = measured.filter(({ subject }) => subject === client);
    const explained = new Set(limits.flatMap(breaches));
    const collides = limits.some(({ code }) => code === 'compat/tool-name-collision');
    const rest = capture.lost.filter(
      (probe) => !explained.has(probe) && !(collides && ['name-dot', 'name-underscore'].includes(probe)),
    );
    // Tools for apps are lost on purpose. Codex does not wait for servers that start.
    expect(rest.filter((probe) => !['app-only', 'start-8-seconds'].includes(probe))).toEqual([]);
  });

  test('is of the version in the table of limits', () => {
    expect(limitSubjects.find(({ id }) => id === client)?.version).toBe(capture.version);
  });
});

test('the captures are the table of the page', () => {
  const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
  expect(captures.size).toBe(6);
  expect(page).toBe(withCaptures(page, readCaptures(), readLimits()));
  expect(page).toBe(withHarm(page, readCaptures(), readLimits()));
});

describe.each([...captures])('with adaptation, %s', (_client, { harm: { direct, adapted } }) => {
  test('gets all tools of all servers', () => {
    const lost = Object.values(adapted).flatMap((server) => server.lost);
    expect(lost.filter((name) => name !== 'start_8_seconds')).toEqual([]);
  });

  test('gets real servers whole that it damaged', () => {
    const real = Object.keys(adapted).filter((key) => ['hubspot', 'notion', 'brave-search'].includes(key));
    expect(real).toHaveLength(3);
    expect(real.flatMap((key) => adapted[key]!.damaged)).toEqual([]);
    expect(Object.keys(direct)).toEqual(Object.keys(adapted));
  });
});
