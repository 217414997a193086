import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/run-cli.js';

const greet = {
  description: 'Greets.',
  input: { name: { type: 'string', required: true } },
  handler: './greet.js',
};

const files = {
  'package.json': {
    name: 'kit',
    version: '1.0.0',
    private: true,
    agenttools: { tools: ['greet'] },
  },
  'greet.js': "export default ({ name }) => 'Hello, ' + name + '!';",
  'agenttools/tools/greet.json': greet,
};

const passing = { tool: 'greet', arguments: { name: 'Ada' }, expect: { text: 'Hello, Ada!' } };
const failing = { ...passing, expect: { text: 'Bye' } };

/** A package with a snapshot of its surface. */
async function recorded(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { cwd } = await runCli(['test', '--update'], { files: { ...files, ...more } });
  return cwd;
}

describe('the surface', () => {
  test.each([
    ['without cases', files, {}, 1],
    ['in CI', { ...files, 'a.case.json': passing }, { CI: 'true' }, 1],
    ['with cases', { ...files, 'a.case.json': passing }, { CI: '' }, 0],
  ])('without a snapshot, %s: names --update', async (_, given, env, expected) => {
    const { code, stdout } = await runCli(['test'], { files: given, env });
    expect(code).toBe(expected);
    expect(stdout).toContain('There is no agenttools.surface.json.');
    expect(stdout).toContain('agenttools test --update');
  });

  test('is written with --update, and then is as recorded', async () => {
    const { code, stdout, cwd } = await runCli(['test', '-u'], { files });
    expect([code, stdout]).toEqual([0, expect.stringContaining('agenttools.surface.json is written.')]);
    const again = await runCli(['test'], { cwd });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('the surface is as recorded')]);
    const { servers } = JSON.parse(readFileSync(path.join(cwd, 'agenttools.surface.json'), 'utf8'));
    expect(servers.kit.tools.greet.inputSchema.required).toEqual(['name']);
  });

  test('fails when it differs, and prints each change, its path and the step that it needs', async () => {
    const cwd = await recorded();
    const changed = { ...greet, input: { ...greet.input, title: { type: 'string', required: true } } };
    const { code, stdout } = await runCli(['test'], {
      cwd,
      files: { 'agenttools/tools/greet.json': changed },
    });
    expect(code).toBe(1);
    expect(stdout).toContain('major tool "greet" /inputSchema/properties/title is new and required');
  });

  test('is compared with the file of --against, without a failure', async () => {
    const cwd = await recorded();
    const before = readFileSync(path.join(cwd, 'agenttools.surface.json'), 'utf8');
    const text = {
      'agenttools/tools/greet.json': { ...greet, description: 'Says hello.' },
      'old.json': before,
    };
    await runCli(['test', '-u'], { cwd, files: text });
    const { code, stdout } = await runCli(['test', '--against', 'old.json'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('1 change since old.json. It needs a patch step.');
    expect(stdout).toContain('tool "greet" /description has another text: "Greets." → "Says hello."');
  });

  test('is not compared when the registry cannot be reached, without a failure', async () => {
    const published = { 'package.json': { ...files['package.json'], private: false } };
    const cwd = await recorded(published);
    const { code, stdout } = await runCli(['test'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(
      'kit is not compared with its published version: the registry cannot be reached.',
    );
  });
});

describe('a failed case', () => {
  const cases = { 'agenttools/tools/greet.case.json': { cases: [{ name: 'greets', ...failing }] } };
  const run = async (words: readonly string[]) =>
    await runCli(['test', ...words], { cwd: await recorded(cases) });

  test('is shown with its place and its values', async () => {
    const { code, stdout } = await run([]);
    expect(code).toBe(1);
    expect(stdout).toContain('agenttools/tools/greet.case.json:4:15');
    expect(stdout).toContain('failed greets [legacy, modern]');
    expect(stdout).toContain('- expected: "Bye"\n      + received: "Hello, Ada!"');
    expect(stdout).toContain('2 failed');
  });

  test('is an annotation at its place', async () => {
    const { code, stdout } = await run(['--reporter', 'github']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^::error file=agenttools\/tools\/greet\.case\.json,line=4,col=15,title=greets \[legacy%2C modern\]::The text differs\.%0A/,
    );
  });

  test('is a failure in JUnit XML', async () => {
    const { stdout } = await run(['--reporter', 'junit']);
    expect(stdout).toContain('<testsuites name="kit" tests="3" failures="2" errors="0"');
    expect(stdout).toContain('<testcase name="greets [modern]" classname="agenttools/tools/greet.case.json"');
    expect(stdout).toContain('<failure message="The text differs.">');
  });

  test('is data in JSON', async () => {
    const { stdout } = await run(['--json']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ ok: false, name: 'kit', surface: { state: 'same' } });
    expect(report.cases).toHaveLength(2);
    expect(report.cases[0]).toMatchObject({ name: 'greets', era: 'legacy', line: 4, column: 15, ok: false });
  });
});

describe('the cases', () => {
  test('pass', async () => {
    const cwd = await recorded({ 'test/greet.case.json': passing });
    const { code, stdout } = await runCli(['test'], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 passed, the surface is as recorded')]);
  });

  test('are chosen by --filter, which leaves the surface out', async () => {
    const both = {
      cases: [
        { name: 'good', ...passing },
        { name: 'bad', ...failing },
      ],
    };
    const folder = await temporaryFolder();
    await runCli(['test'], { cwd: folder, files: { ...files, 'a.case.json': both } });
    const good = await runCli(['test', '-t', '^good$'], { cwd: folder });
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('2 passed, 1 case left out')]);
    const none = await runCli(['test', '-t', 'nothing'], { cwd: folder });
    expect([none.code, none.stdout]).toEqual([1, expect.stringContaining('No case matches the filter.')]);
  });

  test('fail in a faulty file, with the place of the fault', async () => {
    const cwd = await recorded({ 'a.case.json': '{\n  "tools": "greet"\n}' });
    const { code, stdout } = await runCli(['test'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('a.case.json:2:3');
    expect(stdout).toContain('"tools" is not a known name');
  });

  test('fail when the server does not start', async () => {
    const broken = { 'package.json': { ...files['package.json'], agenttools: { servers: ['bad'] } } };
    const { code, stdout } = await runCli(['test'], {
      files: { ...files, ...broken, 'a.case.json': passing },
    });
    expect(code).toBe(1);
    expect(stdout).toContain('The server did not start: ');
  });
});

describe('several packages', () => {
  const kit = (name: string, greeting: string) => ({
    [`packages/${name}/package.json`]: { ...files['package.json'], name },
    [`packages/${name}/greet.js`]: files['greet.js'].replace('Hello', greeting),
    [`packages/${name}/agenttools/tools/greet.json`]: greet,
    [`packages/${name}/greet.case.json`]: passing,
  });
  const repository = {
    'package.json': { name: 'root', private: true, workspaces: ['packages/*'] },
    ...kit('one', 'Hello'),
    ...kit('two', 'Bye'),
    'packages/lib/package.json': { name: 'lib' },
  };

  test.each([[['--workspaces']], [['packages/*']], [['packages/one', 'packages/two']]])(
    'by %j are tested one after the other',
    async (words) => {
      const { code, stdout } = await runCli(['test', ...words], { files: repository });
      expect(code).toBe(1);
      expect(stdout).toContain('ok one: 2 passed');
      expect(stdout).toContain('packages/two/greet.case.json:1:1');
      expect(stdout).toContain('failed two: 2 failed, 0 passed');
      expect(stdout).toContain('1 of 2 packages failed');
      expect(stdout.includes('without a server: lib.')).toBe(words.length === 1);
    },
  );

  test('are one report', async () => {
    const broken = { ...repository, 'packages/two/package.json': { name: 'two', agenttools: { tools: [] } } };
    const { stdout } = await runCli(['test', '--workspaces', '--json'], { files: broken });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      packages: [{ name: 'one' }],
      skipped: ['lib', 'two'],
    });
    const junit = await runCli(['test', 'packages/*', '--reporter', 'junit'], { files: repository });
    expect(junit.stdout).toMatch(/<testsuites name="one, two" tests="6" failures="2"/);
  });

  test('refuse options of one package', async () => {
    const { code, stderr } = await runCli(['test', '--workspaces', '--server', 'x'], { files: repository });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--server is for one package.')]);
  });
});

describe('results that client apps do not show whole', () => {
  const picture = {
    ...files,
    'greet.js':
      "export default () => ({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] });",
    'a.case.json': { tool: 'greet', arguments: { name: 'Ada' } },
  };

  test('are warnings, once for both eras', async () => {
    const { code, stdout } = await runCli(['test'], { files: picture });
    expect(code).toBe(0);
    expect(stdout.match(/warning a: The result has only content of the type "image"/g)).toHaveLength(1);
    expect(stdout).toContain('(compat/image-content)');
    expect(stdout).toContain('2 passed, 1 warning');
    const github = await runCli(['test', '--reporter', 'github'], { files: picture });
    expect(github.stdout).toContain('::warning file=a.case.json');
    const junit = await runCli(['test', '--reporter', 'junit'], { files: picture });
    expect(junit.stdout).toMatch(/<system-out>warning: The result has only .*\(compat\/image-content\)</);
    expect(junit.stdout).toContain('failures="0"');
  });

  test.each([
    ['turned off', { 'compat/image-content': 'off' }, 0, /2 passed \(|2 passed, 1 server|ok kit/],
    [
      'an error',
      { 'compat/image-content': 'error' },
      1,
      /failed a \[legacy, modern\]\n.*compat\/image-content/,
    ],
    [
      'suppressed at its place',
      [{ code: 'compat/image-content', path: 'agenttools/tools/greet.json', reason: 'A picture.' }],
      0,
      /ok kit/,
    ],
    [
      'suppressed at another place',
      [{ code: 'compat/image-content', path: 'agenttools/tools/other.json', reason: 'A picture.' }],
      0,
      /1 warning/,
    ],
  ])('follow the shared config: %s', async (_, rules, expected, output) => {
    const { code, stdout } = await runCli(['test'], {
      files: { ...picture, 'agenttools.config.json': { rules } },
    });
    expect([code, stdout]).toEqual([expected, expect.stringMatching(output)]);
    expect(stdout.includes('1 warning')).toBe(String(output).includes('1 warning'));
  });

  test('names the place of a fault in the shared config', async () => {
    const { code, stderr } = await runCli(['test'], {
      files: { ...picture, 'agenttools.config.json': '{ "rulez": 1 }' },
    });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('agenttools.config.json:1:3: Unknown key "rulez".'),
    ]);
  });

  test('are not reported for a code that is off', async () => {
    const agenttools = { tools: ['greet'], rules: { 'compat/image-content': 'off' } };
    const { stdout } = await runCli(['test'], {
      files: { ...picture, 'package.json': { ...files['package.json'], agenttools } },
    });
    expect(stdout).not.toContain('warning');
  });
});

test('an item that is left out is printed once', async () => {
  const lacking = {
    ...files,
    'agenttools/tools/greet.json': { ...greet, handler: undefined },
    'a.case.json': [{ tool: 'greet', arguments: { name: 'Ada' }, env: { A: 'b' } }],
  };
  const { code, stdout } = await runCli(['test'], { files: lacking });
  expect([code, stdout.match(/left out: /g)]).toEqual([1, ['left out: ']]);
});

describe('the command line', () => {
  test.each([
    [['test', 'nowhere'], 'There is no folder '],
    [['test', 'agenttools'], 'There is no package.json in '],
    [['test', '-t', '('], '--filter ( is not a regular expression.'],
    [['test', '--against', '1.0.0'], 'Give a snapshot file'],
    [['test', '--server', 'other'], 'The package has no server "other".'],
    [['test', '.', '--env', 'A=b'], '--env is for existing MCP servers'],
  ])('%j is a usage error', async (words, message) => {
    const { code, stderr } = await runCli(words, { files });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('tests an existing server with the cases of a folder', async () => {
    const cwd = await temporaryFolder();
    const server = path.resolve(import.meta.dirname, '../support/scripted-upstream.mjs');
    const { code, stdout } = await runCli(
      ['test', '--cases', 'cases', '-u', '--', process.execPath, server],
      {
        cwd,
        files: { 'cases/list.case.json': { list: 'tools', expect: { contains: [] } } },
      },
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('passed')]);
  });
});
