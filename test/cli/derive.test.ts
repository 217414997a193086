import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../engine/derive/support/project.js';
import { runCli } from '../support/run-cli.js';

const files = {
  'lib.js':
    '/**\n * Greets.\n * @param {string} name\n * @returns {string}\n */\nexport const greet = (name) => name;\n',
  'agenttools/tools/greet.json': { handler: './lib.js#greet' },
};

const written = 'agenttools/derived.json';

describe('derive', () => {
  it('writes the derived schemas and reports this', async () => {
    const cwd = project({ tools: ['greet'] }, files);
    const first = await runCli(['derive'], { cwd });
    expect(first).toMatchObject({ code: 0, stdout: '', stderr: `Wrote ${written}: 1 function.\n` });
    const derived = JSON.parse(readFileSync(path.join(cwd, written), 'utf8'));
    expect(derived.functions['./lib.js#greet'].description).toBe('Greets.');
    const again = await runCli(['derive', '.', '--json'], { cwd });
    expect(again).toMatchObject({ code: 0, stderr: `${written} is up to date.\n` });
    expect(JSON.parse(again.stdout)).toEqual(derived);
  }, 60_000);

  it('only looks with --check', async () => {
    const cwd = project({ tools: ['greet'] }, files);
    const missing = await runCli(['derive', '--check', '--json'], { cwd });
    expect(missing).toMatchObject({ code: 1, stderr: `${written} is missing. Run "agenttools derive".\n` });
    expect(existsSync(path.join(cwd, written))).toBe(false);
    expect(JSON.parse(missing.stdout).version).toBe(1);
    await runCli(['derive'], { cwd });
    expect((await runCli(['derive', '--check'], { cwd })).code).toBe(0);
    writeFileSync(path.join(cwd, 'lib.js'), files['lib.js'].replace('Greets', 'Welcomes'));
    expect(await runCli(['derive', '--check'], { cwd })).toMatchObject({
      code: 1,
      stderr: `${written} is stale: it differs from the current types of "greet" (./lib.js#greet). Run "agenttools derive".\n`,
    });
    expect(readFileSync(path.join(cwd, written), 'utf8')).toContain('Greets');
    writeFileSync(path.join(cwd, 'lib.js'), `${files['lib.js']}// The same.\n`);
    expect((await runCli(['derive', '--check'], { cwd })).stderr).toContain('current types of lib.js. Run');
  }, 60_000);

  it('takes the file away when there is nothing to derive any more', async () => {
    const cwd = project({ tools: [] }, { [written]: '{}' });
    const check = await runCli(['derive', '--check'], { cwd });
    expect(check).toMatchObject({
      code: 1,
      stderr: `${written} is stale: it exists, but no definition is derived any more. Run "agenttools derive".\n`,
    });
    const removed = await runCli(['derive'], { cwd });
    expect(removed.code).toBe(0);
    expect(removed.stderr).toMatch(/^Removed agenttools\/derived\.json\. There is nothing to derive: /);
    const nothing = await runCli(['derive', '--json'], { cwd });
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toMatch(/^There is nothing to derive: /);
  });

  it('writes nothing if an error remains, and reports all errors', async () => {
    const text = files['lib.js'].replace('{string} name', '{Map<string, string>} name');
    const cwd = project({ tools: ['greet'] }, { ...files, 'lib.js': text });
    const { code, stdout, stderr } = await runCli(['derive', '--json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'failed',
      message: 'Nothing was written: 1 error.',
      remarks: [{ file: 'lib.js', line: 6, column: 23 }],
    });
    expect(stderr).toBe(
      [
        'lib.js:6:23: error: Tool "greet": parameter "name" has type Map<string, string>, which has no JSON form: use a Record, or a list of pairs.',
        'Nothing was written: 1 error. Fix the types, or declare "input" and "output" in the definition.',
        '',
      ].join('\n'),
    );
    expect(existsSync(path.join(cwd, written))).toBe(false);
  }, 30_000);

  it('names what is wrong with the place it was given', async () => {
    const { code, stderr } = await runCli(['derive', 'nowhere']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: There is no package\.json in .*nowhere\.\n$/);
    const plain = await runCli(['derive'], { files: { 'package.json': { name: 'plain' } } });
    expect(plain.code).toBe(1);
    expect(plain.stderr).toContain('plain is not an extension');
    expect((await runCli(['derive', 'a', 'b'])).code).toBe(2);
  });
});
