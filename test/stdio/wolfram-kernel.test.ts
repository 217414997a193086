import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { eventually, isAlive, openProgram, root, startProgram } from '../support/program.js';

const { PATH = '' } = process.env;

/** A machine with the stand-in for wolframscript. */
const standIn = () => ({
  WOLFRAMSCRIPT: path.join(root, 'test/support/wolframscript.mjs'),
  AGENTTOOLS_HOME: writeFolder(),
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${PATH}`,
});

const numbersOf = (text: string) => [...text.matchAll(/= (\d+)/g)].map(([, number]) => Number(number));

describe('a Wolfram kernel', () => {
  test('ends with the server, and with it what it started', async () => {
    const program = await openProgram('Wolfram', { env: standIn() });
    const text = await program.textOf('WolframLanguageEvaluator', { code: 'pid\nchild' });
    const pids = numbersOf(text);
    expect(pids).toHaveLength(2);
    expect(pids.every(isAlive)).toBe(true);
    expect(await program.end()).toEqual({ code: 0, signal: null });
    await eventually(() => !pids.some(isAlive), 'the kernel ends');
  });

  test('ends with a server that is killed', async () => {
    const program = await openProgram('Wolfram', { env: standIn() });
    const [pid] = numbersOf(await program.textOf('WolframLanguageEvaluator', { code: 'pid' }));
    expect(isAlive(pid!)).toBe(true);
    program.kill();
    await eventually(() => !isAlive(pid!), 'the kernel ends');
  });

  test('ends with a server that is killed while it computes', async () => {
    const env = standIn();
    const log = path.join(env.AGENTTOOLS_HOME, 'log');
    const program = await openProgram('Wolfram', { env: { ...env, WOLFRAM_STAND_IN_LOG: log } });
    const [pid] = numbersOf(await program.textOf('WolframLanguageEvaluator', { code: 'pid' }));
    const call = { name: 'WolframLanguageEvaluator', arguments: { code: 'compute' } };
    program.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params: call });
    await eventually(() => readFileSync(log, 'utf8').includes('compute'), 'the evaluation begins');
    program.kill();
    await eventually(() => !isAlive(pid!), 'the kernel ends');
  });

  test('is called from a shell, where nothing keeps the command from ending', async () => {
    const command = [process.execPath, path.join(root, 'bin/agenttools.js'), 'call', 'Wolfram'] as const;
    const args = ['WolframLanguageEvaluator', '{"code":"quiet = 4"}'];
    const program = startProgram(undefined, { env: standIn(), command: [...command, ...args] });
    let stdout = '';
    program.child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    await new Promise((resolve) => program.child.once('close', resolve));
    expect(stdout).toContain('Out[1]= 4');
    expect(program.child.exitCode).toBe(0);
  });
});
