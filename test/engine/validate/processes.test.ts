import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { validateExtension } from '../../../src/engine/validate/validate.js';
import { buildInspector } from './support/inspector-entry.js';
import { makePackage, packageJson, toolModule } from './support/package.js';
import { optionsFor } from './support/validating.js';

let inspector: Awaited<ReturnType<typeof buildInspector>>;

beforeAll(async () => {
  inspector = await buildInspector();
});

afterAll(() => inspector.remove());

/** A definition that writes pids, its own and of what it starts, beside itself, and goes on as told. */
function toolThatStarts(options: string, then = ''): string {
  return toolModule(`import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', ${options} });
child.unref();
writeFileSync(new URL('../../pids', import.meta.url), \`\${process.pid} \${child.pid}\`);
${then}`);
}

/** The processes that a definition told of. */
async function pidsIn(folder: string): Promise<readonly number[]> {
  const file = path.join(folder, 'pids');
  await expect.poll(() => existsSync(file), { timeout: 10_000 }).toBe(true);
  const pids = (await readFile(file, 'utf8')).split(' ').map(Number);
  onTestFinished(() => pids.filter(isRunning).forEach((pid) => void process.kill(pid, 'SIGKILL')));
  return pids;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function expectEnded(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([]);
}

const posix = process.platform !== 'win32';

test.for([
  ['a child', '', ''],
  ['a detached child', 'detached: true', ''],
  ['a detached child, before it hangs', 'detached: true', 'for (;;);'],
  ['a child, before it exits', '', 'process.exit(0);'],
  ...(process.platform === 'linux'
    ? [['a detached child, before it exits', 'detached: true', 'process.exit(0);']]
    : []),
] as const)('nothing is left of a definition that starts %s', async ([, options, then]) => {
  const folder = await makePackage({
    'package.json': packageJson({ tools: ['starts'] }),
    'agenttools/tools/starts.js': toolThatStarts(options!, then),
  });
  await validateExtension(folder, optionsFor(inspector.entry, { timeoutMs: 1000 }));
  await expectEnded(await pidsIn(folder));
});

test.runIf(posix).for(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'nothing is left when the validating process is ended by %s while a definition blocks',
  { timeout: 30_000 },
  async (signal) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['blocks'] }),
      'agenttools/tools/blocks.js': toolThatStarts('detached: true', 'for (;;);'),
    });
    const program = path.join(path.dirname(inspector.entry), 'load.mjs');
    await build({
      stdin: {
        contents: `import { Inspector } from './src/engine/validate/inspector.ts';
          new Inspector({ timeoutMs: 60_000, entry: process.argv[2] }).load(process.argv[3]);`,
        resolveDir: new URL('../../../', import.meta.url).pathname,
        loader: 'ts',
      },
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
    });
    const tool = path.join(folder, 'agenttools/tools/blocks.js');
    const validating = spawn(process.execPath, [program, inspector.entry, tool], { stdio: 'ignore' });
    const pids = await pidsIn(folder);
    await sleep(100);
    expect(pids.every(isRunning)).toBe(true);
    validating.kill(signal);
    await expectEnded(pids);
  },
);
