// Changes single expressions of the source by Stryker's operators and reports which changes `npm test` notices.
//
//   node .scripts/mutants.mjs [--seed 1] [--each 5] [--module schema]… [--list] [--all]
//                            [--sample file.json] [--survivors file.json]
//
// Works in a temporary worktree of HEAD. Each mutant is tried on the tests of its room, the survivors on all of `npm test`,
// with `--all` also on `npm run test:all`.
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const root = fileURLToPath(new URL('..', import.meta.url));
const engine = 'src/engine';

/** Rooms of the engine that are sampled unless others are named. */
const usualModules = [
  'clients/edit',
  'clients/ledger',
  'serve/stdio',
  'interaction',
  'schema',
  'validate/rules',
  'extension',
  'npm',
  'upstream',
  'runtime',
  'serve/http',
  'packages',
];

/** A hung mutant counts as killed: its tests never pass. */
const limitMs = 15 * 60_000;

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    each: { type: 'string', default: '5' },
    module: { type: 'string', multiple: true, default: usualModules },
    sample: { type: 'string' },
    survivors: { type: 'string' },
    list: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});

const sample = options.sample ? readSample(options.sample) : await takeSample();
if (options.list) {
  process.stdout.write(`${JSON.stringify(sample, undefined, 1)}\n`);
} else {
  const worktree = openWorktree();
  process.on('exit', () => closeWorktree(worktree));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  report(await tryMutants(worktree, sample));
}

function readSample(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read (${error.code})`;
    process.stderr.write(
      `The sample ${file} ${reason}. Write one with: npm run --silent mutants -- --list > <file>\n`,
    );
    process.exit(2);
  }
}

async function takeSample() {
  const random = randomFrom(Number(options.seed));
  const taken = [];
  for (const module of options.module) {
    const mutants = await mutantsOf(module);
    for (let count = 0; count < Number(options.each) && mutants.length > 0; count++) {
      const [mutant] = mutants.splice(Math.floor(random() * mutants.length), 1);
      taken.push({ module, ...mutant });
    }
  }
  return taken;
}

/** Every mutant of a room, as a piece of a file and its replacement. */
async function mutantsOf(module) {
  const folder = path.join(root, engine, module);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .sort()
    .map((name) => ({
      name: path.join(folder, name),
      mutate: true,
      content: readFileSync(path.join(folder, name), 'utf8'),
    }));
  const texts = new Map(files.map(({ name, content }) => [name, content]));
  const { mutants } = await new Instrumenter(silentLogger()).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ fileName, location, mutatorName, replacement }) => {
      const text = texts.get(fileName);
      const [start, end] = [location.start, location.end].map((at) => offsetOf(text, at));
      return {
        file: path.relative(root, fileName),
        line: location.start.line + 1,
        mutator: mutatorName,
        start,
        end,
        original: text.slice(start, end),
        replacement,
      };
    });
}

function silentLogger() {
  const ignore = () => {};
  return { debug: ignore, info: ignore, warn: ignore, error: ignore, isDebugEnabled: () => false };
}

function offsetOf(text, { line, column }) {
  let offset = 0;
  for (let passed = 0; passed < line; passed++) offset = text.indexOf('\n', offset) + 1;
  return offset + column;
}

/** Numbers below 1, the same ones for the same seed (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function openWorktree() {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'mutants-')), 'worktree');
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder], { cwd: root });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  // Type errors kill no mutant: tests do.
  const types = path.join(folder, '.types.json');
  const settings = JSON.parse(readFileSync(types, 'utf8'));
  settings.compilerOptions.noCheck = true;
  writeFileSync(types, JSON.stringify(settings));
  return folder;
}

function closeWorktree(folder) {
  execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: root });
  rmSync(path.dirname(folder), { recursive: true, force: true });
}

/** Tries each mutant on the tests of its room, then all that survive on all tests. */
async function tryMutants(worktree, mutants) {
  const [broken] = await withMutants(worktree, [], () => findFailures(worktree, []));
  if (broken) throw new Error(`Without a mutant, ${broken.file} fails: ${broken.title}`);
  const killers = new Map();
  for (const mutant of mutants) {
    const killer = await tryAlone(worktree, mutant, [], [roomOf(mutant)]);
    if (killer) killers.set(mutant, killer);
  }
  await tryTogether(worktree, mutants, killers, []);
  if (options.all) await tryTogether(worktree, mutants, killers, ['--mode', 'full']);
  return mutants.map((mutant) => ({ ...mutant, killer: killers.get(mutant) }));
}

/**
 * Tries the survivors in one run of all tests, then each of them alone on the files that failed, until no more are killed:
 * one long run instead of one per mutant.
 */
async function tryTogether(worktree, mutants, killers, mode) {
  let left = mutants.filter((mutant) => !killers.has(mutant));
  while (left.length > 0) {
    const batch = left.filter(
      (mutant, index) => !left.slice(0, index).some((other) => overlap(mutant, other)),
    );
    const failed = await withMutants(worktree, batch, () => findFailures(worktree, mode));
    // Without files, the build failed or the run did not end: then each mutant is tried on all tests.
    const files = failed.flatMap(({ file }) => file ?? []);
    process.stdout.write(
      `${batch.length} mutants at once: ${failed.length} files fail ${files.join(', ')}\n`,
    );
    let areKilled = false;
    for (const mutant of failed.length > 0 ? batch : []) {
      const killer = await tryAlone(worktree, mutant, mode, files);
      if (killer) killers.set(mutant, killer);
      areKilled ||= killer !== undefined;
    }
    left = left.filter((mutant) => !killers.has(mutant) && (areKilled || !batch.includes(mutant)));
  }
}

function overlap(one, other) {
  return one.file === other.file && one.start < other.end && other.start < one.end;
}

/** The test that kills a mutant, twice in a row: a test that fails once may have failed for want of time. */
async function tryAlone(worktree, mutant, mode, files) {
  const started = performance.now();
  const [failure] = await withMutants(worktree, [mutant], async () => {
    const failed = await findFailures(worktree, [...mode, '--bail', '1', ...files]);
    const [first] = failed;
    return first?.file ? await findFailures(worktree, [...mode, '--bail', '1', first.file]) : failed;
  });
  const seconds = String(Math.round((performance.now() - started) / 1000)).padStart(4);
  const { file, line, mutator } = mutant;
  const fate = failure ? 'killed  ' : 'survived';
  process.stdout.write(`${fate} ${seconds} s  ${file}:${line} ${mutator}  ${failure?.title ?? ''}\n`);
  return failure?.title;
}

/** The folder of tests that mirrors the folder of a file, or the nearest above it. */
function roomOf({ file }) {
  let room = path.dirname(file).replace(/^src/, 'test');
  while (!existsSync(path.join(root, room))) room = path.dirname(room);
  return room;
}

/** Builds with the mutants in place, does some work, and takes them out again. A build that fails is a failure. */
async function withMutants(worktree, mutants, work) {
  const texts = new Map();
  for (const { file, line, start, end, original, replacement } of [...mutants].sort(
    (a, b) => b.start - a.start,
  )) {
    const place = path.join(worktree, file);
    const text = readFileSync(place, 'utf8');
    if (!texts.has(place)) texts.set(place, text);
    if (text.slice(start, end) !== original)
      throw new Error(`${file}:${line} has changed since the sample was taken.`);
    writeFileSync(place, text.slice(0, start) + replacement + text.slice(end));
  }
  try {
    const { code } = await run(worktree, ['.scripts/build.mjs']);
    return code === 0 ? await work() : [{ title: '(the build)' }];
  } finally {
    for (const [place, text] of texts) writeFileSync(place, text);
  }
}

/** The files that fail, each with a test of it. A run that does not end is a failure without a file. */
async function findFailures(cwd, words) {
  const report = path.join(path.dirname(cwd), 'report.json');
  rmSync(report, { force: true });
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];
  const { code, signal, stderr } = await run(cwd, [
    ...vitest,
    ...['--passWithNoTests', '--reporter', 'json', '--outputFile', report],
    ...words,
  ]);
  if (code === 0) return [];
  if (signal) return [{ title: '(the run did not end)' }];
  if (!existsSync(report)) throw new Error(`vitest does not start: ${stderr}`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => ({
      file: path.relative(cwd, name),
      title: assertionResults.find(({ status }) => status === 'failed')?.fullName ?? message,
    }));
}

/** Runs a program of Node to its end, or ends it and its children at the limit. */
function run(cwd, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, {
      cwd,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stderr });
    });
  });
}

function report(mutants) {
  const survived = mutants.filter(({ killer }) => killer === undefined);
  if (options.survivors) writeFileSync(options.survivors, JSON.stringify(survived, undefined, 1));
  process.stdout.write('\nmodule                mutants  killed  survived\n');
  for (const module of new Set(mutants.map((mutant) => mutant.module))) {
    const here = mutants.filter((mutant) => mutant.module === module);
    const left = here.filter((mutant) => survived.includes(mutant)).length;
    const columns = [here.length, here.length - left, left].map((count) => String(count).padStart(7));
    process.stdout.write(`${module.padEnd(20)} ${columns.join(' ')}\n`);
  }
}
