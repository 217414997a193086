import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { type EntryLocator, putEntry, removeEntry } from '../../../../src/engine/clients/edit/entries.js';
import { jsonEditor } from '../../../../src/engine/clients/edit/json.js';
import { tokensBetween } from '../../../../src/engine/clients/edit/json-tokens.js';
import { applySplice, spliceBetween, undoSplice } from '../../../../src/engine/clients/edit/splice.js';
import { runs } from '../../../support/runs.js';

const editor = jsonEditor();

describe('parsing', () => {
  test('reads valid JSON and rejects invalid JSON', () => {
    const mutilated = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, put]) => {
      const offset = at % (text.length + 1);
      return text.slice(0, offset) + put + text.slice(offset + 1);
    });
    fc.assert(
      fc.property(fc.oneof(fc.json(), mutilated), (text) => {
        const isLenient = /\/[/*]|,\s*[\]}]/.test(text) || text.trim() === '';
        fc.pre(!isLenient);
        expect(outcomeOf(() => editor.parse(text))).toEqual(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: runs },
    );
  });
});

/** A text, and what of it has to be there after every edit. */
interface Sample {
  readonly text: string;
  /** `map` and `empty`: the container is there. */
  readonly container: 'map' | 'empty' | 'null' | 'absent' | 'nothing';
  readonly kept: readonly string[];
}

const container = 'mcpServers';

/** Parts a member from the blanks and comments behind it, as long as a sample is built. */
const seam = '\0';

const keys = fc.oneof(
  fc.constantFrom(
    '"a"',
    '"weather.x"',
    '"__proto__"',
    '"MCPSERVERS"',
    '"\\u006dcp"',
    '""',
    '"é🌙"',
    '"\\ud83c"',
  ),
  fc.string({ maxLength: 4 }).map((key) => JSON.stringify(`k${key}`)),
);

const scalars = fc.oneof(
  fc.constantFrom('1', '1.0', '-0', '12345678901234567890', '1e400', '0.1E+2', 'true', 'false', 'null'),
  fc.constantFrom(
    '"{"',
    '"}"',
    '"//"',
    '"/* */"',
    '","',
    '"\\""',
    '"\\\\"',
    '"\\u006dcpServers"',
    '"mcpServers"',
  ),
  fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text)),
);

const blanks = fc.constantFrom('', '', ' ', '  ', '\t', '\n', '\n  ', '\n\t', '\n\n', ' \n ');
const comments = fc.constantFrom(
  '/* c */',
  '/**/',
  '// c\n',
  '// "weather": {}, }\n',
  '/* a\n  , */',
  '//\n',
);

/** What stands between two tokens. */
function gapsOf(lenient: boolean): fc.Arbitrary<string> {
  if (!lenient) return blanks;
  const gap = fc.array(fc.oneof({ weight: 2, arbitrary: blanks }, { weight: 1, arbitrary: comments }), {
    maxLength: 3,
  });
  return fc.oneof(
    blanks,
    gap.map((parts) => parts.join('')),
  );
}

function bodyOf(member: string): string {
  return member.slice(0, member.lastIndexOf(seam));
}

function bracketed(members: readonly string[], gap: string, isTrailing: boolean): string {
  return members.length === 0 ? gap : members.join(',') + (isTrailing ? `,${gap}` : '');
}

/** Texts as nobody would write them: anything legal, anywhere. */
function wildSamples(lenient: boolean): fc.Arbitrary<Sample> {
  const gap = gapsOf(lenient);
  const trailing = lenient ? fc.boolean() : fc.constant(false);
  const { value, member } = fc.letrec<{ value: string; member: string }>((tie) => ({
    member: fc
      .tuple(gap, keys, gap, gap, tie('value'), gap)
      .map(([a, key, b, c, held, d]) => `${a}${key}${b}:${c}${held}${seam}${d}`),
    value: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'json' },
      { weight: 3, arbitrary: scalars },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            fc.array(
              fc.tuple(gap, tie('value'), gap).map((parts) => parts.join('')),
              { maxLength: 2 },
            ),
            gap,
            trailing,
          )
          .map(([items, rest, isTrailing]) => `[${bracketed(items, rest, isTrailing)}]`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            fc.array(tie('member'), { maxLength: 2 }),
            gap,
            trailing,
            fc.constantFrom('', `"${container}": {"weather": 1}`),
          )
          .map(
            ([members, rest, isTrailing, decoy]) =>
              `{${bracketed(decoy ? [...members, decoy] : members, rest, isTrailing)}}`,
          ),
      },
    ),
  }));
  const members = fc.array(member, { maxLength: 2 });
  const spelled = fc.constantFrom(
    `"${container}"`,
    `"${container}"`,
    '"\\u006dcpServers"',
    '"mcp\\u0053ervers"',
  );
  const parts = {
    before: members,
    after: members,
    siblings: members,
    open: gap,
    key: spelled,
    close: gap,
    trailing,
    inner: gap,
    value,
  };
  return fc
    .tuple(
      fc.record(parts),
      fc.tuple(gap, gap, gap, gap),
      trailing,
      fc.constantFrom('map', 'map', 'null', 'absent'),
    )
    .map(
      ([{ before, after, siblings, open, key, close, trailing, inner }, [a, b, c, d], isTrailing, kind]) => {
        const others = kind === 'map' ? siblings : [];
        const held = kind === 'null' ? 'null' : `{${bracketed(others, inner, trailing)}}`;
        const own = kind === 'absent' ? [] : [`${a}${key}${b}:${c}${held}${d}`];
        const root = `${open}{${bracketed([...before, ...own, ...after], inner, isTrailing)}}${close}`;
        return {
          text: root.replaceAll(seam, ''),
          container: kind === 'map' && siblings.length === 0 ? 'empty' : (kind as Sample['container']),
          kept: [open, close, ...[...before, ...others, ...after].map(bodyOf)].map((part) =>
            part.replaceAll(seam, ''),
          ),
        };
      },
    );
}

/** Texts as people and programs write them, with some comments and commas put in. */
function tidySamples(lenient: boolean): fc.Arbitrary<Sample> {
  const data = fc.dictionary(
    fc.string({ maxLength: 4 }).map((key) => `k${key}`),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 3 },
  );
  const notes = lenient
    ? fc.array(fc.constantFrom('', '', ' // note', '\n  // note', ' /* note */', ' // {'), { maxLength: 9 })
    : fc.constant([]);
  return fc
    .record({
      before: data,
      siblings: data,
      after: data,
      unit: fc.constantFrom('  ', '\t', '   ', '    ', ''),
      kind: fc.constantFrom('map', 'map', 'map', 'null', 'absent'),
      notes,
      trailing: lenient ? fc.boolean() : fc.constant(false),
      end: fc.constantFrom('', '\n', '\n\n'),
    })
    .map(({ before, siblings, after, unit, kind, notes, trailing, end }) => {
      const own = kind === 'absent' ? {} : { [container]: kind === 'null' ? null : siblings };
      const pretty = JSON.stringify({ ...before, ...own, ...after }, null, unit);
      const loose = trailing ? pretty.replace(/([^[{,])(\n\s*[\]}])/g, '$1,$2') : pretty;
      const lines = loose.split('\n').map((line, index) => line + (notes[index] ?? ''));
      const isEmpty = Object.keys(siblings).length === 0;
      return {
        text: lines.join('\n') + end,
        container: kind === 'map' && isEmpty ? 'empty' : (kind as Sample['container']),
        kept: [],
      };
    });
}

/** Texts that are a list. */
function listsOf(lenient: boolean): fc.Arbitrary<string> {
  const items = fc.array(wildSamples(lenient), { maxLength: 2 });
  const gap = gapsOf(lenient);
  return fc
    .tuple(gap, items, gap, lenient ? fc.boolean() : fc.constant(false), gap)
    .map(([open, items, inner, isTrailing, close]) => {
      const texts = items.map(({ text }) => text);
      return `${open}[${bracketed(texts, inner, isTrailing)}]${close}`;
    });
}

function blankSamples(lenient: boolean): fc.Arbitrary<Sample> {
  return fc.tuple(gapsOf(lenient), fc.boolean()).map(([gap, isNull]) => {
    return { text: isNull ? `${gap}null` : gap, container: 'nothing', kept: [gap] };
  });
}

/** Any text, with any line ends and perhaps a BOM. */
function samplesOf(lenient: boolean): fc.Arbitrary<Sample> {
  const sample = fc.oneof(
    { weight: 10, arbitrary: wildSamples(lenient) },
    { weight: 10, arbitrary: tidySamples(lenient) },
    { weight: 1, arbitrary: blankSamples(lenient) },
  );
  return fc
    .tuple(sample, fc.constantFrom('\n', '\n', '\r\n'), fc.constantFrom('', '', '\uFEFF'))
    .map(([{ text, kept, ...rest }, eol, bom]) => {
      const ended = (part: string) => part.replaceAll('\n', eol);
      return { ...rest, text: bom + ended(text), kept: kept.map(ended) };
    });
}

const entry = {
  command: 'npx',
  args: ['-y', 'agenttools', 'start', 'acme/weather'],
  env: { MCP_APPS_ENABLED: 'true', QUOTE: '"\\{//' },
};

describe.each([
  ['json', false],
  ['jsonc', true],
] as const)('any %s text', (format, lenient) => {
  const place: EntryLocator = { format, container: { path: [container], shape: 'map' }, key: 'weather' };

  test('an entry is put in and taken out without a trace', async () => {
    await fc.assert(
      fc.asyncProperty(samplesOf(lenient), async ({ text, container, kept }) => {
        const after = await putEntry(text, place, entry);
        expect(dataOf(after)).toEqual(withEntry(dataOf(text)));
        expect(commentsOf(after)).toEqual(commentsOf(text));
        for (const part of kept) expect(after).toContain(part);
        if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        if (!lenient) expect(() => JSON.parse(after.replace('\uFEFF', ''))).not.toThrow();
        expect(await putEntry(after, place, entry)).toBe(after);

        const splice = spliceBetween(text, after);
        expect(applySplice(text, splice)).toBe(after);
        expect(undoSplice(after, splice)).toBe(text);

        const isThere = container === 'map' || container === 'empty';
        const without = await removeEntry(after, place, { prune: container === 'absent' });
        if (isThere || container === 'absent') expect(without).toBe(text);
        expect(await removeEntry(without, place)).toBe(without);
      }),
      { numRuns: runs },
    );
  });

  test('entries go in any order', async () => {
    const others = ['weather', 'other', 'third'].map((key) => ({ ...place, key }));
    await fc.assert(
      fc.asyncProperty(
        samplesOf(lenient),
        fc.shuffledSubarray(others, { minLength: 2 }),
        async (sample, order) => {
          fc.pre(sample.container === 'map' || sample.container === 'empty');
          let text = sample.text;
          for (const other of others) text = await putEntry(text, other, entry);
          for (const other of order) text = await removeEntry(text, other);
          for (const other of others) text = await removeEntry(text, other);
          expect(text).toBe(sample.text);
        },
      ),
      { numRuns: runs },
    );
  });

  test('a list is left as it was', async () => {
    const place: EntryLocator = { format, container: { path: [], shape: 'list' }, key: 'weather' };
    const named = { name: 'weather', ...entry };
    await fc.assert(
      fc.asyncProperty(listsOf(lenient), async (text) => {
        const after = await putEntry(text, place, entry);
        expect(dataOf(after)).toEqual([...(dataOf(text) as unknown[]), named]);
        expect(commentsOf(after)).toEqual(commentsOf(text));
        expect(await putEntry(after, place, named)).toBe(after);
        expect(await removeEntry(after, place)).toBe(text);
      }),
      { numRuns: runs },
    );
  });

  test('an entry that is there becomes the one that is wanted', async () => {
    const held = wildSamples(lenient).filter(({ container }) => container === 'map');
    await fc.assert(
      fc.asyncProperty(held, wildSamples(lenient), async (sample, old) => {
        const head = `{"x": [ ], "${container}": {"a": 1, "weather":`;
        const tail = `, "z": 1.0} , "y":${sample.text} }`;
        const text = `${head}${old.text}${tail}`;
        fc.pre(!hasDuplicates(old.text));
        const after = await putEntry(text, place, entry);
        expect(after.startsWith(head)).toBe(true);
        expect(after.endsWith(tail)).toBe(true);
        expect(dataOf(after)).toEqual(withEntry(dataOf(text)));
        expect(await putEntry(after, place, entry)).toBe(after);
      }),
      { numRuns: runs },
    );
  });
});

function dataOf(text: string): unknown {
  return JSON.parse(JSON.stringify(parseJsonc(text.replace('\uFEFF', '')) ?? null));
}

function withEntry(data: unknown): unknown {
  const root = (data ?? {}) as Record<string, object | null>;
  return { ...root, [container]: { ...root[container], weather: entry } };
}

function commentsOf(text: string): string[] {
  const tokens = [...tokensBetween(text, text.startsWith('\uFEFF') ? 1 : 0, text.length)];
  return tokens.map((token) => token.text).filter((token) => token.startsWith('/'));
}

function hasDuplicates(text: string): boolean {
  const found = text.match(/"(?:[^"\\]|\\.)*"(?=\s*(?:\/\*.*?\*\/\s*)*:)/gs) ?? [];
  return new Set(found).size < found.length;
}

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** A value, or that there is none. */
function outcomeOf(read: () => unknown): unknown {
  const outcome = catchError(() => ({ value: read() }));
  return outcome instanceof Error ? 'refused' : outcome;
}
