import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterFile } from './file-jobs.js';
import { bareEnvironment, programFile, root } from './program.js';

/** `agenttools dev` over HTTP, in a process of its own. */
export interface DevProgram {
  /** Address of MCP. */
  readonly url: string;
  /** Address of the page. */
  readonly page: string;
  /** What it wrote to stderr so far. */
  stderr(): string;
  /** Sends a signal; the exit code. */
  end(): Promise<number | null>;
}

const ends = new Set<() => void>();
afterFile(() => {
  for (const end of ends) end();
});

/** Starts `dev` on a package and waits until it serves. It is gone after the test file. */
export async function startDev(directory: string, flags: readonly string[] = []): Promise<DevProgram> {
  const words = [programFile, 'dev', directory, '--http', '--port', '0', '--json', ...flags];
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ends.add(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exit = once(child, 'exit');
  const first = await Promise.race([once(createInterface(child.stdout), 'line'), exit]);
  if (typeof first[0] !== 'string') throw new Error(`It ended with ${first[0]}: ${stderr}`);
  return {
    page: '',
    ...JSON.parse(first[0]),
    stderr: () => stderr,
    async end() {
      child.kill('SIGTERM');
      return (await exit)[0];
    },
  };
}
