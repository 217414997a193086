import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { deferred } from '../../../../src/engine/base/deferred.js';
import type { HostDeath } from '../../../../src/engine/host/host-death.js';
import { HostProcess, type HostProcessOptions } from '../../../../src/engine/host/host-process.js';

const room = path.resolve(import.meta.dirname, '../../../../src/engine/host');
const folder = mkdtempSync(path.join(tmpdir(), 'agenttools-host-'));
let programs = 0;

for (const name of ['host-channel', 'host-process']) {
  buildSync({
    entryPoints: [path.join(room, `${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: path.join(folder, `${name}.mjs`),
    logLevel: 'silent',
  });
}

function writeProgram(text: string): string {
  programs += 1;
  const file = path.join(folder, `program-${programs}.mjs`);
  writeFileSync(file, text);
  return file;
}

/**
 * Writes the program of a host. `body` is the body of an async function that receives each `message`; what it returns is
 * sent. The first message of the host is `{ ready: true, pid }`.
 */
export function hostProgram(body: string, prelude = ''): string {
  return writeProgram(`import { openHostChannel } from './host-channel.mjs';
    import childProcess from 'node:child_process';
    import fs from 'node:fs';
    const answer = async (message) => { ${body} };
    const channel = openHostChannel({ onMessage: (message) => void answer(message).then((reply) => reply && channel.send(reply)) });
    ${prelude}
    channel.send({ ready: true, pid: process.pid });`);
}

/** Writes a program that starts a host and prints the pid of the host when it is ready. `stderr` receives its prints. */
export function frontProgram(entry: string, body = '', stderr = 'process.stderr'): string {
  return writeProgram(`import { HostProcess } from './host-process.mjs';
    import { PassThrough } from 'node:stream';
    const host = new HostProcess({
      entry: ${JSON.stringify(entry)},
      env: process.env,
      stderr: ${stderr},
      onReady: ({ pid }) => process.stdout.write(pid + '\\n'),
      onMessage: () => {},
      onDeath: ({ reason }) => process.stderr.write(reason + '\\n'),
    });
    ${body}`);
}

/** A host of a test and everything that was heard of it. */
export interface TestHost {
  readonly host: HostProcess;
  /** Resolves with the first message. */
  readonly ready: Promise<unknown>;
  readonly death: Promise<HostDeath>;
  readonly messages: readonly unknown[];
  readonly printed: () => string;
}

/** Starts a host. It ends with the test. */
export function startHost(entry: string, options: Partial<HostProcessOptions> = {}): TestHost {
  const messages: unknown[] = [];
  const stderr = new PassThrough();
  let printed = '';
  stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const ready = deferred<unknown>();
  const death = deferred<HostDeath>();
  const host = new HostProcess({
    entry,
    env: process.env,
    stderr,
    onReady: ready.resolve,
    onMessage: (message) => messages.push(message),
    onDeath: death.resolve,
    ...options,
  });
  onTestFinished(() => host.kill());
  return { host, ready: ready.promise, death: death.promise, messages, printed: () => printed };
}
