import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { writePackage } from '../support/packages.js';
import { bareEnvironment, eventually, isAlive, programFile } from '../support/program.js';

/** Starts a process that outlives everything but being killed, says which, and never comes to an end. */
const busy = `
import { spawn } from 'node:child_process';
export async function busy(detached, ctx) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'ignore' });
  ctx?.signal.addEventListener('abort', () => console.log('aborted'));
  console.log('child ' + child.pid + '.');
  await new Promise(() => {});
}
`;

const writeBusy = () =>
  writePackage(
    { tools: ['wait', 'leave', { name: 'code', description: 'In code' }] },
    {
      'agenttools/tools/wait.json': { description: 'Waits.', handler: './busy.js#wait' },
      'agenttools/tools/leave.json': { description: 'Waits.', handler: './busy.js#leave' },
      'agenttools/tools/code.js': `import { busy } from '../../busy.js';\nif (process.env.BUSY_LOADING) await busy(false);\nexport default { description: 'In code.', handler: () => 'done' };`,
      'busy.js': `${busy}
export const wait = (_, ctx) => busy(false, ctx);
export const leave = (_, ctx) => busy(true, ctx);
`,
    },
  );

/** Runs a command until its extension has started something, sends a signal, and tells how both ended. */
async function interrupt(words: readonly string[], signal: NodeJS.Signals, env = {}) {
  const program = spawn(process.execPath, [programFile, ...words], {
    cwd: writeBusy(),
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  program.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  program.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const closed = once(program, 'close');
  const started = () => /child (\d+)\./.exec(stderr);
  await eventually(() => started() !== null || program.exitCode !== null, 'a child, or the end');
  // A program that has ended before says here why.
  expect(stderr).toMatch(/child \d+\./);
  const child = Number(started()?.[1]);
  expect(isAlive(child)).toBe(true);
  program.kill(signal);
  const [code, endedBy] = await closed;
  const survives = isAlive(child);
  if (survives) process.kill(child, 'SIGKILL');
  return { code, endedBy, survives, stdout, stderr };
}

describe('a signal', () => {
  test.each([
    ['SIGHUP', 'wait', 129],
    ['SIGINT', 'wait', 130],
    ['SIGTERM', 'wait', 143],
    ['SIGTERM', 'leave', 143],
  ] as const)('%s ends a call of "%s" and what it started', async (signal, tool, expected) => {
    const { stderr, ...end } = await interrupt(['call', '.', tool], signal);
    expect(end).toEqual({ code: expected, endedBy: null, survives: false, stdout: '' });
    expect(stderr).toContain('aborted');
    expect(stderr).not.toContain('error');
  });

  test('ends what loading a definition started, when something is shown', async () => {
    const { stderr, ...end } = await interrupt(['show', './code'], 'SIGINT', { BUSY_LOADING: '1' });
    expect(end).toEqual({ code: 130, endedBy: null, survives: false, stdout: '' });
    expect(stderr).not.toContain('error');
  });
});
