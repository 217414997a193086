import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { validateFormats } from '../../../../src/cli/commands/validate/formats.js';
import { summarize } from '../../../../src/cli/commands/validate/validation.js';
import { ruleTable } from '../../../../src/engine/validate/rules/index.js';
import type { LocatedDiagnostic } from '../../../../src/engine/validate/validate.js';
import sarifSchema from '../../../support/sarif-schema-2.1.0.json' with { type: 'json' };

const diagnostic = (more: Partial<LocatedDiagnostic>): LocatedDiagnostic => ({
  code: 'missing-definition',
  severity: 'error',
  message: 'Tool "a" has no definition. Expected agenttools/tools/a.json.',
  file: 'package.json',
  line: 7,
  column: 15,
  item: { kind: 'tool', name: 'a' },
  help: 'agenttools explain missing-definition',
  ...more,
});

const awkward = diagnostic({
  code: 'missing-description',
  severity: 'warning',
  message: '100% of it:\r\nfirst, second',
  file: 'agenttools/tools/a, b: 50%.json',
  line: 1,
  column: 1,
});

const note = diagnostic({
  code: 'not-checked',
  severity: 'info',
  message: 'Not looked at.',
  file: 'agenttools/tools/c.js',
});

function validation(found: Readonly<Record<string, readonly LocatedDiagnostic[]>>, strict = false) {
  const reports = Object.entries(found).map(([directory, diagnostics]) => ({
    directory,
    report: {
      path: directory,
      name: `@acme/${directory.split('/').at(-1)}`,
      valid: false,
      servers: [],
      tools: ['a', 'b'],
      prompts: ['c'],
      resources: [],
      apps: [],
      diagnostics,
      suppressed: [],
    },
  }));
  return summarize(reports, { cwd: '/home/ada', strict });
}

/** One counted diagnostic, one that is suppressed with a reason, and one of a baseline. */
const withSuppressed = summarize(
  [
    {
      directory: '/home/ada/a',
      report: {
        path: '/home/ada/a',
        name: '@acme/a',
        valid: false,
        servers: [],
        tools: ['a', 'b'],
        prompts: [],
        resources: [],
        apps: [],
        diagnostics: [diagnostic({})],
        suppressed: [
          { ...awkward, suppression: { source: 'rules', reason: 'It has a title.' } },
          {
            ...diagnostic({ code: 'unknown-tool' }),
            suppression: { source: 'baseline', reason: 'Known since b.json was written.' },
          },
        ],
      },
    },
  ],
  { cwd: '/home/ada', strict: false },
);

const options = {
  color: false,
  hyperlinks: false,
  strict: false,
  rules: [
    { code: 'missing-definition', severity: 'error', summary: 'Every declared item has a definition.' },
    { code: 'missing-description', severity: 'warning', summary: 'Every item says what it is for.' },
  ],
  version: '1.2.3',
  base: 'file:///home/ada/',
} as const;

async function render(
  format: keyof typeof validateFormats,
  of: ReturnType<typeof validation>,
): Promise<string> {
  const renderer = await validateFormats[format]();
  return await renderer(of, options);
}

describe('a summary of reports', () => {
  it('counts, and is valid without errors', () => {
    expect(validation({ '/home/ada/a': [diagnostic({}), awkward, note] })).toMatchObject({
      valid: false,
      errors: 1,
      warnings: 1,
    });
    expect(validation({ '/home/ada/a': [awkward], '/home/ada/b': [] })).toMatchObject({
      valid: true,
      warnings: 1,
    });
  });

  it('counts warnings as errors if strict, but never infos', () => {
    expect(validation({ '/home/ada/a': [awkward], '/home/ada/b': [note] }, true)).toMatchObject({
      valid: false,
      extensions: [{ valid: false }, { valid: true }],
    });
  });

  it.each([
    ['/home/ada', '.', 'package.json'],
    ['/home/ada/a/b', 'a/b', 'a/b/package.json'],
    ['/elsewhere/a', '../../elsewhere/a', '../../elsewhere/a/package.json'],
  ])('names %s as seen from the working directory', (directory, path, place) => {
    const { extensions } = validation({ [directory]: [diagnostic({})] });
    expect(extensions).toMatchObject([{ path, diagnostics: [{ place }] }]);
  });
});

describe('pretty', () => {
  it('groups by file and counts', async () => {
    const second = diagnostic({ line: 12, column: 3, code: 'unknown-tool', message: 'One.\nTwo.' });
    const text = await render(
      'pretty',
      validation({ '/home/ada/a': [diagnostic({}), awkward, second], '/home/ada/b': [] }),
    );
    expect(text).toMatchInlineSnapshot(`
      "@acme/a (a)

      a/package.json:7:15  error  missing-definition  Tool "a" has no definition. Expected agenttools/tools/a.json.
      a/package.json:12:3  error  unknown-tool        One.
        Two.

      a/agenttools/tools/a, b: 50%.json:1:1  warning  missing-description  100% of it:
        first, second

      valid @acme/b: 2 tools, 1 prompt
      2 errors, 1 warning in 2 extensions.
      To explain a code and its fix: agenttools explain missing-definition
      "
    `);
  });

  it('explains the first error rather than an earlier warning', async () => {
    const text = await render('pretty', validation({ '/home/ada/a': [awkward, diagnostic({})] }));
    expect(text).toMatch(/agenttools explain missing-definition\n$/);
  });

  it('is one line for a clean extension', async () => {
    expect(await render('pretty', validation({ '/home/ada/a': [] }))).toBe(
      'valid @acme/a: 2 tools, 1 prompt\n',
    );
  });
});

describe('links in a terminal', () => {
  it('lead to the file and the line', async () => {
    const renderer = await validateFormats.pretty();
    const found = validation({ '/home/ada/a': [diagnostic({})] });
    const text = await renderer(found, { ...options, hyperlinks: true });
    expect(text).toContain(
      '\u001b]8;;file:///home/ada/a/package.json#7\u0007a/package.json:7:15\u001b]8;;\u0007  error',
    );
  });
});

describe('junit', () => {
  it('has a suite for each extension, and a failure for each diagnostic that fails', async () => {
    const lenient = await render(
      'junit',
      validation({ '/home/ada/a': [diagnostic({}), awkward], '/home/ada/b': [] }),
    );
    expect(lenient).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="agenttools validate" tests="3" failures="1" skipped="0">
      <testsuite name="@acme/a" tests="2" failures="1" skipped="0" file="a">
      <testcase classname="@acme/a" name="missing-definition: tool/a" file="a/package.json" line="7">
      <failure type="missing-definition" message="Tool &quot;a&quot; has no definition. Expected agenttools/tools/a.json.">a/package.json:7:15: error missing-definition: Tool &quot;a&quot; has no definition. Expected agenttools/tools/a.json.</failure>
      </testcase>
      <testcase classname="@acme/a" name="missing-description: tool/a" file="a/agenttools/tools/a, b: 50%.json" line="1">
      <system-out>a/agenttools/tools/a, b: 50%.json:1:1: warning missing-description: 100% of it:&#10;first, second</system-out>
      </testcase>
      </testsuite>
      <testsuite name="@acme/b" tests="1" failures="0" skipped="0" file="b">
      <testcase classname="@acme/b" name="valid"/>
      </testsuite>
      </testsuites>
      "
    `);
    const renderer = await validateFormats.junit();
    const strict = await renderer(validation({ '/home/ada/a': [awkward, note] }, true), {
      ...options,
      strict: true,
    });
    expect(strict).toContain('<testsuites name="agenttools validate" tests="2" failures="1" skipped="0">');
  });

  it('skips suppressed diagnostics with their reason', async () => {
    const text = await render('junit', withSuppressed);
    expect(text).toContain('tests="3" failures="1" skipped="2"');
    expect(text).toContain('<skipped message="It has a title."/>');
  });
});

describe('markdown', () => {
  it('has a table of extensions and a table of diagnostics, in which no text is markup', async () => {
    const odd = diagnostic({ message: 'a|b <img src=x> @ada #1 [x](y)\nnext' });
    const text = await render('markdown', validation({ '/home/ada/a': [odd, awkward], '/home/ada/b': [] }));
    expect(text).toMatchInlineSnapshot(`
      "## AgentTools: not valid

      1 error, 1 warning in 2 extensions.

      | extension | errors | warnings | suppressed |
      | --- | --- | --- | --- |
      | \`@acme/a\` (a) | 1 | 1 | 0 |
      | \`@acme/b\` (b) | 0 | 0 | 0 |

      | severity | place | code | message |
      | --- | --- | --- | --- |
      | error | \`a/package.json:7:15\` | \`missing-definition\` | a\\|b \\<img src=x\\> <span>@</span>ada \\#1 \\[x\\](y)<br>next |
      | warning | \`a/agenttools/tools/a, b: 50%.json:1:1\` | \`missing-description\` | 100% of it:<br>first, second |
      "
    `);
  });

  it('lists at most 200 diagnostics', async () => {
    const many = Array.from({ length: 250 }, (_, line) => diagnostic({ line: line + 1 }));
    const text = await render('markdown', validation({ '/home/ada/a': many }));
    expect(text.match(/^\| error/gm)).toHaveLength(200);
    expect(text).toContain('50 more are not listed.');
  });
});

describe('json', () => {
  it('has the promised shape', async () => {
    const text = await render('json', validation({ '/home/ada/a': [diagnostic({})] }));
    expect(JSON.parse(text)).toEqual({
      valid: false,
      extensions: [
        {
          path: 'a',
          name: '@acme/a',
          valid: false,
          servers: [],
          tools: ['a', 'b'],
          prompts: ['c'],
          resources: [],
          apps: [],
          diagnostics: [
            {
              code: 'missing-definition',
              severity: 'error',
              message: 'Tool "a" has no definition. Expected agenttools/tools/a.json.',
              file: 'package.json',
              line: 7,
              column: 15,
              item: { kind: 'tool', name: 'a' },
              help: 'agenttools explain missing-definition',
            },
          ],
        },
      ],
      errors: 1,
      warnings: 0,
    });
  });
});

describe('github', () => {
  it('escapes, and names files as seen from the working directory', async () => {
    const text = await render('github', validation({ '/home/ada/a': [diagnostic({}), awkward, note] }));
    expect(text.split('\n')).toEqual([
      '::error file=a/package.json,line=7,col=15,title=missing-definition::Tool "a" has no definition. Expected agenttools/tools/a.json.',
      '::warning file=a/agenttools/tools/a%2C b%3A 50%25.json,line=1,col=1,title=missing-description::100%25 of it:%0D%0Afirst, second',
      '::notice file=a/agenttools/tools/c.js,line=7,col=15,title=not-checked::Not looked at.',
      '',
    ]);
  });

  it('is silent when nothing was found', async () => {
    expect(await render('github', validation({ '/home/ada/a': [] }))).toBe('');
  });
});

describe('sarif', () => {
  const { id: $id, $schema: _, ...schema } = sarifSchema;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const isSarif = ajv.compile({ $id, ...schema });

  it.each([
    ['nothing found', { '/home/ada/a': [] }],
    [
      'everything found',
      { '/home/ada/a': [diagnostic({}), awkward, note], '/elsewhere/b': [diagnostic({})] },
    ],
  ])('fits the schema of SARIF 2.1.0: %s', async (_case, found) => {
    const log = JSON.parse(await render('sarif', validation(found)));
    expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true);
  });

  it('holds one run, its rules and where they are explained', async () => {
    const log = JSON.parse(
      await render('sarif', validation({ '/home/ada/a': [diagnostic({}), awkward, note] })),
    );
    expect(log.runs).toHaveLength(1);
    const [run] = log.runs;
    expect(run.tool.driver).toMatchObject({ name: 'agenttools', semanticVersion: '1.2.3' });
    expect(run.tool.driver.rules[0]).toEqual({
      id: 'missing-definition',
      shortDescription: { text: 'Every declared item has a definition.' },
      fullDescription: {
        text: expect.stringMatching(/^An item is declared, but has no definition: .* declaration\.$/),
      },
      help: {
        text: expect.stringContaining('\nHow to fix it:\n'),
        markdown: expect.stringContaining('\n## How to fix it\n'),
      },
      helpUri: expect.stringMatching(/^https:\/\/.*\/docs\/rules\/missing-definition\.md$/),
      defaultConfiguration: { level: 'error' },
      properties: { tags: ['extension'], 'problem.severity': 'error' },
    });
    expect(run.originalUriBaseIds).toEqual({ '%SRCROOT%': { uri: 'file:///home/ada/' } });
    expect(run.results.map((one: { level: string }) => one.level)).toEqual(['error', 'warning', 'note']);
    expect(run.results[1]).toMatchObject({
      ruleId: 'missing-description',
      ruleIndex: 1,
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'a/agenttools/tools/a,%20b:%2050%25.json', uriBaseId: '%SRCROOT%' },
            region: { startLine: 1, startColumn: 1 },
          },
        },
      ],
    });
  });

  it('has a description and a help text for every rule, without links that GitHub cannot open', async () => {
    const renderer = await validateFormats.sarif();
    const log = JSON.parse(await renderer(validation({}), { ...options, rules: ruleTable }));
    expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true);
    const { rules } = log.runs[0].tool.driver;
    expect(rules).toHaveLength(ruleTable.length);
    for (const { shortDescription, fullDescription, help } of rules) {
      for (const { text } of [shortDescription, fullDescription, help]) expect(text).toMatch(/\S/);
      expect(fullDescription.text).not.toMatch(/^Severity|\n/);
      expect(help.markdown).not.toMatch(/\]\((?!https?:)/);
    }
  });

  it('holds suppressed diagnostics with the reason', async () => {
    const log = JSON.parse(await render('sarif', withSuppressed));
    expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true);
    expect(log.runs[0].results).toMatchObject([
      { ruleId: 'missing-definition' },
      {
        ruleId: 'missing-description',
        suppressions: [{ kind: 'external', justification: 'It has a title.' }],
      },
      {
        ruleId: 'unknown-tool',
        baselineState: 'unchanged',
        suppressions: [{ kind: 'external', justification: 'Known since b.json was written.' }],
      },
    ]);
    expect(log.runs[0].results[0]).not.toHaveProperty('suppressions');
    expect(log.runs[0].results[1]).not.toHaveProperty('baselineState');
  });

  it('gives a file outside the working directory its whole address', async () => {
    const log = JSON.parse(await render('sarif', validation({ '/elsewhere/b': [diagnostic({})] })));
    const [{ physicalLocation }] = log.runs[0].results[0].locations;
    expect(physicalLocation.artifactLocation).toEqual({ uri: 'file:///elsewhere/b/package.json' });
  });
});
