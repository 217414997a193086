import { describe, expect, test } from 'vitest';

import { runGuarded } from './support/guarded.js';

const nap = 'await new Promise((resolve) => setTimeout(resolve, 60));';

/** Ways an extension can print, each of which is expected to put `LEAK` on stderr and nothing on stdout. */
const prints: Record<string, string> = {
  'console.log': "console.log('LEAK')",
  'console.info, table and dir': "console.info('LEAK'); console.table([1]); console.dir({})",
  'a console of its own': "import { Console } from 'node:console'; new Console(process.stdout).log('LEAK')",
  'process.stdout.write': "process.stdout.write('LEAK')",
  'stdout imported by name': "import { stdout } from 'node:process'; stdout.write('LEAK')",
  'process.stdout.end, then again': "process.stdout.end('LE'); process.stdout.write('AK')",
  'process.stdout._write': "process.stdout._write('LEAK', 'utf8', () => {})",
  'process.stdout, destroyed': "process.stdout.destroy(); process.stdout.write('LEAK')",
  'a pipe into stdout':
    "import { Readable } from 'node:stream'; Readable.from(['LEAK']).pipe(process.stdout)",
  'fs.writeSync': "import fs from 'node:fs'; fs.writeSync(1, 'LEAK')",
  'writeSync imported by name': "import { writeSync } from 'node:fs'; writeSync(1, 'LEAK')",
  'writeSync to the descriptor of stdout':
    "import fs from 'node:fs'; fs.writeSync(process.stdout.fd, 'LEAK')",
  'fs.write': "import { write } from 'node:fs'; write(1, 'LEAK', () => {})",
  'fs.write as a promise':
    "import fs from 'node:fs'; import { promisify } from 'node:util'; await promisify(fs.write)(1, Buffer.from('LEAK'))",
  'fs.writev and writevSync':
    "import fs from 'node:fs'; fs.writev(1, [Buffer.from('LEAK')], () => {}); fs.writevSync(1, [Buffer.from('x')])",
  'fs.writeFileSync': "import fs from 'node:fs'; fs.writeFileSync(1, 'LEAK')",
  'fs.writeFile': "import fs from 'node:fs'; fs.writeFile(1, 'LEAK', () => {})",
  'fs.appendFileSync': "import fs from 'node:fs'; fs.appendFileSync(1, 'LEAK')",
  'fs.appendFile': "import fs from 'node:fs'; fs.appendFile(1, 'LEAK', () => {})",
  'fs.createWriteStream': "import fs from 'node:fs'; fs.createWriteStream('', { fd: 1 }).end('LEAK')",
  'CommonJS fs':
    "import { createRequire } from 'node:module'; createRequire('file:///x.js')('fs').writeSync(1, 'LEAK')",
  'a worker thread':
    "import { Worker } from 'node:worker_threads'; await new Promise((done) => new Worker('console.log(\"LEAK\")', { eval: true }).on('exit', done))",
};

/** Ways a child can inherit our stdout; each starts `echo LEAK`, or a module that logs it. */
const children: Record<string, string> = {
  'spawn, all inherited': "spawn('echo', ['LEAK'], { stdio: 'inherit' })",
  'spawn, stdout inherited': "spawn('echo', ['LEAK'], { stdio: ['ignore', 'inherit', 'ignore'] })",
  'spawn, descriptor 1': "spawn('echo', ['LEAK'], { stdio: ['ignore', 1, 'ignore'] })",
  'spawn, process.stdout': "spawn('echo', ['LEAK'], { stdio: ['ignore', process.stdout, 'ignore'] })",
  'spawn, descriptor 1 as stderr': "spawn('sh', ['-c', 'echo LEAK >&2'], { stdio: ['ignore', 'ignore', 1] })",
  'spawn, through a shell': "spawn('echo LEAK', { stdio: 'inherit', shell: true })",
  spawnSync: "cp.spawnSync('echo', ['LEAK'], { stdio: 'inherit' })",
  'spawnSync without arguments': "cp.spawnSync('echo LEAK', { stdio: [0, 1, 2], shell: true })",
  execSync: "cp.execSync('echo LEAK', { stdio: 'inherit' })",
  'execSync, its stderr': "cp.execSync('echo LEAK >&2')",
  execFileSync: "cp.execFileSync('echo', ['LEAK'], { stdio: 'inherit' })",
  fork: 'cp.fork(\'data:text/javascript,console.log("LEAK")\')',
};

describe.concurrent('output of an extension', () => {
  test.each(Object.entries(prints))('%s', async (_, code) => {
    const run = await runGuarded(
      `say('before'); await extension(${JSON.stringify(code)}); ${nap} say('after');`,
    );
    expect(run).toMatchObject({ stdout: 'before\nafter\n', code: 0 });
    expect(run.stderr).toContain('LEAK');
  });

  test('redirects a console that was used before the guard', async () => {
    const run = await runGuarded(
      "guard.restore(); console.log('own'); installGuard({ stderr: process.stderr }); console.log('LEAK');",
    );
    expect(run).toMatchObject({ stdout: 'own\n', stderr: 'LEAK\n' });
  });
});

describe.concurrent('inherited stdout of a child process', () => {
  test.each(Object.entries(children))('%s', async (name, code) => {
    const file = name === 'fork' ? forkable : '';
    const run = await runGuarded(
      `${file} await extension(${JSON.stringify(
        `import cp, { spawn } from 'node:child_process';
         const child = ${code.replace(/'data:[^']*'/, 'process.env.FORKED')};
         if (child?.once) await new Promise((done) => child.once('close', done));`,
      )}); say('after');`,
    );
    expect(run).toMatchObject({ stdout: 'after\n', code: 0 });
    expect(run.stderr).toContain('LEAK');
  });

  test('leaves piped output to the extension', async () => {
    const run = await runGuarded(
      `await extension("import { execSync } from 'node:child_process'; console.log(execSync('echo OWN').toString() + execSync('cat', { stdio: ['inherit', 'pipe'] }))");`,
    );
    expect(run).toMatchObject({ stdout: '', stderr: 'OWN\n\n' });
  });
});

const forkable = `
  const { writeFileSync } = await import('node:fs');
  process.env.FORKED = new URL('./forked.mjs', import.meta.url).pathname;
  writeFileSync(process.env.FORKED, "console.log('LEAK')");`;

describe.concurrent('keeps the pipe for the protocol', () => {
  test('stdin is empty and has ended', async () => {
    const run = await runGuarded(
      "await extension(\"let all = ''; for await (const chunk of process.stdin) all += chunk; console.log('read', all.length)\");",
    );
    expect(run.stderr).toBe('read 0\n');
  });

  test('nothing can be read from descriptor 0', async () => {
    const run = await runGuarded(
      `await extension("import fs from 'node:fs'; console.log([fs.readFileSync(0, 'utf8'), fs.readSync(0, Buffer.alloc(9))])");`,
    );
    expect(run.stderr).toBe("[ '', 0 ]\n");
  });

  test('closing the standard descriptors does nothing', async () => {
    const run = await runGuarded(
      "await extension(\"import fs from 'node:fs'; fs.closeSync(1); fs.close(0, () => {}); fs.closeSync(2)\"); say('still here');",
    );
    expect(run).toMatchObject({ stdout: 'still here\n', code: 0 });
  });

  test('leaves file access alone', async () => {
    const run = await runGuarded(
      `await extension("import fs from 'node:fs'; import os from 'node:os'; const file = os.tmpdir() + '/guard-' + process.pid; fs.writeFileSync(file, 'kept'); const fd = fs.openSync(file); console.log(fs.readFileSync(fd, 'utf8')); fs.closeSync(fd); fs.rmSync(file)");`,
    );
    expect(run.stderr).toBe('kept\n');
  });

  test('restore puts everything back', async () => {
    const run = await runGuarded("guard.restore(); console.log('own'); process.exit(3);");
    expect(run).toMatchObject({ stdout: 'own\n', stderr: '', code: 3 });
  });
});

describe.concurrent('the server outlives its extensions', () => {
  const survives: Record<string, [string, RegExp]> = {
    'process.exit in a timer': [
      'setTimeout(() => process.exit(1))',
      /^process\.exit\(\) was called.*\(outside a call\)\n$/,
    ],
    'process.reallyExit in a timer': ['setTimeout(() => process.reallyExit(1))', /process\.reallyExit/],
    'process.abort in a timer': ['setTimeout(() => process.abort())', /process\.abort/],
    'an uncaught exception': [
      "setTimeout(() => { throw new Error('stray') })",
      /Uncaught exception: Error: stray\n +at /,
    ],
    'an unhandled rejection': [
      "Promise.reject(new Error('stray'))",
      /Unhandled rejection: Error: stray\n +at /,
    ],
    'a rejection with nothing': ['Promise.reject()', /Unhandled rejection: undefined/],
    'an exception that is no text': [
      'setTimeout(() => { throw Object.create(null) })',
      /Uncaught exception: \[Object: null prototype\] \{\}/,
    ],
    'an exception that nobody can look at': [
      'setTimeout(() => { throw new Proxy({}, { has() { throw 1 }, getPrototypeOf() { throw 1 } }) })',
      /^Uncaught exception: something that cannot be shown\n$/,
    ],
    'an exception that would steer the terminal and look like another': [
      "setTimeout(() => { throw '\u001b[2Jcleared\\nServing' })",
      /^Uncaught exception: \\u001b\[2Jcleared\n {2}Serving\n$/,
    ],
  };
  test.each(Object.entries(survives))('%s', async (_, [code, told]) => {
    const run = await runGuarded(`await extension(${JSON.stringify(code)}); ${nap} say('alive');`);
    expect(run).toMatchObject({ stdout: 'alive\n', code: 0 });
    expect(run.stderr).toMatch(told);
  });

  test('makes process.exit in a handler throw an exit request', async () => {
    const run = await runGuarded(
      "await extension('process.exit(7)').catch((error) => say(isExitRequest(error) + ' ' + error.exitCode));",
    );
    expect(run).toMatchObject({ stdout: 'true 7\n', stderr: '', code: 0 });
  });

  test('ends the process even if a listener throws', async () => {
    const run = await runGuarded("process.on('exit', () => { throw new Error('no'); }); guard.exit(5);");
    expect(run.code).toBe(5);
  });
});

test('gives copies of internal objects of Node', async () => {
  const code = `process.binding('url').parse = process.binding('url').domainToASCII = () => { throw new Error('x'); };`;
  const { stdout } = await runGuarded(`
    await extension(${JSON.stringify(code)});
    const { parse, domainToASCII } = process.binding('url');
    say(String([parse, domainToASCII].filter((one) => one && String(one).includes('throw')).length));`);
  expect(stdout).toBe('0\n');
});
