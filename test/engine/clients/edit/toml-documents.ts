import fc from 'fast-check';
import { parse } from 'smol-toml';
import { parseTOML } from 'toml-eslint-parser';
import { readToml } from '../../../../src/engine/clients/edit/toml-source.js';

/** Names that documents are made of: few, so that they meet. */
const names = ['mcp_servers', 'weather', 'env', 'command', 'args', 'a', 'b c', 'é', '', '__proto__', '1'];

/** Spellings of one key. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name)),
  (name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name)),
  (name) => JSON.stringify(name),
  (name) => `'${name}'`,
  (name) =>
    `"${[...name].map((char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`).join('')}"`,
];

const key = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...spellings))
  .map(([name, spell]) => spell(name));

/** What all is about: half of the keys lead to the servers. */
const dottedKey = fc
  .tuple(
    fc.constantFrom([], [], ['mcp_servers'], ['mcp_servers', 'weather'], ['mcp_servers', 'weather', 'env']),
    fc.array(key, { maxLength: 3 }),
    fc.constantFrom('.', '.', ' . ', '.\t'),
  )
  .filter(([start, rest]) => start.length + rest.length > 0)
  .map(([start, rest, dot]) => [...start, ...rest].join(dot));

const scalar = fc.constantFrom(
  '"x"',
  "'C:\\x'",
  '"# \\"no\\" comment"',
  '1',
  '0x1F',
  '9007199254740993',
  '1.0',
  '-0.0',
  'inf',
  'nan',
  'true',
  '1979-05-27T07:32:00Z',
  '1979-05-27 07:32:00',
  '1979-05-27',
  '07:32:00',
  '"""\n[mcp_servers.weather]\ncommand = "fake"\n"""',
  "'''\n# no comment\n\n[mcp_servers]'''",
  '"""one \\\n  # line"""',
);

const { value } = fc.letrec<{ value: string; list: string; inline: string }>((tie) => ({
  value: fc.oneof({ weight: 6, arbitrary: scalar }, tie('list'), { weight: 3, arbitrary: tie('inline') }),
  list: fc
    .tuple(
      fc.array(tie('value'), { maxLength: 3 }),
      fc.constantFrom(
        ['[', ', ', ']'],
        ['[ ', ' , ', ', ]'],
        ['[\n  ', ', # "one",\n\n  ', ', # ]\n  # [mcp_servers.weather]\n]'],
      ),
    )
    .map(([items, [open, comma, close]]) => (items.length > 0 ? open + items.join(comma) + close : '[ ]')),
  inline: fc
    .tuple(
      fc.array(
        fc.tuple(dottedKey, tie('value')).map(([name, held]) => `${name} = ${held}`),
        { maxLength: 3 },
      ),
      fc.constantFrom(
        ['{', ', ', '}'],
        ['{ ', ', ', ' }'],
        ['{  ', ' ,', '}'],
        ['{\n  ', ', # , }\n  ', ' # last\n}'],
        ['{ ', ',\n', ', }'],
      ),
    )
    .map(([members, [open, comma, close]]) =>
      members.length > 0 ? open + members.join(comma) + close : open + close.replace(',', ''),
    ),
}));

const comment = fc.constantFrom('#', '# [mcp_servers.weather]', '# é = "', '#\tx', '# ---- below ----');

const statement = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(dottedKey, value).map(([name, held]) => `${name} = ${held}`) },
  { weight: 5, arbitrary: dottedKey.map((name) => `[${name}]`) },
  { weight: 1, arbitrary: dottedKey.map((name) => `[ ${name} ]`) },
  { weight: 1, arbitrary: dottedKey.map((name) => `[[${name}]]`) },
);

const line = fc.oneof(
  { weight: 6, arbitrary: statement },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('  ', '\t'), statement, fc.constantFrom('', '  '), comment)
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.constantFrom('', '', '  ', '\t') },
  { weight: 2, arbitrary: comment },
);

/** Any TOML: of random lines, those that the ones before allow. */
export const documents: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(line, { maxLength: 12 }),
    fc.constantFrom(['\n'], ['\n'], ['\r\n'], ['\n', '\r\n']),
    fc.boolean(),
  )
  .map(([lines, lineEnds, isEnded]) => {
    const kept = lines.reduce((text, next) => (isValid(`${text}${next}\n`) ? `${text}${next}\n` : text), '');
    let count = 0;
    const text = kept.replace(/\n/g, () => lineEnds[count++ % lineEnds.length]!);
    return isEnded ? text : text.replace(/\r?\n$/, '');
  });

/** Where an entry goes, or a value of one; and places anywhere else. */
export const paths: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.constantFrom(...names).map((name) => ['mcp_servers', name]),
  fc.constantFrom(...names).map((name) => ['mcp_servers', 'weather', name]),
  fc.constantFrom(...names).map((name) => ['mcp_servers', 'weather', 'env', name]),
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
);

/** smol-toml alone lets dotted keys reach into some tables that a header has closed. */
function isValid(text: string): boolean {
  try {
    parse(text, { integersAsBigInt: true });
    parseTOML(text, { tomlVersion: '1.1' });
  } catch {
    return false;
  }
  return !isDisputed(text);
}

/** Whether the editor refuses what is valid, as it does where parsers disagree. */
function isDisputed(text: string): boolean {
  try {
    readToml(text);
    return false;
  } catch (error) {
    return (error as Error).message.startsWith('Parsers of TOML disagree on this key');
  }
}
