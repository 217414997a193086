import { appendFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Files, runCli, temporaryFolder, writeFiles } from '../support/run-cli.js';

const manifest = (name: string, agenttools: object, more: object = {}) => ({
  name,
  version: '1.0.0',
  type: 'module',
  private: true,
  agenttools,
  ...more,
});

/** A repository with an extension that lacks a description, another without faults, and a library. */
const packages: Files = {
  'packages/a/package.json': manifest('@acme/a', { tools: ['ping'] }),
  'packages/a/agenttools/tools/ping.json': { handler: './ping.js#ping' },
  'packages/a/ping.js': 'export const ping = () => "pong";\n',
  'packages/b/package.json': manifest('@acme/b', { prompts: ['ask'] }),
  'packages/b/agenttools/prompts/ask.json': { description: 'Asks.', content: 'Ask?' },
  'packages/lib/package.json': { name: '@acme/lib', version: '1.0.0' },
  'packages/README.md': '',
};

const root = (more: object = {}) => ({ name: 'root', private: true, workspaces: ['packages/*'], ...more });

interface Found {
  readonly name: string;
  readonly diagnostics: readonly { readonly code: string }[];
}

/** Codes by package. */
const codesIn = (text: string) =>
  Object.fromEntries(
    JSON.parse(text).extensions.map(({ name, diagnostics }: Found) => [
      name,
      diagnostics.map(({ code }) => code),
    ]),
  );

const both = { '@acme/a': ['missing-description'], '@acme/b': [] };

describe('validate --workspaces', () => {
  it.each<[string, Files]>([
    ['npm', { 'package.json': root() }],
    ['Yarn', { 'package.json': root({ workspaces: { packages: ['packages/*'] } }) }],
    ['pnpm', { 'package.json': { name: 'root' }, 'pnpm-workspace.yaml': 'packages:\n  - packages/*\n' }],
    ['patterns that exclude', { 'package.json': root({ workspaces: ['packages/**', '!packages/lib'] }) }],
  ])('checks the extensions among the workspaces of %s, also from a folder below', async (name, files) => {
    const { cwd, stdout, code } = await runCli(['validate', '--workspaces', '--json'], {
      files: { ...packages, 'packages/a/node_modules/x/package.json': manifest('x', {}), ...files },
    });
    expect(code).toBe(0);
    expect(codesIn(stdout)).toEqual(both);
    expect(JSON.parse(stdout).skipped).toEqual(name === 'patterns that exclude' ? undefined : ['@acme/lib']);
    const below = await runCli(['validate', '--workspaces', '--json'], { cwd: `${cwd}/packages/b` });
    expect(codesIn(below.stdout)).toEqual(both);
  });

  it('includes the root if it is an extension, and names the skipped packages in one line', async () => {
    const { stdout } = await runCli(['validate', '--workspaces'], {
      files: {
        ...packages,
        'package.json': root({ version: '1.0.0', agenttools: { prompts: ['ask'] } }),
        'agenttools/prompts/ask.json': { description: 'Asks.', content: 'Ask?' },
      },
    });
    expect(stdout).toContain('valid root: 1 prompt\n');
    expect(stdout).toContain('Skipped 1 package without an extension: @acme/lib.\n');
  });

  it('reports a package.json that cannot be read', async () => {
    const files = { ...packages, 'package.json': root(), 'packages/lib/package.json': '{' };
    const { code, stdout } = await runCli(['validate', '--workspaces'], { files });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^packages\/lib\/package\.json:1:2 {2}error {2}malformed-manifest/m);
  });

  it.each<[string, Files, number, string]>([
    ['without workspaces', { 'package.json': { name: 'root' } }, 2, 'There are no workspaces at'],
    [
      'without a match',
      { 'package.json': root({ workspaces: ['libs/*'] }) },
      2,
      'contain no package: libs/*',
    ],
    [
      'without an extension',
      { 'package.json': root({ workspaces: ['packages/lib'] }) },
      1,
      'None of the 1 packages is an extension',
    ],
    [
      'with a malformed file of pnpm',
      { 'package.json': root(), 'pnpm-workspace.yaml': 'packages: [' },
      2,
      'pnpm-workspace.yaml cannot be read',
    ],
  ])('fails %s', async (_, files, code, message) => {
    const run = await runCli(['validate', '--workspaces'], { files: { ...packages, ...files } });
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

describe('validate with patterns', () => {
  it.each(['packages/*', 'packages/{a,b,lib}', '**/{a,b,lib}', './packages/[a-l]*'])(
    '%s skips libraries',
    async (pattern) => {
      const { code, stdout } = await runCli(['validate', pattern, '--json'], { files: packages });
      expect(code).toBe(0);
      expect(codesIn(stdout)).toEqual(both);
    },
  );

  it('still reports a library that is named alone', async () => {
    const { cwd, code } = await runCli(['validate', 'packages/lib'], { files: packages });
    expect(code).toBe(1);
    expect(await runCli(['validate', 'packages/*', 'packages/lib'], { cwd })).toMatchObject({ code: 1 });
  });

  it('takes a folder whose name has the characters of a pattern', async () => {
    const files = {
      'a[1]/package.json': manifest('odd', { prompts: ['ask'] }),
      'a[1]/agenttools/prompts/ask.json': { description: 'Asks.', content: 'Ask?' },
    };
    expect((await runCli(['validate', 'a[1]'], { files })).stdout).toBe('valid odd: 1 prompt\n');
  });

  it('fails for a pattern without a match', async () => {
    const { code, stderr } = await runCli(['validate', 'plugins/*'], { files: packages });
    expect(code).toBe(2);
    expect(stderr).toContain('No folder with a package.json matches plugins/*');
  });
});

describe('suppressions in rules', () => {
  const suppressing = (entry: object, more: readonly object[] = []) => ({
    'package.json': manifest('x', { tools: ['ping', 'pong'], rules: [entry, ...more] }),
    'agenttools/tools/ping.json': { handler: './ping.js' },
    'agenttools/tools/pong.json': { handler: './ping.js' },
    'ping.js': 'export default () => 1;\n',
  });
  const codesWith = async (entry: object, more?: readonly object[]) => {
    const { stdout } = await runCli(['validate', '--json'], { files: suppressing(entry, more) });
    const [{ diagnostics, suppressed = [] }] = JSON.parse(stdout).extensions;
    const named = (list: readonly { readonly code: string; readonly item?: { readonly name: string } }[]) =>
      list.map(({ code, item }) => `${code}${item ? ` ${item.name}` : ''}`);
    return { counted: named(diagnostics), suppressed: named(suppressed) };
  };
  const code = 'missing-description';
  const reason = 'Its name says it.';

  it.each([
    [{ code, item: 'ping', reason }],
    [{ code, item: 'tool/ping', reason }],
    [{ code, path: 'agenttools/tools/ping.json', reason }],
    [{ code, path: './agenttools/tools/ping.json', item: 'ping', reason }],
  ])('%j covers one item', async (entry) => {
    expect(await codesWith(entry)).toEqual({ counted: [`${code} pong`], suppressed: [`${code} ping`] });
  });

  it.each([
    [{ code, item: 'prompt/ping', reason }],
    [{ code, item: 'ping', path: 'agenttools/tools/pong.json', reason }],
    [{ code, path: 'agenttools/tools', reason }],
    [{ code: 'missing-handler', item: 'ping', reason }],
  ])('%j covers nothing, and is reported', async (entry) => {
    expect(await codesWith(entry)).toEqual({
      counted: [`${code} ping`, `${code} pong`, 'unused-suppression'],
      suppressed: [],
    });
  });

  it.each([
    [{ code, item: 'ping' }, 'has no reason'],
    [{ code, item: 'ping', reason: ' ' }, 'has no reason'],
    [{ code, reason }, 'needs an "item" or a "path"'],
    [{ item: 'ping', reason }, 'needs the "code"'],
    [{ code, item: 'ping', reason, line: 3 }, 'has no key "line"'],
    [{ code, item: 5, reason }, '"item" of a suppression is not a text'],
  ])('%j is an error', async (entry, message) => {
    const run = await runCli(['validate'], { files: suppressing(entry) });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^package\.json:\d+:\d+ +error +malformed-manifest/m);
    expect(run.stdout).toContain(message);
  });

  it('are valid beside severities, and counted in the summary', async () => {
    const files = suppressing({ code, item: 'ping', reason }, [{ [code]: 'error' }]);
    const { cwd, code: exit, stdout } = await runCli(['validate'], { files });
    expect(exit).toBe(1);
    expect(stdout).toContain('1 error, 0 warnings in 1 extension.\n');
    expect(stdout).toContain('Not counted: 1 suppressed with a reason.\n');
    const report = JSON.parse((await runCli(['validate', '--json'], { cwd })).stdout);
    expect(report).toMatchObject({
      suppressed: 1,
      inBaseline: 0,
      extensions: [{ suppressed: [{ code, suppression: { source: 'rules', reason } }] }],
    });
  });

  it('are not reported as unused if the run does not look for their codes', async () => {
    const entries = ['boot-failed', 'compat/nested-union', 'compat/token-budget'].map((one) => ({
      code: one,
      item: 'ping',
      reason,
    }));
    const silent = { code, item: 'ping', reason };
    expect((await codesWith(silent, entries)).counted).toEqual([`${code} pong`]);
    const files = suppressing(silent, entries);
    const { stdout } = await runCli(['validate', '--json', '--clients', 'all', '--budget', '9000'], {
      files,
    });
    expect(codesIn(stdout).x.filter((one: string) => one === 'unused-suppression')).toHaveLength(2);
  });
});

describe('the shared config', () => {
  const config = (value: unknown): Files => ({
    ...packages,
    'package.json': root(),
    'agenttools.config.json': value,
  });
  const run = async (value: unknown, words: readonly string[] = [], more: Files = {}) =>
    await runCli(['validate', '--workspaces', '--json', ...words], { files: { ...config(value), ...more } });

  it('sets severities; the package overrides it, and the command line both', async () => {
    const rules = { 'missing-description': 'error' };
    expect((await run({ rules })).code).toBe(1);
    const own = {
      'packages/a/package.json': manifest('@acme/a', {
        tools: ['ping'],
        rules: { 'missing-description': 'off' },
      }),
    };
    expect(codesIn((await run({ rules }, [], own)).stdout)).toEqual({ '@acme/a': [], '@acme/b': [] });
    expect((await run({ rules }, ['--rule', 'missing-description=error'], own)).code).toBe(1);
  });

  it('may have comments and trailing commas, and a $schema', async () => {
    const text = '{\n  // Why not.\n  "$schema": "x", "rules": [{ "missing-description": "off" },],\n}\n';
    expect(codesIn((await run(text)).stdout)).toEqual({ '@acme/a': [], '@acme/b': [] });
  });

  it('is found from a package alone, up to the root of the workspaces or of git', async () => {
    const { cwd } = await run({ rules: { 'missing-description': 'error' } });
    expect((await runCli(['validate', 'packages/a'], { cwd })).code).toBe(1);
    await rm(path.join(cwd, 'package.json'));
    expect((await runCli(['validate', 'packages/a'], { cwd })).code).toBe(0);
    await writeFiles(cwd, { '.git/HEAD': '' });
    expect((await runCli(['validate', 'packages/a'], { cwd })).code).toBe(1);
    await writeFiles(cwd, { 'packages/a/.git/HEAD': '' });
    expect((await runCli(['validate', 'packages/a'], { cwd })).code).toBe(0);
  });

  it('suppresses at a path of one package, and reports unused suppressions of the workspaces', async () => {
    const reason = 'Known.';
    const entry = { code: 'missing-description', path: 'packages/a/agenttools/tools/ping.json', reason };
    const idle = { code: 'missing-description', path: 'packages/b/package.json', reason };
    const { cwd, stdout } = await run({ rules: [entry, idle] });
    expect(codesIn(stdout)).toEqual({ '@acme/a': [], '@acme/b': [] });
    expect(JSON.parse(stdout)).toMatchObject({
      warnings: 1,
      extensions: [{ suppressed: [{ suppression: { source: 'config', reason } }] }, {}],
      configs: [{ name: 'agenttools.config.json', diagnostics: [{ code: 'unused-suppression', line: 8 }] }],
    });
    const github = await runCli(['validate', '--workspaces', '--format', 'github'], { cwd });
    expect(github.stdout).toMatch(/^::warning file=agenttools\.config\.json,line=8,/);
    const alone = await runCli(['validate', 'packages/b', '--json'], { cwd });
    expect(JSON.parse(alone.stdout)).toMatchObject({ warnings: 0 });
  });

  it('names clients and a budget, which the command line overrides', async () => {
    const { cwd, stdout } = await run({ clients: ['codex'], budget: 1 });
    expect(codesIn(stdout)['@acme/a']).toContain('compat/token-budget');
    const more = await runCli(['validate', '--workspaces', '--json', '--budget', '5000'], { cwd });
    expect(codesIn(more.stdout)['@acme/a']).not.toContain('compat/token-budget');
  });

  it.each<[unknown, string]>([
    ['{ "rules": ', 'agenttools.config.json:1:12: Not valid JSON'],
    ['[]', 'agenttools.config.json:1:1: It does not hold an object.'],
    ['{\n  "rulez": {}\n}', 'agenttools.config.json:2:3: Unknown key "rulez".'],
    [{ rules: { 'missing-description': 'loud' } }, 'agenttools.config.json:3:28: The rule'],
    [{ rules: { 'missing-descripton': 'off' } }, 'agenttools.config.json:3:5: There is no rule'],
    [{ rules: [{ code: 'missing-handler', item: 'a' }] }, 'has no reason'],
    [{ rules: 'off' }, 'agenttools.config.json:2:12: "rules" is neither'],
    [{ clients: 'codex' }, 'agenttools.config.json:2:14: "clients" is not a list'],
    [{ clients: ['codx'] }, 'agenttools.config.json:2:14: There is no client "codx"'],
    [{ budget: 0 }, 'agenttools.config.json:2:13: "budget"'],
    [{ baseline: 5 }, 'agenttools.config.json:2:15: "baseline"'],
  ])('%j is refused with its place', async (value, message) => {
    const { code, stdout, stderr } = await runCli(['validate', '--workspaces'], { files: config(value) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('validate --baseline', () => {
  const baseline = ['validate', '--workspaces', '--strict', '--baseline', 'known.json'];
  const start = async () => await runCli(baseline, { files: { ...packages, 'package.json': root() } });

  it('writes a missing file and passes, then reports only what is new', async () => {
    const { cwd, code, stdout } = await start();
    expect(code).toBe(0);
    expect(stdout).toContain('Wrote the baseline known.json.');
    expect(stdout).toContain('Not counted: 1 in the baseline.');
    expect(JSON.parse(await readFile(path.join(cwd, 'known.json'), 'utf8'))).toEqual({
      version: 1,
      findings: [
        {
          package: '@acme/a',
          code: 'missing-description',
          item: 'tool/ping',
          path: 'agenttools/tools/ping.json',
        },
      ],
    });
    expect(await runCli(baseline, { cwd })).toMatchObject({ code: 0 });
    // A second tool before the first one: lines and positions in lists change.
    await writeFiles(cwd, {
      'packages/a/package.json': manifest('@acme/a', { tools: ['pong', 'ping'] }),
      'packages/a/agenttools/tools/ping.json': '\n\n{ "handler": "./ping.js#ping" }',
      'packages/a/agenttools/tools/pong.json': { handler: './ping.js#ping' },
    });
    const { code: failed, stdout: report } = await runCli([...baseline, '--json'], { cwd });
    expect(failed).toBe(1);
    expect(JSON.parse(report)).toMatchObject({
      inBaseline: 1,
      extensions: [{ diagnostics: [{ item: { name: 'pong' } }] }, {}],
    });
  });

  it('lists entries that no longer occur, and removes them with --update-baseline', async () => {
    const { cwd } = await start();
    await writeFiles(cwd, {
      'packages/a/agenttools/tools/ping.json': { description: 'Pings.', handler: './ping.js#ping' },
    });
    const { code, stdout } = await runCli(baseline, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('1 entry of the baseline known.json no longer occurs.');
    expect(stdout).toContain('@acme/a: missing-description, tool/ping at agenttools/tools/ping.json');
    expect(await runCli([...baseline, '--update-baseline'], { cwd })).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(path.join(cwd, 'known.json'), 'utf8')).findings).toEqual([]);
  });

  it('keeps the entries of packages that a run does not check', async () => {
    const { cwd } = await start();
    const words = ['validate', 'packages/b', '--baseline', 'known.json', '--update-baseline'];
    const { stdout } = await runCli(words, { cwd });
    expect(stdout).not.toContain('no longer');
    expect(await runCli(baseline, { cwd })).toMatchObject({ code: 0 });
  });

  it('counts equal diagnostics, and reports one more', async () => {
    const list = (count: number) => ({
      'package.json': manifest('x', { tools: [], rules: { 'invalid-declaration': 'error' } }),
      ...Object.fromEntries(
        ['package.json'].map((file) => [
          file,
          manifest('x', { tools: Array.from({ length: count }, (_, index) => index) }),
        ]),
      ),
    });
    const { cwd } = await runCli(['validate', '--baseline', 'b.json'], { files: list(2) });
    expect(await readFile(path.join(cwd, 'b.json'), 'utf8')).toContain(
      '"path":"package.json#/agenttools/tools/*","count":2',
    );
    await writeFiles(cwd, list(3));
    const { stdout } = await runCli(['validate', '--baseline', 'b.json', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ errors: 1, inBaseline: 2 });
  });

  it('comes from the shared config, too, relative to it', async () => {
    const files = {
      ...packages,
      'package.json': root(),
      'agenttools.config.json': { baseline: 'ci/b.json' },
    };
    const { cwd } = await runCli(['validate', '--workspaces'], { files });
    expect(await readFile(path.join(cwd, 'ci/b.json'), 'utf8')).toContain('missing-description');
    const { stdout } = await runCli(['validate', '--json'], { cwd: path.join(cwd, 'packages/a') });
    expect(JSON.parse(stdout)).toMatchObject({ inBaseline: 1, baselines: [{ outcome: 'matched' }] });
  });

  it.each([
    ['{', 'known.json:1:2: Not valid JSON'],
    ['{}', 'is not a baseline'],
    ['{ "version": 2, "findings": [] }', 'baseline of version 2'],
  ])('refuses %s and does not write it', async (text, message) => {
    const files = { ...packages, 'package.json': root(), 'known.json': text };
    const { cwd, code, stderr } = await runCli(baseline, { files });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(await readFile(path.join(cwd, 'known.json'), 'utf8')).toBe(text);
  });
});

describe('validate --fix', () => {
  const text = `{
  "name": "@acme/fix",   "version": "1.0.0",
  "type": "module",
  "files": ["dist"],
  "agenttools": {
    "tools": ["forecast"],
    "propmts": [ "ask" ],
    "Rules": { "missing-descripton": "warn" }
  }
}
`;
  const files: Files = {
    'package.json': text,
    'agenttools/tools/forecast.jsonc': `{
  // The name for people.
  "DisplayName": "Forecast",
  "descripton": "Forecasts.", /* short */
  "Parameters": { "place": "String" },
  "handler": "./dist/forecast.js#forecast",
}
`,
    'agenttools/prompts/ask.json': {
      Description: 'Asks.',
      Arguments: [{ Name: 'what' }],
      content: { template: 'Ask {{what}}?' },
    },
    'dist/forecast.js': 'export const forecast = () => 1;\n',
  };

  it('changes only what has one right answer, keeps all other bytes, and reports again', async () => {
    const { cwd, code, stdout } = await runCli(['validate', '--fix'], { files });
    expect(await readFile(path.join(cwd, 'package.json'), 'utf8')).toBe(
      text
        .replace('["dist"]', '["dist", "agenttools"]')
        .replace('propmts', 'prompts')
        .replace('Rules', 'rules')
        .replace('missing-descripton', 'missing-description')
        .replace('  }\n}\n', '  },\n  "keywords": [\n    "agenttools-extension"\n  ]\n}\n'),
    );
    expect(await readFile(path.join(cwd, 'agenttools/tools/forecast.jsonc'), 'utf8')).toBe(`{
  // The name for people.
  "title": "Forecast",
  "description": "Forecasts.", /* short */
  "input": { "place": { "type": "string", "required": true } },
  "handler": "./dist/forecast.js#forecast",
}
`);
    expect(JSON.parse(await readFile(path.join(cwd, 'agenttools/prompts/ask.json'), 'utf8'))).toEqual({
      description: 'Asks.',
      arguments: [{ name: 'what' }],
      content: { template: 'Ask {{what}}?' },
    });
    expect(stdout).toContain('valid @acme/fix: 1 tool, 1 prompt\n');
    expect(stdout).toContain('Fixed package.json: adds "agenttools" to "files".\n');
    expect(code).toBe(0);
    expect((await runCli(['validate', '--fix', '--json'], { cwd })).stdout).not.toContain('"fixed"');
  });

  it('prints a diff with --dry-run, and writes nothing', async () => {
    const { cwd, code, stdout } = await runCli(['validate', '--fix', '--dry-run'], { files });
    expect(code).toBe(0);
    expect(stdout).toContain('--- a/package.json\n+++ b/package.json\n');
    expect(stdout).toContain('-    "propmts": [ "ask" ],\n');
    expect(stdout).toContain('+    "prompts": [ "ask" ],\n');
    expect(await readFile(path.join(cwd, 'package.json'), 'utf8')).toBe(text);
  });

  it('counts the problems that it can fix', async () => {
    const { cwd, stdout } = await runCli(['validate'], { files });
    expect(stdout).toContain('To fix 5 of them: agenttools validate --fix\n');
    const [{ diagnostics }] = JSON.parse((await runCli(['validate', '--json'], { cwd })).stdout).extensions;
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'unknown-manifest-key', fix: 'renames "propmts" to "prompts"' }),
    );
  });

  it('flattens the model settings of a server, and keeps line ends and a byte order mark', async () => {
    const server =
      '\uFEFF{\r\n  "LLMEvaluator": { "Tools": ["forecast"], "Prompts": ["Be brief."] },\r\n  "Title": "Desk"\r\n}\r\n';
    const { cwd } = await runCli(['validate', '--fix'], {
      files: {
        'package.json': manifest('x', { servers: ['desk'], tools: [['forecast', 'Forecasts']] }),
        'agenttools/servers/desk.json': server,
        'agenttools/tools/forecast.json': { description: 'Forecasts.', handler: './f.js' },
        'f.js': 'export default () => 1;\n',
      },
    });
    const after = await readFile(path.join(cwd, 'agenttools/servers/desk.json'), 'utf8');
    expect(after).toMatch(/^\uFEFF\{\r\n(?:[^\r]*\r\n)+$/);
    expect(JSON.parse(after.slice(1))).toEqual({
      title: 'Desk',
      tools: ['forecast'],
      instructions: ['Be brief.'],
    });
  });

  it.each<[string, object, string]>([
    ['a key with two meanings', { tool: ['a'], tols: ['b'], tools: ['a'] }, 'tols'],
    ['a key that is far from every known one', { banana: 1 }, 'banana'],
  ])('leaves %s', async (_, agenttools, key) => {
    const before = JSON.stringify(manifest('x', agenttools));
    const { cwd, code } = await runCli(['validate', '--fix'], { files: { 'package.json': before } });
    expect(code).toBe(1);
    expect(await readFile(path.join(cwd, 'package.json'), 'utf8')).toContain(key);
  });

  it('never changes code, and no file outside of the package', async () => {
    const outside = await temporaryFolder();
    await writeFile(path.join(outside, 'far.json'), '{ "descripton": "Far.", "handler": "./a.js" }');
    const code = 'export default { descripton: "A.", handler() {} };\n';
    const { cwd } = await runCli(['validate'], {
      files: {
        'package.json': manifest('x', { tools: ['a', 'far'] }),
        'agenttools/tools/a.js': code,
        'a.js': 'export default () => 1;\n',
      },
    });
    await symlink(path.join(outside, 'far.json'), path.join(cwd, 'agenttools/tools/far.json'));
    await runCli(['validate', '--fix'], { cwd });
    expect(await readFile(path.join(cwd, 'agenttools/tools/a.js'), 'utf8')).toBe(code);
    expect(await readFile(path.join(outside, 'far.json'), 'utf8')).toContain('descripton');
  });

  it.each([
    [['--dry-run'], 'Add --fix'],
    [['--update-baseline'], 'Add --baseline'],
    [['--fix', '--baseline', 'b.json', '--dry-run', '--update-baseline'], 'cannot be combined'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await runCli(['validate', 'packages/b', ...words], { files: packages });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('the step summary of GitHub', () => {
  it('is appended for the format github only', async () => {
    const cwd = await temporaryFolder();
    const GITHUB_STEP_SUMMARY = path.join(cwd, 'summary.md');
    await writeFiles(cwd, { ...packages, 'package.json': root() });
    await appendFile(GITHUB_STEP_SUMMARY, 'Before.\n');
    const env = { GITHUB_STEP_SUMMARY };
    await runCli(['validate', '--workspaces', '--format', 'sarif'], { cwd, env });
    expect(await readFile(GITHUB_STEP_SUMMARY, 'utf8')).toBe('Before.\n');
    const { stdout } = await runCli(['validate', '--workspaces', '--format', 'github'], { cwd, env });
    expect(stdout).toMatch(/^::warning /);
    const text = await readFile(GITHUB_STEP_SUMMARY, 'utf8');
    expect(text).toMatch(/^Before\.\n## AgentTools: valid\n/);
    expect(text).toContain('| `@acme/a` (packages/a) | 0 | 1 | 0 |');
    expect(text).toContain('Skipped 1 package without an extension: <span>@</span>acme/lib.');
  });

  it('is left out with a note if its file cannot be written', async () => {
    const env = { GITHUB_STEP_SUMMARY: '/nowhere/summary.md' };
    const { code, stderr } = await runCli(['validate', 'packages/a', '--format', 'github'], {
      files: packages,
      env,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('note: The step summary was not written');
  });
});
