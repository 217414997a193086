import { describe, expect, it } from 'vitest';
import { codeTable } from '../../src/cli/shared/code-table.js';
import { runCli } from '../support/run-cli.js';

describe('explain', () => {
  it('lists every code with its severity and summary', async () => {
    const { code, stdout, stderr } = await runCli(['explain']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(codeTable.length);
    for (const row of codeTable) expect(stdout).toMatch(new RegExp(`^${row.code} +${row.severity} +`, 'm'));
  });

  it('lists them as JSON', async () => {
    const { stdout } = await runCli(['explain', '--json']);
    expect(JSON.parse(stdout)).toEqual(
      codeTable.map(({ code, severity, summary }) => ({ code, severity, summary })),
    );
  });

  it.each(codeTable.map(({ code }) => code))('has a page for %s', async (rule) => {
    const { code, stdout } = await runCli(['explain', rule]);
    expect(code).toBe(0);
    expect(stdout).toContain(rule);
  });

  it('prints a page with its facts as JSON', async () => {
    const { stdout } = await runCli(['explain', 'missing-definition', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'missing-definition',
      severity: 'error',
      summary: expect.any(String),
      page: expect.stringContaining('missing-definition'),
    });
  });

  it('prints the section of a finding of doctor alone', async () => {
    const { stdout } = await runCli(['explain', 'doctor/dead-program']);
    expect(stdout).toMatch(/^# doctor\/dead-program\n\nSeverity: error\./);
    expect(stdout).toContain('--fix');
    expect(stdout).not.toContain('doctor/dead-script');
  });

  it('makes headings bold where there is colour, and only there', async () => {
    const { stdout } = await runCli(['explain', 'missing-definition'], { color: true });
    expect(stdout.startsWith('\u001b[1m# ')).toBe(true);
    expect((await runCli(['explain', 'missing-definition'])).stdout).toMatch(/^# /);
  });

  it.each([
    ['missing-def', 'Did you mean "missing-definition"?'],
    ['missing-defintion', 'Did you mean "missing-definition"?'],
    ['xyzzy', 'List them with: agenttools explain'],
    ['../commands/create', 'There is no diagnostic code'],
    ['', 'There is no diagnostic code'],
  ])('exits 1 for %j', async (rule, message) => {
    const { code, stdout, stderr } = await runCli(['explain', rule]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });
});
