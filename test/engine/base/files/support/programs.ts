import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { writeFolder } from '../../../../support/packages.js';

let bundle: Promise<string> | undefined;
let programs = 0;

/** Writes a program that runs in a process of its own, with what this room exports, the faults and its `input` at hand. */
export async function writeProgram(body: string): Promise<string> {
  bundle ??= bundleFiles();
  const folder = await bundle;
  programs += 1;
  const file = path.join(folder, `program-${programs}.mjs`);
  writeFileSync(
    file,
    `import fs from 'node:fs';
     import * as files from './files.mjs';
     const input = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
     ${body}`,
  );
  return file;
}

async function bundleFiles(): Promise<string> {
  const folder = writeFolder();
  const root = path.resolve(import.meta.dirname, '../../../../..');
  const modules = ['lock', 'file-error', 'replace', 'text-file'].map(
    (name) => `./src/engine/base/files/${name}.ts`,
  );
  await build({
    stdin: {
      contents: [...modules, './test/engine/base/files/support/faults.ts']
        .map((name) => `export * from '${name}';`)
        .join('\n'),
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: path.join(folder, 'files.mjs'),
    logLevel: 'silent',
  });
  return folder;
}

/** How a program ended, and what it printed. */
export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts a program; `wrapper` is a command line that gets it as its last words. */
export function startProgram(
  program: string,
  input: unknown,
  wrapper: readonly string[] = [],
): { readonly child: ChildProcess; readonly ended: Promise<Run> } {
  const inputFile = path.join(writeFolder({ 'input.json': JSON.stringify(input) }), 'input.json');
  const [command, ...args] = [...wrapper, process.execPath, program, inputFile];
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, ended: readRun(child) };
}

/** Runs a program to its end. */
export async function runProgram(program: string, input: unknown, wrapper?: readonly string[]): Promise<Run> {
  return await startProgram(program, input, wrapper).ended;
}

async function readRun(child: ChildProcess): Promise<Run> {
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { stdout, stderr, code, signal };
}
