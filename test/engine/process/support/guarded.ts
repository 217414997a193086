import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { build } from 'esbuild';

/** What a program printed where, and how it ended. */
export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

const folder = mkdtempSync(path.join(tmpdir(), 'agenttools-guard-'));
let bundled: Promise<unknown> | undefined;
let programs = 0;

/**
 * Starts a program in a process of its own, with `installGuard`, `watchExit`, `killTree` and `isExitRequest` at hand.
 * Its `guard` is installed before the body runs; `extension(code)` runs code as a module imported afterwards.
 */
export async function startGuarded(body: string): Promise<ChildProcess> {
  bundled ??= build({
    stdin: {
      contents: ['install-guard', 'exit-watch', 'exit-request']
        .map((name) => `export * from './${name}.js';`)
        .join('\n'),
      resolveDir: path.resolve(import.meta.dirname, '../../../../src/engine/process'),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: path.join(folder, 'guard.mjs'),
    logLevel: 'silent',
  });
  await bundled;
  programs += 1;
  const file = path.join(folder, `program-${programs}.mjs`);
  writeFileSync(
    file,
    `import { installGuard, isExitRequest, killTree, watchExit } from './guard.mjs';
     const guard = installGuard({ stderr: process.stderr });
     const say = (line) => guard.stdout.write(line + '\\n');
     const extension = (code) => import('data:text/javascript,' + encodeURIComponent(code));
     ${body}`,
  );
  return spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Runs a program to its end. */
export async function runGuarded(body: string): Promise<Run> {
  const child = await startGuarded(`${body}\nguard.exit(0);`);
  return readRun(child);
}

export async function readRun(child: ChildProcess): Promise<Run> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { stdout, stderr, code };
}
