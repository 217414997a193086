#!/usr/bin/env node
/**
 * A stand-in for wolframscript with the loop of the bundled extension: it speaks the loop's lines, and takes a few
 * words for a language. How it starts is said by WOLFRAM_STAND_IN, what it knows of the cloud by WOLFRAM_STAND_IN_CLOUD;
 * each start and each request is written to WOLFRAM_STAND_IN_LOG.
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

const {
  AGENTTOOLS_LOOP,
  WOLFRAM_STAND_IN = '',
  WOLFRAM_STAND_IN_CLOUD = '',
  WOLFRAM_STAND_IN_LOG,
} = process.env;

const log = (what) => {
  if (WOLFRAM_STAND_IN_LOG) appendFileSync(WOLFRAM_STAND_IN_LOG, `${JSON.stringify(what)}\n`);
};

const say = (word, sign, message) =>
  process.stdout.write(`\n@@${word}${sign}${Buffer.from(JSON.stringify(message)).toString('base64')}\n`);

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Sessions of this process: context -> line, variables. */
const sessions = new Map();

/** What a line of code does: its value, undefined for none. */
const words = {
  hang() {
    log({ hangs: true });
    return new Promise(() => {});
  },
  /** Computes, and looks at nothing; not for ever, in case that nobody ends it. */
  compute() {
    for (const end = Date.now() + 60_000; Date.now() < end; );
  },
  sleep: () => 'late',
  abort: () => 'aborted',
  crash() {
    process.stderr.write('SIGSEGV in a library\n');
    process.exit(139);
  },
  quit: () => process.exit(0),
  /** Ends, and leaves its stdout to something in a group of its own. */
  bequeath() {
    const heir = spawn('sleep', ['600'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    process.stderr.write(`heir = ${heir.pid}\n`);
    process.exit(1);
  },
  /** Puts a pipe in place of what it printed. */
  pipe({ transcript }) {
    rmSync(transcript);
    execFileSync('mkfifo', [transcript]);
    process.exit(0);
  },
  async endless() {
    for (;;) await new Promise((resolve) => process.stdout.write('x'.repeat(1 << 20), resolve));
  },
  async chatter() {
    for (let count = 0; count < 200_000; count += 1) process.stdout.write(`${count}\n`);
    return { text: 'done' };
  },
  plot: () => ({ image: pixel }),
  long: () => ({ text: `<${'x'.repeat(50_000)}>` }),
  huge: () => ({ text: '<'.padEnd(1000, 'a'), tail: '>'.padStart(1000, 'z'), length: 5_000_000 }),
  private: () => ({ text: '\uf76d\u0007\ud800!' }),
  environment: () => ({ text: JSON.stringify(process.env) }),
  pid: () => ({ text: `${process.pid}` }),
  child: () => ({ text: `${spawn('sleep', ['600'], { stdio: 'ignore' }).pid}` }),
};

async function evaluateLine(code, { variables, transcript, request }) {
  if (words[code]) return await words[code]({ transcript });
  const [, printed] = /^Print\["(.*)"\]$/.exec(code) ?? [];
  if (printed !== undefined) {
    appendFileSync(transcript, `${printed}\n`);
    return undefined;
  }
  const [, stray] = /^stdout (.*)$/.exec(code) ?? [];
  if (stray !== undefined) {
    process.stdout.write(stray.replaceAll('WORD', request.word).replaceAll('\\n', '\n'));
    return undefined;
  }
  const [, name, value] = /^(\w+) = (.*)$/.exec(code) ?? [];
  if (name) {
    variables[name] = value;
    return { text: value };
  }
  return { text: variables[code] ?? code };
}

async function evaluate(request) {
  const { word, context, load, save, transcript, mark } = request;
  let session = 'continued';
  if (!sessions.has(context)) {
    const [state, how] = loaded(load, context);
    sessions.set(context, state);
    session = how;
  }
  for (const other of request.forget) sessions.delete(other);
  const state = sessions.get(context);
  say(word, '+', { phase: 'evaluating' });
  if (request.code === 'syntax') {
    appendFileSync(transcript, 'Syntax::sntxi: Incomplete expression; more input is needed.\n');
    return { outcome: 'syntax', outputs: [], session, saved: false };
  }
  if (request.code === 'pipe-and-answer') {
    rmSync(transcript);
    execFileSync('mkfifo', [transcript]);
    return { outcome: 'done', outputs: [], session, saved: false };
  }
  if (request.code === 'nonsense') return ['no', 'object'];
  if (request.code === 'empty') return {};
  if (request.code === 'unheard-of') return { outcome: 'constructor', outputs: [] };
  if (request.code === 'malformed') {
    const at = { line: 1, index: 0 };
    const image = 'A'.repeat(9 * 1024 * 1024);
    const outputs = [
      7,
      null,
      { line: 'x' },
      { ...at, image: '<svg>' },
      { ...at, image },
      { ...at, image: 7 },
    ];
    return { outcome: 'done', outputs: [...outputs, { ...at, text: 'x', tail: 7, length: 100_000 }] };
  }
  const outputs = [];
  let outcome = 'done';
  for (const [index, code] of request.code.split('\n').entries()) {
    if (code === 'flood') {
      for (;;) appendFileSync(transcript, 'flood '.repeat(200_000));
    }
    const value = await evaluateLine(code.replace(/;$/, ''), {
      variables: state.variables,
      transcript,
      request,
    });
    if (typeof value === 'string') {
      outcome = value;
      break;
    }
    const line = state.line++;
    if (value !== undefined && !code.endsWith(';'))
      outputs.push({ length: value.text?.length, ...value, index, line });
    appendFileSync(transcript, `\n@@${mark}\n`);
  }
  say(word, '+', { phase: 'evaluated' });
  if (save) writeFileSync(save, JSON.stringify({ ...state, context }));
  return { outcome, outputs, session, saved: save !== '', cloud: WOLFRAM_STAND_IN_CLOUD !== '' };
}

function loaded(file, context) {
  const fresh = { line: 1, variables: {} };
  if (!file || !existsSync(file)) return [fresh, 'new'];
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'));
    return state.context === context ? [state, 'resumed'] : [fresh, 'unreadable'];
  } catch {
    return [fresh, 'unreadable'];
  }
}

const url = 'https://www.wolframcloud.com/obj/0f0e0d0c-1111-2222-3333-444455556666';

/** What becomes of a notebook, by what the cloud is said to be. */
const clouds = {
  connected: () => ({ url }),
  picky: ({ hideFooter }) => (hideFooter ? { failure: 'appearancenotsup' } : { url }),
  failing: () => ({ failure: 'not deployed' }),
  foreign: () => ({ url: 'https://example.com/obj/1' }),
  crashing: () => process.exit(1),
};

const handlers = {
  evaluate,
  deploy: (request) => clouds[WOLFRAM_STAND_IN_CLOUD]?.(request) ?? { failure: 'not connected' },
};

/** How it starts. */
const starts = {
  async 'not-activated'() {
    process.stdout.write('The Wolfram Engine requires one-time activation on this computer.\n\nWolfram ID: ');
    await new Promise(() => {});
  },
  'no-licence'() {
    process.stderr.write('\tMathematica cannot find a valid password.\n');
    process.exit(1);
  },
  exits() {
    process.stderr.write('error while loading \u001b[31mshared libraries\n');
    process.exit(127);
  },
  garbage() {
    process.stdout.write('@@\n@@ffff:bm8=\nWolfram Language 14 Engine\n@@:e30=\n');
  },
  mute: () => new Promise(() => setInterval(() => {}, 1000)),
  slow: () => new Promise((resolve) => setTimeout(resolve, 700)),
};

log({ start: process.pid, args: process.argv.slice(2) });
if (process.argv.includes('-code')) {
  process.stdout.write(`${process.env.WOLFRAM_STAND_IN_KERNEL ?? ''}\n`);
  process.exit(0);
}
await starts[WOLFRAM_STAND_IN]?.();
say(AGENTTOOLS_LOOP, ':', { version: '14.3' });

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(Buffer.from(line, 'base64').toString('utf8'));
  log(request);
  say(request.word, ':', await handlers[request.op](request));
}
