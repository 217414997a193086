#!/usr/bin/env node
// The entrance: everything about this process that the program behind it may know or do.
import module from 'node:module';
import os from 'node:os';
import process from 'node:process';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: agenttools needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exit(1);
}

// From 22.8 on; it only makes starting faster, so whatever hinders it is no reason to stop.
module.enableCompileCache?.();

const { stdin, stdout, stderr, env } = process;
const argv = process.argv.slice(2);
const serves = argv[0] === 'start';

// Who reads our output may stop reading (`| head`). A serving process has its own way to end.
const reallyExit = process.exit.bind(process);
if (!serves) stdout.on('error', (error) => reallyExit(error.code === 'EPIPE' ? 0 : 1));
stderr.on('error', () => {});

const host = {
  cwd: workingDirectory(),
  env,
  home: os.homedir(),
  platform: process.platform,
  stdin,
  stdout,
  stderr,
  color: takesColor(),
  exit: (code) => void stdout.write('', () => reallyExit(code)),
};

const { main } = await import('../dist/cli.js');
process.exitCode = await main(argv, host);
host.exit(process.exitCode);

function workingDirectory() {
  try {
    return process.cwd();
  } catch {
    stderr.write('error: The working directory does not exist any more. Change to one that does.\n');
    return reallyExit(1);
  }
}

/** @see https://no-color.org, https://force-color.org */
function takesColor() {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return !['', '0', 'false'].includes(env.FORCE_COLOR);
  return Boolean(stdout.isTTY) && env.TERM !== 'dumb';
}
