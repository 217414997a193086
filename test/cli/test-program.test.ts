import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bareEnvironment, eventually, programFile, runProgram } from '../support/program.js';
import { temporaryFolder, writeFiles } from '../support/run-cli.js';

const greets = (text: string) => ({ tool: 'greet', expect: { text } });

async function writeKit(more: Readonly<Record<string, unknown>>): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, {
    'package.json': { name: 'kit', version: '1.0.0', private: true, agenttools: { tools: ['greet'] } },
    'agenttools/tools/greet.js': "module.exports = { description: 'Greets.', handler: () => 'Hello' };",
    ...more,
  });
  return cwd;
}

test('--watch runs again after a change of a case and of the code, and ends by SIGINT', async () => {
  const cwd = await writeKit({ 'greet.case.json': greets('Bye') });
  const env = bareEnvironment({ HOME: cwd });
  const child = spawn(process.execPath, [programFile, 'test', '--watch', '-t', 'greet'], { cwd, env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const runs = () => stderr.split('Waiting for changes.').length - 1;
  await eventually(() => stdout.includes('2 failed') && runs() === 1, 'the first run');
  writeFileSync(path.join(cwd, 'greet.case.json'), JSON.stringify(greets('Hello')));
  await eventually(() => stdout.includes('2 passed') && runs() === 2, 'a run with the new case');
  const code = "module.exports = { description: 'Greets.', handler: () => 'Good day' };";
  writeFileSync(path.join(cwd, 'agenttools/tools/greet.js'), code);
  await eventually(() => stdout.includes('received: "Good day"') && runs() === 3, 'a run with the new code');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
}, 120_000);

const runsTypeScript = 'typescript' in process.features && Boolean(process.features.typescript);

test('a case file in TypeScript runs, or the message names a Node that runs it', async () => {
  const cwd = await writeKit({
    'greet.case.mts': "export default { tool: 'greet' as string, expect: { text: 'Hello' } };",
  });
  const { stdout } = await runProgram(['test', '--against', 'none'], { cwd, env: { HOME: cwd } });
  expect(stdout).toContain(
    runsTypeScript
      ? '2 passed'
      : 'This Node does not run TypeScript. Use Node 22.18 or later, or write greet.case.mjs.',
  );
}, 60_000);
