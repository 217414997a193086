import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Inspector, ModuleParser } from '../../../src/engine/validate/inspector.js';
import { validateExtension } from '../../../src/engine/validate/validate.js';
import { isAlive, root } from '../../support/program.js';
import { temporaryFolder, writeFiles } from '../../support/run-cli.js';
import { makePackage, packageJson, toolModule } from './support/package.js';
import { optionsFor } from './support/validating.js';

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
  const text = () => readFile(file, 'utf8').catch(() => '');
  // An existing file may still be empty.
  await expect.poll(text, { timeout: 10_000 }).toMatch(/^\d+ \d+$/);
  const pids = (await text()).split(' ').map(Number);
  onTestFinished(() => pids.filter(isAlive).forEach((pid) => void process.kill(pid, 'SIGKILL')));
  return pids;
}

/** A process that has ended and that its parent has not reaped yet counts as ended: it runs no more. */
async function expectEnded(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([]);
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
  // The limit must leave time for the definition to write its pids; only one that hangs uses all of it.
  await validateExtension(
    folder,
    optionsFor({ timeoutMs: 5000, openInspector: (limits) => new Inspector(limits) }),
  );
  await expectEnded(await pidsIn(folder));
});

describe.runIf(posix)('when the validating process is ended while a definition blocks', () => {
  let program: string;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    program = path.join(folder, 'load.mjs');
    await writeFiles(folder, {
      // The child is looked for beside the bundle.
      'inspector-child.js': `import ${JSON.stringify(path.join(root, 'dist/inspector-child.js'))};`,
      'package.json': { type: 'module' },
    });
    await build({
      stdin: {
        contents: `import { Inspector } from './src/engine/validate/inspector.ts';
          new Inspector({ timeoutMs: 60_000 }).load(process.argv[2]);`,
        resolveDir: root,
        loader: 'ts',
      },
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
    });
  });

  test.for(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('nothing is left by %s', async (signal) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['blocks'] }),
      'agenttools/tools/blocks.js': toolThatStarts('detached: true', 'for (;;);'),
    });
    const tool = path.join(folder, 'agenttools/tools/blocks.js');
    const validating = spawn(process.execPath, [program, tool], { stdio: 'ignore' });
    const pids = await pidsIn(folder);
    await sleep(100);
    expect(pids.every(isAlive)).toBe(true);
    validating.kill(signal);
    await expectEnded(pids);
  });
});

test('a parser reads modules as they are now, for one inspector after the other', async () => {
  const parser = new ModuleParser(10_000);
  onTestFinished(() => parser.close());
  const folder = await makePackage({ 'x.js': "import 'a';" });
  const file = path.join(folder, 'x.js');
  for (const name of ['a', 'b']) {
    await writeFiles(folder, { 'x.js': `import '${name}';` });
    const inspector = new Inspector({ timeoutMs: 10_000, parser });
    expect((await inspector.parse(file)).imports).toEqual([name]);
    inspector.close();
  }
});
