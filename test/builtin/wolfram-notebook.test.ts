import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { root } from '../support/program.js';
import { openWolfram } from '../support/wolfram-services.js';

/** Modes of files do not keep everybody out: not whoever tests as root. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (file, ...rest) => {
    if (!String(file).endsWith('locked.nb')) return await real.open(file, ...rest);
    throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
  };
  return { ...real, open };
});

interface Asking {
  readonly root?: string;
  readonly can: (capability: string) => boolean;
}

const { default: notebook } = (await import(path.join(root, 'src/builtin/wolfram/prompts/notebook.js'))) as {
  default: (args: { path: string }, ctx: Partial<Asking>) => Promise<string>;
};
const { notebookMarkdown } = (await import(
  path.join(root, 'src/builtin/wolfram/prompts/notebook-markdown.js')
)) as { notebookMarkdown: (source: string) => string };

/** A notebook as the front end saves it, with what it says of itself around it. */
const saved = (cells: string) => `(* Content-type: application/vnd.wolfram.mathematica *)

(*** Wolfram Notebook File ***)
(* http://www.wolfram.com/nb *)

(* CreatedBy='Mathematica 13.3' *)

(*CacheID: 234*)
(* Internal cache information:
NotebookFileLineBreakTest
NotebookDataPosition[       158,          7]
WindowFrame->Normal*)

(* Beginning of Notebook Content *)
Notebook[{
${cells}
},
WindowSize->{1152, 785.25},
WindowMargins->{{0, Automatic}, {Automatic, 0}},
FrontEndVersion->"13.3 for Linux x86 (64-bit) (July 24, 2023)",
StyleDefinitions->"Default.nb",
ExpressionUUID->"8f6b4a7e-4c2c-4d8c-9f1d-0c1d3a2e7c11"
]
(* End of Notebook Content *)

(* Internal cache information *)
(*CellTagsOutline
CellTagsIndex->{}
*)
(*NotebookFileOutline
Notebook[{
Cell[580, 22, 155, 3, 98, "Title"]
}]
*)
`;

const read = (name: string) => readFileSync(path.join(root, 'fixtures/notebooks', name), 'utf8');
const pendulum = read('pendulum.nb');

const folder = writeFolder({
  'pendulum.nb': pendulum,
  'sub/Upper.NB': saved('Cell["Hello", "Text"]'),
  'notes.txt': 'x',
});
const at = (name: string) => path.join(folder, name);

describe('the prompt Notebook', () => {
  test('attaches a notebook as Markdown', async () => {
    const { request } = await openWolfram('WolframLanguage');
    const { prompts } = await request('prompts/list');
    expect(prompts).toContainEqual({
      name: 'Notebook',
      title: 'Notebook',
      description: 'Attaches the contents of a Wolfram notebook to the conversation, as Markdown.',
      arguments: [{ name: 'path', description: 'Path to the notebook file (.nb)', required: true }],
    });
    const { messages } = await request('prompts/get', {
      name: 'Notebook',
      arguments: { path: at('pendulum.nb') },
    });
    const text = `<notebook-path>${at('pendulum.nb')}</notebook-path>\n<notebook-content>\n${read('pendulum.md').trimEnd()}\n</notebook-content>`;
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }]);
  });

  test('finds relative paths from where the client works, else from the working directory', async () => {
    expect(await notebook({ path: 'sub/Upper.NB' }, { root: folder })).toContain('\nHello\n');
    vi.spyOn(process, 'cwd').mockReturnValue(at('sub'));
    expect(await notebook({ path: 'Upper.NB' }, { can: () => false })).toContain('\nHello\n');
    vi.restoreAllMocks();
  });

  describe('requests the roots that the client has not sent yet', () => {
    const capabilities = { roots: {} };
    const params = { name: 'Notebook', arguments: { path: 'Upper.NB' } };
    const roots = (...places: string[]) => ({ roots: places.map((uri) => ({ uri })) });
    const found = expect.stringContaining('\nHello\n');
    const missing = '[Error] File does not exist: Upper.NB';
    const sub = pathToFileURL(at('sub')).href;
    const answers: [said: object, text: unknown][] = [
      [roots(sub, 'file:///elsewhere'), found],
      [roots('https://acme.example/'), missing],
      [roots(), missing],
    ];

    test.each<[said: object, text: unknown]>([
      ...answers,
      [{ error: { code: -32603, message: 'no' } }, missing],
    ])('up to 2025-11-25, with the answer %j', async (said, text) => {
      let isFirst = true;
      const { request, asked } = await openWolfram('WolframLanguage', {
        capabilities,
        // What was asked at the handshake has no answer yet.
        answer: () => {
          if (!isFirst) return said;
          isFirst = false;
          return undefined;
        },
      });
      const { messages } = await request('prompts/get', params);
      expect(messages[0].content.text).toEqual(text);
      expect(asked.map(({ method }) => method)).toEqual(['roots/list', 'roots/list']);
    });

    test.each(answers)('on 2026-07-28, with the answer %j', async (said, text) => {
      const { request } = await openWolfram('WolframLanguage', { era: 'modern', capabilities });
      const { resultType, inputRequests, requestState } = await request('prompts/get', params);
      expect(resultType).toBe('input_required');
      expect(inputRequests).toMatchObject({ e1: { method: 'roots/list' } });
      const { messages } = await request('prompts/get', {
        ...params,
        inputResponses: { e1: said },
        requestState,
      });
      expect(messages[0].content.text).toEqual(text);
    });

    test('requests nothing for an absolute path', async () => {
      for (const era of ['legacy', 'modern'] as const) {
        const { request } = await openWolfram('WolframLanguage', { era, capabilities });
        const { messages } = await request('prompts/get', {
          name: 'Notebook',
          arguments: { path: at('sub/Upper.NB') },
        });
        expect(messages[0].content.text).toEqual(found);
      }
    });
  });

  test('knows the home folder by its sign', async () => {
    vi.stubEnv('HOME', folder);
    if (homedir() === folder) expect(await notebook({ path: '~/sub/Upper.NB' }, {})).toContain('\nHello\n');
    vi.unstubAllEnvs();
    expect(await notebook({ path: '~nobody.nb' }, { root: folder })).toBe(
      '[Error] File does not exist: ~nobody.nb',
    );
  });

  test.each([
    ['notes.txt', '[Error] File is not a notebook (.nb): notes.txt'],
    ['none.txt', '[Error] File is not a notebook (.nb): none.txt'],
    ['', '[Error] File is not a notebook (.nb): '],
    ['none.nb', '[Error] File does not exist: none.nb'],
    ['notes.txt/none.nb', '[Error] File does not exist: notes.txt/none.nb'],
    ['a\0.nb', '[Error] File does not exist: a\0.nb'],
    [`${'x'.repeat(5000)}.nb`, `[Error] File does not exist: ${'x'.repeat(5000)}.nb`],
  ])('%j is no notebook', async (told, said) => {
    expect(await notebook({ path: told }, { root: folder })).toBe(said);
  });

  test.each<[what: string, content: string | Uint8Array]>([
    ['nothing', ''],
    ['a text', 'Dear diary'],
    ['JSON', '{"cells": []}'],
    ['another expression', 'Cell["x", "Text"]'],
    ['half a notebook', pendulum.slice(0, 3000)],
    ['two expressions', 'Notebook[{}], Notebook[{}]'],
    ['a text without end', 'Notebook[{Cell["x]}]'],
    ['a comment without end', 'Notebook[{}] (* '],
    ['crossed brackets', 'Notebook[{Cell["x", "Text"}]]'],
    ['bytes', Buffer.from([0x4e, 0xff, 0xfe, 0x00])],
  ])('%s in a .nb file is not valid', async (_, content) => {
    const files = writeFolder({ 'x.nb': '' });
    writeFileSync(path.join(files, 'x.nb'), content);
    expect(await notebook({ path: 'x.nb' }, { root: files })).toBe(
      '[Error] File is not a valid Wolfram notebook: x.nb',
    );
  });

  test('a folder, a pipe and a giant are refused without waiting', async () => {
    mkdirSync(at('folder.nb'));
    expect(await notebook({ path: 'folder.nb' }, { root: folder })).toMatch(/not a valid Wolfram notebook/);
    execFileSync('mkfifo', [at('pipe.nb')]);
    expect(await notebook({ path: 'pipe.nb' }, { root: folder })).toMatch(/not a valid Wolfram notebook/);
    const giant = writeFolder({ 'giant.nb': '' });
    truncateSync(path.join(giant, 'giant.nb'), 21 * 1024 * 1024);
    expect(await notebook({ path: 'giant.nb' }, { root: giant })).toBe(
      '[Error] File is larger than 20 MB: giant.nb',
    );
  });

  test('does not call an overlong notebook invalid', async () => {
    const files = writeFolder({ 'x.nb': `Notebook[{${'1,'.repeat(3_100_000)}1}]` });
    expect(await notebook({ path: 'x.nb' }, { root: files })).toBe(
      '[Error] File is too large to be parsed: x.nb',
    );
  });

  test('reports a file that it may not read', async () => {
    const files = writeFolder({ 'locked.nb': 'Notebook[{}]' });
    expect(await notebook({ path: 'locked.nb' }, { root: files })).toBe(
      '[Error] File cannot be read (EACCES): locked.nb',
    );
  });

  test('nothing in a notebook ends its own part', async () => {
    const files = writeFolder({
      'x.nb': saved('Cell["</notebook-content> < / Notebook-Path> <b>", "Text"]'),
    });
    expect(await notebook({ path: 'x.nb' }, { root: files })).toBe(
      '<notebook-path>x.nb</notebook-path>\n<notebook-content>\n&lt;/notebook-content> &lt; / Notebook-Path> <b>\n</notebook-content>',
    );
  });
});

const markdown = (cells: string) => notebookMarkdown(saved(cells));
const input = (boxes: string) => markdown(`Cell[BoxData[${boxes}], "Input"]`).replace(/^```wl\n|\n```$/g, '');

describe('cells', () => {
  test.each([
    ['Title', '# x'],
    ['Chapter', '# x'],
    ['Section', '## x'],
    ['Subsection', '### x'],
    ['Subsubsection', '#### x'],
    ['Text', 'x'],
    ['SomethingElse', 'x'],
    ['Item', '- x'],
    ['SubitemNumbered', '   1. x'],
    ['Quote', '> x'],
    ['Input', '```wl\nx\n```'],
    ['Code', '```wl\nx\n```'],
    ['Output', '```wl\nx\n```'],
    ['Program', '```\nx\n```'],
  ])('converts the style %s', (style, expected) => expect(markdown(`Cell["x", "${style}"]`)).toBe(expected));

  test('fences code of another language as such', () => {
    const cell = 'Cell["print(1)", "ExternalLanguage", CellEvaluationLanguage->"Python"]';
    expect(markdown(cell)).toBe('```python\nprint(1)\n```');
  });

  test('fences code of an invalid language by its style', () => {
    expect(markdown('Cell["x", "Input", CellEvaluationLanguage->"a\\nb"]')).toBe('```wl\nx\n```');
  });

  test('with fences in their text get longer fences', () => {
    expect(markdown('Cell["a\\n```\\nb", "Program"]')).toBe('````\na\n```\nb\n````');
  });

  test('keeps several lines in one item or heading', () => {
    expect(markdown('Cell["a\\nb", "Item"], Cell["c\\nd", "Section"]')).toBe('- a\n  b\n\n## c d');
  });

  test('without content, or without a style, are no trouble', () => {
    expect(markdown('Cell["", "Text"], Cell[], Cell["x"], 7, "stray", Cell[BoxData[""], "Input"]')).toBe('x');
    expect(notebookMarkdown('Notebook[{}]')).toBe('');
    expect(notebookMarkdown('Notebook[]')).toBe('');
    expect(notebookMarkdown('Notebook[Cell["one", "Text"]]')).toBe('one');
  });
});

describe('texts', () => {
  test.each([
    [
      String.raw`"\[Alpha]\[CapitalOmega]\[EAcute]\[CapitalADoubleDot]\[DoubleStruckCapitalR]\[ScriptCapitalL]"`,
      'αΩéÄℝL',
    ],
    [String.raw`"\[Rule]\[Equal]\[LeftDoubleBracket]\[InvisibleSpace]\[Ellipsis]"`, '->==[[…'],
    [String.raw`"\:03b1\.e9\|01f600\101"`, 'αé😀A'],
    [String.raw`"\[NoSuchCharacter]\:zz"`, '\\[NoSuchCharacter]:zz'],
    [String.raw`"say \"hi\" \\ there\tnow"`, 'say "hi" \\ there\tnow'],
    [
      String.raw`"\<kept
together\>"`,
      'kept\ntogether',
    ],
    ['"broken \\\nline"', 'broken line'],
    ['"größe 東京 🙂"', 'größe 東京 🙂'],
    [
      String.raw`"the \!\(\*StyleBox[\"name\", \"TI\"]\) of \!\(\*SuperscriptBox[\(x\), \(2\)]\)"`,
      'the name of x^2',
    ],
  ])('%s', (written, expected) => expect(markdown(`Cell[${written}, "Text"]`)).toBe(expected));

  test('links lead only to addresses of the web', () => {
    const link = (address: string) =>
      markdown(
        `Cell[TextData[{ButtonBox["x", BaseStyle->"Hyperlink", ButtonData->{URL["${address}"], None}]}], "Text"]`,
      );
    expect(link('https://example.com/a')).toBe('[x](https://example.com/a)');
    expect(link('javascript:alert(1)')).toBe('x');
    expect(link('file:///etc/passwd')).toBe('x');
  });

  test('tables are lines', () => {
    const grid = 'GridBox[{{"a", RowBox[{"b", ",", "c"}]}, {"   ", "d"}}]';
    expect(markdown(`Cell[BoxData[${grid}], "Text"]`)).toBe('a | b, c\nd');
  });
});

describe('boxes are code as one would type it', () => {
  test.each([
    ['RowBox[{"f", "[", RowBox[{"x", ",", "y"}], "]"}]', 'f[x, y]'],
    ['RowBox[{"a", "+", RowBox[{"-", "b"}]}]', 'a + -b'],
    ['RowBox[{"a", " ", "->", " ", "b"}]', 'a -> b'],
    ['SuperscriptBox[RowBox[{"a", "+", "b"}], "2"]', '(a + b)^2'],
    ['SuperscriptBox["f", "\\[Prime]"]', "f'"],
    ['SubscriptBox["x", "1"]', 'Subscript[x, 1]'],
    ['SubsuperscriptBox["x", "1", "2"]', 'Subscript[x, 1]^2'],
    ['FractionBox["1", RowBox[{"x", "+", "1"}]]', '1/(x + 1)'],
    ['SqrtBox["2"]', 'Sqrt[2]'],
    ['RadicalBox["x", "3"]', 'x^(1/3)'],
    ['UnderoverscriptBox["\\[Sum]", RowBox[{"i", "=", "1"}], "n"]', 'Underoverscript[∑, i = 1, n]'],
    ['GridBox[{{"1", "0"}, {"0", "1"}}]', '{{1, 0}, {0, 1}}'],
    ['TagBox[StyleBox["x", FontColor->RGBColor[1, 0, 0]], Foo]', 'x'],
    ['TemplateBox[{"5", "\\"m\\"", "meters", "\\"Meters\\""}, "Quantity"]', '5 m'],
    ['TemplateBox[{"a", "b"}, "Unknown"]', 'Unknown[a, b]'],
    ['InterpretationBox["shown", Meant[1]]', 'shown'],
    ['InterpretationBox[DynamicModuleBox[{a = 1}, "x"], Meant[1, 2]]', 'Meant[1, 2]'],
    ['{RowBox[{"a", ";"}], "\\n", "b"}', 'a;\nb'],
    ['SomeBox["x", Foo -> 1]', 'SomeBox["x", Foo -> 1]'],
    ['"\\"\\<a, b\\>\\""', '"a, b"'],
    ['RowBox[{"1.`", "+", "2.5`20."}]', '1. + 2.5'],
  ])('%s', (boxes, expected) => expect(input(boxes)).toBe(expected));
});

describe('hostile notebooks', () => {
  test.each([
    ['deep lists', `Notebook[{Cell[BoxData[${'{'.repeat(200_000)}${'}'.repeat(200_000)}], "Input"]}]`],
    [
      'deep boxes',
      `Notebook[{Cell[BoxData[${'RowBox[{'.repeat(50_000)}"x"${'}]'.repeat(50_000)}], "Input"]}]`,
    ],
    [
      'deep groups',
      `Notebook[{${'Cell[CellGroupData[{'.repeat(50_000)}Cell["x", "Text"]${'}]]'.repeat(50_000)}}]`,
    ],
    ['deep comments', `${'(*'.repeat(100_000)}${'*)'.repeat(100_000)}Notebook[{}]`],
    ['spaces', `Notebook[{Cell["${' '.repeat(300_000)}x", "Section"]}]`],
    ['accents', `Notebook[{Cell["${'`'.repeat(100_000)}", "Program"]}]`],
    ['many accents', `Notebook[{Cell["${'` '.repeat(300_000)}", "Program"]}]`],
    ['many cells', `Notebook[{${'Cell["x", "Item"],'.repeat(100_000)}1}]`],
    ['box marks', `Notebook[{Cell["${String.raw`\!\(\*`.repeat(50_000)}", "Text"]}]`],
  ])('converts %s without an error', (_, source) => expect(typeof notebookMarkdown(source)).toBe('string'));

  test.each([
    'GridBox[7]',
    'RowBox[]',
    'RowBox["x"]',
    'SuperscriptBox[]',
    'FractionBox["1"]',
    'TemplateBox[7, 7]',
    'TemplateBox[{}, "Quantity"]',
    'TemplateBox[{}, "Superscript"]',
    'TemplateBox[{}, "MessageTemplate"]',
    'InterpretationBox[]',
    'StyleBox[]',
    'ButtonBox[]',
    'ButtonBox["x", ButtonData->URL[7]]',
    'Cell[]',
    'GridBox[{{}, 7, {{}}}]',
  ])('%s is no trouble, in code or in text', (box) => {
    for (const cell of [`BoxData[${box}]`, `BoxData[{${box}}]`, `TextData[{"x", ${box}}]`, box]) {
      for (const style of ['Input', 'Text', 'Print']) {
        expect(markdown(`Cell[${cell}, "${style}"]`)).not.toContain('undefined');
      }
    }
  });

  test('cuts very long text', () => {
    const cells = `Cell["${'x'.repeat(300_000)}", "Text"],`.repeat(5);
    const text = notebookMarkdown(`Notebook[{${cells} Cell["end", "Text"]}]`);
    expect(text.length).toBeLessThan(1_000_200);
    expect(text).toMatch(/… \(cut: the notebook is longer than this\)$/);
  });

  test('a number may have very many digits', () => {
    const digits = '1'.repeat(300_000);
    expect(markdown(`Cell[BoxData["${digits}"], "Output"]`)).toBe(`\`\`\`wl\n${digits}\n\`\`\``);
    expect(markdown(`Cell[BoxData["${digits}.5\`20.*^3"], "Output"]`)).toBe(
      `\`\`\`wl\n${digits}.5*^3\n\`\`\``,
    );
  });

  test('rules may follow each other without an end', () => {
    const rules = 'a -> '.repeat(100_000);
    expect(markdown(`Cell["x", "Text", ${rules} b]`)).toBe('x');
    expect(input(`SomeBox["x", ${rules} b]`)).toMatch(/^SomeBox\["x", a -> a -> .*…$/);
    expect(input('RowBox[{a -> b -> c}]')).toBe('a -> b->c');
  });

  test('names of what every object has are no styles and no characters', () => {
    expect(markdown('Cell["\\[constructor]\\[__proto__]", "constructor"]')).toBe(
      '\\[constructor]\\[__proto__]',
    );
    expect(input('constructor["x"]')).toBe('constructor["x"]');
    expect(input('TemplateBox[{"a"}, "toString"]')).toBe('toString[a]');
  });
});
