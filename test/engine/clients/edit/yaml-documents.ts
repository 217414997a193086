import fc from 'fast-check';
import { ConfigError } from '../../../../src/engine/clients/edit/editor.js';

/** A YAML document as somebody may have written it, and what is known of it. */
export interface YamlDocument {
  readonly text: string;
  readonly container: 'extensions' | 'mcpServers';
  /** How the container is written; `none`: it has no value or is not there. */
  readonly form: 'block' | 'flow' | 'none';
}

/** Lines that follow a key, a dash, or nothing: the first on the same line, the others indented as they stand. */
type Lines = readonly string[];

/** Prints itself for a place whose key or dash has this many columns before it. */
type Print = (column: number, place: 'pair' | 'item') => Lines;

const indent = (lines: readonly string[], columns: number) =>
  lines.map((line) => (/^[ \t]*$/.test(line) ? line : ' '.repeat(columns) + line));

const words = fc.constantFrom('x y', '"q: #"', "'it''s'", ...'a be cmd envs name gpt-4 on 0x1'.split(' '));
const scalars = fc.constantFrom(
  ...['two words', '"a\\nb"', '"# no"', "'x: y'", '!!str 012', '&one 1', 'é — ü', 'http://x.y/z#frag'],
  ...'1 1.0 0o14 1e3 text true null ~ 2024-01-01 -x a#b "\\u00e9" 123456789012345678901'.split(' '),
);
const comments = fc.constantFrom('# note', '#', '#- name: old', '# a: b', '#\tt', '# é');
const tail = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(' ', '   ', '\t'), comments).map((parts) => parts.join('')),
  },
);

/** What fits on the line of its key or dash. */
function inline(text: fc.Arbitrary<string>): fc.Arbitrary<Print> {
  return fc.tuple(text, tail).map((parts) => () => [parts.join('')]);
}

/** Lines between members: comments at the members' column or further in, and blank ones. */
const between = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: comments },
    { weight: 1, arbitrary: comments.map((text) => `  ${text}`) },
    { weight: 3, arbitrary: fc.constantFrom('', '', '  ', '      ') },
  ),
  { maxLength: 2 },
);
const rarely = between.chain((lines) => fc.constantFrom([], [], lines));

const flow = fc.letrec<{ value: string; map: string; list: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom('1', 'text', '"q"', "'s'", 'two words', '-y', 'null', '"a, b"', 'a:b'),
    tie('map'),
    tie('list'),
  ),
  map: fc
    .tuple(fc.array(fc.tuple(fc.constantFrom('a', '"b"', 'c d', 'e'), tie('value'))), spacing(), fc.boolean())
    .map(([pairs, blank, comma]) => {
      const unique = [...new Map(pairs.slice(0, 3)).entries()].map(([key, value]) => `${key}: ${value}`);
      return bracketed('{', unique, '}', blank, comma);
    }),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 3 }), spacing(), fc.boolean())
    .map(([items, blank, comma]) => bracketed('[', items, ']', blank, comma)),
}));

function spacing() {
  return fc.constantFrom('', '', ' ');
}

function bracketed(
  open: string,
  items: readonly string[],
  close: string,
  blank: string,
  comma: boolean,
): string {
  return (
    open + blank + items.join(`,${blank || ' '}`) + (comma && items.length > 0 ? ',' : '') + blank + close
  );
}

/** A flow collection of maps or pairs over several lines, closed at the indentation of its place. */
function tallFlow(open: string, close: string, items: fc.Arbitrary<string>) {
  return fc
    .tuple(fc.uniqueArray(items, { maxLength: 3 }), fc.boolean(), tail, rarely, fc.constantFrom(1, 2, 4))
    .map(
      ([members, comma, end, inner, step]): Print =>
        (column) => [
          ` ${open}`,
          ...members.map((member, index) => {
            const isLast = index === members.length - 1;
            return `${' '.repeat(column + step)}${member}${isLast && !comma ? '' : ','}${isLast ? end : ''}`;
          }),
          ...indent(inner, column + step),
          `${' '.repeat(column + 1)}${close}`,
        ],
    );
}

const blockScalar = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2', '>2-'),
    fc.array(fc.constantFrom('text', '# not a comment', 'a: b', '- x', '', '  more', 'end'), {
      maxLength: 4,
    }),
    tail,
  )
  .map(
    ([header, lines, end]): Print =>
      (column) => [` ${header}${end}`, ...indent([`first${header}`, ...lines], column + 2)],
  );

const spread = fc.constantFrom<Print>(
  (column) => [' "quoted', `${' '.repeat(column + 1)}# over lines`, '', `${' '.repeat(column + 2)}end"`],
  (column) => [' plain', `${' '.repeat(column + 1)}over lines`],
  (column) => ['', `${' '.repeat(column + 3)}below`],
  (column) => ['', `${' '.repeat(column + 2)}# about it`, `${' '.repeat(column + 2)}"below"   # it`],
);

/** Members of a map that are rarely seen. */
const extras = ['<<: *base', '? complex', '? [a, b]\n: c', '&k key: 1', '!!str 7: 1', '5: 1'];

const nodes = fc.letrec<{ any: Print; map: Print; list: Print }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    {
      weight: 6,
      arbitrary: inline(scalars.map((text) => ` ${text}`)),
    },
    {
      weight: 1,
      arbitrary: inline(fc.constant('')),
    },
    {
      weight: 2,
      arbitrary: inline(flow.value.map((text) => ` ${text}`)),
    },
    { weight: 2, arbitrary: blockScalar },
    { weight: 1, arbitrary: spread },
    {
      weight: 1,
      arbitrary: inline(fc.constant(' *base')),
    },
    { weight: 5, arbitrary: tie('map') },
    { weight: 4, arbitrary: tie('list') },
  ),
  map: fc
    .tuple(
      fc.uniqueArray(fc.tuple(words, rarely, tie('any')), {
        minLength: 1,
        maxLength: 4,
        selector: ([key]) => key,
      }),
      fc.constantFrom(1, 2, 2, 2, 4),
      tail,
      fc.constantFrom('', '', '', ...extras),
      fc.constantFrom('', '', '', '', ' &made', ' !!map'),
    )
    .map(
      ([pairs, step, end, extra, properties]): Print =>
        (column, place) => {
          const isCompact = place === 'item' && step === 2 && properties === '';
          const inner = column + (place === 'item' ? Math.max(step, 2) : step);
          const lines = pairs.flatMap(([key, above, print]) => [
            ...indent(above, inner),
            ...keyed(key, print, inner),
          ]);
          if (extra) lines.push(...indent(extra.split('\n'), inner));
          const first = lines.findIndex((line) => /^ *[^ #\t]/.test(line));
          if (isCompact && first === 0) return [` ${lines[0]!.trimStart()}`, ...lines.slice(1)];
          return [properties + end, ...lines];
        },
    ),
  list: fc
    .tuple(
      fc.array(fc.tuple(rarely, tie('any')), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 0, 2, 2, 4),
      tail,
    )
    .map(
      ([items, step, end]): Print =>
        (column, place) => {
          const inner = column + (place === 'item' ? Math.max(step, 2) : step);
          const lines = items.flatMap(([above, print]) => {
            const [first, ...others] = print(inner, 'item');
            return [...indent(above, inner), `${' '.repeat(inner)}-${first}`, ...others];
          });
          return [end, ...lines];
        },
    ),
}));

function keyed(key: string, print: Print, column: number): Lines {
  const [first, ...others] = print(column, 'pair');
  return [`${' '.repeat(column)}${key}:${first}`, ...others];
}

/** What the container may look like; undefined: it is not there. */
const containers = {
  extensions: fc.oneof(
    { weight: 6, arbitrary: nodes.map },
    {
      weight: 2,
      arbitrary: inline(flow.map.map((text) => ` ${text}`)),
    },
    { weight: 2, arbitrary: tallFlow('{', '}', fc.constantFrom('a: 1', 'b: {c: 1}', '"d": "x"')) },
    { weight: 1, arbitrary: emptyFlow('{', '}') },
  ),
  mcpServers: fc.oneof(
    { weight: 6, arbitrary: nodes.list },
    {
      weight: 2,
      arbitrary: inline(flow.list.map((text) => ` ${text}`)),
    },
    { weight: 2, arbitrary: tallFlow('[', ']', fc.constantFrom('a', '{name: b}', '{"name": "c"}')) },
    { weight: 1, arbitrary: emptyFlow('[', ']') },
  ),
} as const;

function emptyFlow(open: string, close: string) {
  return inline(fc.constantFrom(` ${open}${close}`, `  ${open} ${close}`, ` ${open}  ${close}`));
}

const nothing = inline(fc.constantFrom('', ' null', ' ~'));

const sections = fc.uniqueArray(fc.tuple(words, rarely, nodes.any), {
  maxLength: 2,
  selector: ([key]) => key,
});

const heads = ['---\n', '# head\n\n', '%YAML 1.2\n---\n', '\n', '--- # start\n'];
const ends = ['\n', '# the end\n', '\n\n# end\n', '...\n', '...\n# after\n', '  \n', '  # deep\n'];

/** Documents with their container present, empty or absent, between other sections, in all the ways of writing YAML. */
export const yamlDocuments: fc.Arbitrary<YamlDocument> = fc
  .constantFrom('extensions' as const, 'mcpServers' as const)
  .chain((container) =>
    fc.record({
      container: fc.constant(container),
      print: fc.oneof(
        { weight: 8, arbitrary: containers[container] },
        { weight: 1, arbitrary: nothing },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
      head: fc.constantFrom('', '', '', ...heads),
      before: sections,
      above: rarely,
      behind: sections,
      end: fc.constantFrom('', '', ...ends),
      eol: fc.constantFrom('lf', 'lf', 'crlf', 'crlf', 'mixed'),
      isOpen: fc.boolean(),
    }),
  )
  .map(({ container, print, head, before, above, behind, end, eol, isOpen }) => {
    const lines = [
      ...['base: &base', '  enabled: true'],
      ...before.flatMap(([key, over, value]) => [...over, ...keyed(key, value, 0)]),
      ...(print ? [...above, ...keyed(container, print, 0)] : []),
      ...behind.flatMap(([key, over, value]) => [
        ...over,
        ...keyed(`z-${key.replaceAll(/\W/g, '')}`, value, 0),
      ]),
    ];
    const whole = head + lines.map((line) => `${line}\n`).join('') + end;
    const text = isOpen ? whole.replace(/\n$/, '') : whole;
    const form = print ? formOf(print(0, 'pair')) : 'none';
    return { text: withEol(text, eol), container, form };
  });

function formOf([first, ...others]: Lines): YamlDocument['form'] {
  if (/^ *[{[]/.test(first!)) return 'flow';
  return others.length > 0 ? 'block' : 'none';
}

function withEol(text: string, eol: string): string {
  return text.replaceAll('\n', (end, offset) =>
    eol === 'crlf' || (eol === 'mixed' && offset % 2) ? '\r\n' : end,
  );
}

/** Text that a reader of YAML 1.1 or 1.2 would take for something else if it were not quoted. */
export const misleading = [
  ...[
    '',
    ' ',
    ' a',
    'a ',
    '- x',
    '? x',
    ': x',
    'a: b',
    'a #b',
    'a, b',
    'a\nb',
    'a\tb',
    "'",
    '"',
    "it's",
    'C:\\x',
  ],
  ...'yes No ON off y N true FALSE null Null ~ .inf -.INF .nan - ? : a: # = << --- ... | > {a} [a]'.split(
    ' ',
  ),
  ...'12 012 0o14 0x1F 1e3 1.5 .5 1_000 +1 -1 1:30 2024-01-01 2001-12-14t21:59:43Z'.split(' '),
  ...'&a *a !t %d @a `a \u0085 \u2028 \uFEFF \u0000'.split(' '),
];

/** Why a well-formed document may not be set to another value. */
const reasons =
  /final newline|nested too deeply|is an alias|alias \*\w+ would change|by a merge key|has the tag|twice|question mark|or not as text/;

/** Taking something out may bring together what must not meet; and a key that is a list is no step of a path. */
export const reasonsToKeep = new RegExp(`${reasons.source}|cannot be edited safely|There is no`);

export function unlessRefused(edit: () => string, named = reasons): string | undefined {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof ConfigError) || !named.test(error.message)) throw error;
    return undefined;
  }
}
