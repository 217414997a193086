import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../support/program.js';
import { type Files, runCli, temporaryFolder, writeFiles } from '../support/run-cli.js';
import { blocks, pages } from './support/pages.js';

const run = promisify(execFile);

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(await readFile(path.join(root, 'action.yml'), 'utf8')) as Action;

const packages: Files = {
  'packages/weather/package.json': {
    name: '@acme/weather',
    version: '1.0.0',
    type: 'module',
    agenttools: { tools: ['forecast'] },
  },
  'packages/weather/agenttools/tools/forecast.json': { handler: './forecast.js#forecast' },
  'packages/weather/forecast.js': 'export const forecast = () => "rain";\n',
  'packages/units/package.json': { name: '@acme/units', version: '1.0.0' },
};

const repository: Files = {
  ...packages,
  ...Object.fromEntries(
    blocks
      .filter(({ page, words }) => page === 'monorepos' && words.repository)
      .map(({ words, text }) => [words.repository!, text]),
  ),
};

/** The machine of a job: `npx agenttools` runs the program that is built here. */
async function machine(files: Files) {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, files);
  const bin = path.join(cwd, '.bin');
  await mkdir(bin);
  const script = `#!/bin/sh
echo "$@" >> "${cwd}/npx.log"
[ "$1" = --yes ] && shift
shift
exec "${process.execPath}" "${path.join(root, 'bin/agenttools.js')}" "$@"
`;
  await writeFile(path.join(bin, 'npx'), script);
  await chmod(path.join(bin, 'npx'), 0o755);
  const env = {
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    HOME: cwd,
    AGENTTOOLS_HOME: path.join(cwd, '.data'),
    GITHUB_OUTPUT: path.join(cwd, 'output'),
    GITHUB_STEP_SUMMARY: path.join(cwd, 'summary.md'),
  };
  return {
    cwd,
    bash: async (text: string, more: Readonly<Record<string, string>> = {}) => {
      const file = path.join(cwd, 'step.sh');
      await writeFile(file, text);
      const options = { cwd, env: { ...env, ...more } };
      return await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], options).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      );
    },
    read: async (file: string) => await readFile(path.join(cwd, file), 'utf8').catch(() => ''),
  };
}

/** Runs the steps of the action as a job does, in bash. */
async function runAction(inputs: Readonly<Record<string, string>>, files: Files = repository) {
  const job = await machine(files);
  const value = (text: string) =>
    text.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, name: string) => {
      expect(Object.keys(action.inputs)).toContain(name);
      return inputs[name] ?? action.inputs[name]!.default;
    });
  let result = { code: 0, stdout: '' };
  for (const { run: script, env = {} } of action.runs.steps) {
    const given = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, value(text)]));
    result = await job.bash(script!, given);
    if (result.code !== 0) break;
  }
  const lines = (await job.read('output')).split('\n').filter((line) => line !== '');
  return { ...job, ...result, outputs: Object.fromEntries(lines.map((line) => line.split('='))) };
}

describe('the action', () => {
  test('is composite, and its page has all its inputs and outputs', () => {
    expect(action.runs.using).toBe('composite');
    for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
      expect(pages.ci).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
    for (const { run: script } of action.runs.steps) expect(script).not.toContain('${{');
  });

  test('prints annotations and writes a summary by default', { timeout: 60_000 }, async () => {
    const files = { ...packages, 'package.json': { name: 'x', workspaces: ['packages/*'] } };
    const { code, stdout, outputs, read } = await runAction({ workspaces: 'true' }, files);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^::warning file=packages\/weather\//m);
    expect(outputs).toEqual({ valid: 'true' });
    expect(await read('summary.md')).toContain('| `@acme/weather` (packages/weather) | 0 |');
    expect(await read('npx.log')).toBe('--yes agenttools validate --format github --workspaces\n');
  });

  test('writes a SARIF report, also of a failed check', { timeout: 60_000 }, async () => {
    const files = { ...packages, 'package.json': { name: 'x', workspaces: ['packages/*'] } };
    const inputs = { path: 'packages/weather\n', format: 'sarif', strict: 'true', version: '0.1.0' };
    const { cwd, code, outputs, read } = await runAction(inputs, files);
    expect(code).toBe(1);
    expect(outputs).toEqual({ valid: 'false', report: path.join(cwd, 'agenttools.sarif') });
    expect(JSON.parse(await read('agenttools.sarif')).runs[0].results).not.toEqual([]);
    expect(await read('npx.log')).toBe(
      '--yes agenttools@0.1.0 validate --format sarif --strict packages/weather\n',
    );
  });

  test('has no report if the check could not run, and takes no input as a command', {
    timeout: 60_000,
  }, async () => {
    const inputs = {
      path: '$(touch made)\nnowhere; touch made',
      format: 'junit',
      options: '--rule  x=$(id)',
    };
    const { code, outputs, read } = await runAction(inputs);
    expect(code).toBe(2);
    expect(outputs).toEqual({ valid: 'false' });
    expect(await read('agenttools.xml')).toBe('');
    expect(await read('npx.log')).toContain('--rule x=$(id) $(touch made) nowhere; touch made');
  });
});

describe('the workflows of the page', () => {
  const workflows = blocks.filter(({ page, words }) => page === 'ci' && words.workflow);

  test.each(workflows.map(({ words, text }) => [words.workflow, text]))(
    '%s uses inputs and outputs that the action has',
    (name, text) => {
      const { jobs } = parse(text!) as {
        jobs: Record<string, { steps: readonly Step[] }>;
      };
      const steps = jobs.validate!.steps;
      const own = steps.find(({ uses }) => uses === './');
      expect(own !== undefined).toBe(name === 'scanning');
      for (const input of Object.keys(own?.with ?? {})) expect(Object.keys(action.inputs)).toContain(input);
      for (const [, id, output] of text!.matchAll(/steps\.(\w+)\.outputs\.(\w+)/g)) {
        expect(id).toBe(own?.id);
        expect(Object.keys(action.outputs)).toContain(output);
      }
    },
  );

  test('run their own steps', { timeout: 60_000 }, async () => {
    const { steps } = parse(workflows[0]!.text).jobs.validate as { steps: readonly Step[] };
    const scripts = steps.flatMap(({ run: script }) => script ?? []);
    expect(scripts[0]).toBe('npm ci');
    const job = await machine({ ...repository, 'package.json': { name: 'x' } });
    await writeFiles(job.cwd, {
      'package.json': { name: 'x', version: '1.0.0', private: true, agenttools: { prompts: ['ask'] } },
      'agenttools/prompts/ask.json': { description: 'Asks.', content: 'Ask?' },
    });
    expect(await job.bash(scripts[1]!)).toEqual({ code: 0, stdout: '' });
    expect(await job.read('summary.md')).toContain('## AgentTools: valid');
  });
});

test('the suppression that the page of validate shows is valid, and suppresses', async () => {
  const page = await readFile(path.join(root, 'docs/commands/validate.md'), 'utf8');
  const [, text = ''] = /^```json suppressions\n(.*?)^```$/ms.exec(page)!;
  const { code, stdout } = await runCli(['validate', '--strict'], {
    files: {
      'package.json': { name: 'x', version: '1.0.0', agenttools: { tools: ['hello'], ...JSON.parse(text) } },
      'agenttools/tools/hello.json': { handler: './hello.cjs' },
      'hello.cjs': 'module.exports = () => "Hello";\n',
    },
  });
  expect(stdout).toBe('valid x: 1 tool\nNot counted: 1 suppressed with a reason.\n');
  expect(code).toBe(0);
});

describe('the commands of the pages', () => {
  const commands = blocks.filter(({ page, words }) => ['ci', 'monorepos'].includes(page) && words.run);
  const output = blocks.find(({ words }) => words.output === 'workspaces');

  test.each(commands.map(({ words, text }) => [words.run!, text.trim()]))('%s', async (name, line) => {
    const isOfOne = /^npx/.test(line);
    const [command = '', file] = line.replace(/^npx /, '').split(' > ');
    const words = command
      .split(' ')
      .slice(1)
      .map((word) => word.replaceAll("'", ''));
    const found = await runCli(words, { files: isOfOne ? onlyWeather : repository });
    const note = 'Skipped 1 package without an extension: @acme/units.\n';
    expect(found).toMatchObject({ code: 0, stderr: name === 'ci' ? expect.stringContaining(note) : '' });
    if (name === 'workspaces' || name === 'pattern')
      expect(found.stdout).toContain(output!.text.split('\n').at(-2));
    if (name === 'workspaces') expect(found.stdout.startsWith(output!.text.split('\n')[0]!)).toBe(true);
    if (name === 'baseline') expect(found.stdout).toContain('Wrote the baseline');
    if (name === 'fix') expect(found.stdout).toContain('+  "keywords": [');
    if (file !== undefined) expect(found.stdout).toMatch(name === 'junit' ? /^<\?xml/ : /^## AgentTools/);
  });

  const onlyWeather = Object.fromEntries(
    Object.entries(packages)
      .filter(([file]) => file.startsWith('packages/weather/'))
      .map(([file, text]) => [file.slice('packages/weather/'.length), text]),
  );

  test('the fault of a shared config is reported as the page shows', async () => {
    const fault = blocks.find(({ page, words }) => page === 'monorepos' && 'fault' in words)!.text.trim();
    const files = { ...repository, 'agenttools.config.json': '{\n  "rulez": {}\n}' };
    const { code, stderr } = await runCli(['validate', '--workspaces'], { files });
    expect(code).toBe(2);
    expect(stderr).toContain(fault);
  });
});
