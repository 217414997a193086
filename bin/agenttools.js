#!/usr/bin/env node
// The entrance: everything about this process that the program behind it may know or do.
// A CommonJS module: Node takes milliseconds to load its loader of ECMAScript modules.
const nodeModule = require('node:module');
const os = require('node:os');
const process = require('node:process');

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: agenttools needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exit(1);
}

// From 22.8 on; it only makes starting faster, so whatever hinders it is no reason to stop.
nodeModule.enableCompileCache?.();

limitExitListeners();

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

const { keepCompiledCode, script } = require('../dist/start.cjs');

// Other commands run too little of the start path, and so does a server that fails.
if (serves) {
  setTimeout(keepCompiledCode, 2000).unref();
  process.once('exit', (exitCode) => exitCode === 0 && keepCompiledCode());
}
script.main(argv, host).then((exitCode) => {
  process.exitCode = exitCode;
  host.exit(exitCode);
});

function workingDirectory() {
  try {
    return process.cwd();
  } catch {
    stderr.write('error: The working directory does not exist any more. Change to one that does.\n');
    return reallyExit(1);
  }
}

/** Listeners of extension code may not keep this process from ending: together they have a second, and their errors do not count. */
function limitExitListeners() {
  const { emit } = process;
  process.emit = function (event, ...words) {
    const deliver = () => Reflect.apply(emit, this, [event, ...words]);
    if (event !== 'exit' || process.listenerCount('exit') === 0) return deliver();
    try {
      return require('node:vm').runInNewContext('deliver()', { deliver }, { timeout: 1000 });
    } catch {
      return true;
    }
  };
}

/** @see https://no-color.org, https://force-color.org */
function takesColor() {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return !['', '0', 'false'].includes(env.FORCE_COLOR);
  return Boolean(stdout.isTTY) && env.TERM !== 'dumb';
}
