// Changes single expressions of the source by Stryker's operators and reports which changes `npm test` notices.
//
//   node .scripts/mutants.mjs [--seed 1] [--each 5] [--module schema]… [--list] [--all]
//                            [--sample file.json] [--survivors file.json]
//
// Works in a temporary worktree of HEAD. Per mutant: a build, the tests of its room, then all of `npm test`; the first
// failure ends it. `--all` runs `npm run test:all` for what survives.
import { execFileSync, spawnSync } from 'node:child_process';
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
  'server/stdio',
  'server/interaction',
  'schema',
  'validate/rules',
  'extension',
  'npm',
  'server/upstream',
  'items',
  'server/http',
  'packages',
];

/** A hung mutant counts as killed: its tests never pass. */
const limitMs = 20 * 60_000;

const quickly = [
  '--config',
  'test/vitest.config.ts',
  '--bail',
  '1',
  '--reporter',
  'dot',
  '--passWithNoTests',
];

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

const sample = options.sample ? JSON.parse(readFileSync(options.sample, 'utf8')) : await takeSample();
if (options.list) {
  process.stdout.write(`${JSON.stringify(sample, undefined, 1)}\n`);
} else {
  const worktree = openWorktree();
  process.on('exit', () => closeWorktree(worktree));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  report(sample.map((mutant) => tryMutant(worktree, mutant)));
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

/** Adds to a mutant the stage that killed it, and the test; `survived` if none did. */
function tryMutant(worktree, mutant) {
  const file = path.join(worktree, mutant.file);
  const text = readFileSync(file, 'utf8');
  if (text.slice(mutant.start, mutant.end) !== mutant.original) {
    throw new Error(`${mutant.file}:${mutant.line} is not as it was when the sample was taken.`);
  }
  writeFileSync(file, text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end));
  const started = performance.now();
  try {
    const [fate, test = ''] = fateOf(worktree, mutant);
    const seconds = String(Math.round((performance.now() - started) / 1000));
    process.stdout.write(
      `${fate.padEnd(9)} ${seconds.padStart(4)} s  ${mutant.file}:${mutant.line} ${mutant.mutator}  ${test}\n`,
    );
    return { ...mutant, fate };
  } finally {
    writeFileSync(file, text);
  }
}

/** The first stage that fails, nearest tests first, and its failed test. */
function fateOf(worktree, { file }) {
  const build = spawnSync(process.execPath, ['.scripts/build.mjs'], { cwd: worktree, stdio: 'ignore' });
  if (build.status !== 0) return ['build'];
  const room = path.dirname(file).replace(/^src/, 'test');
  const stages = {
    ...(existsSync(path.join(worktree, room)) && { room: ['run', room] }),
    all: ['run'],
    ...(options.all && { 'test:all': ['run', '--mode', 'full'] }),
  };
  for (const [stage, words] of Object.entries(stages)) {
    // A test that fails once may have failed for want of time.
    for (let attempt = 0; attempt < 3; attempt++) {
      const failed = firstFailure(worktree, words);
      if (!failed) break;
      if (failed.file === undefined || firstFailure(worktree, ['run', failed.file]))
        return [stage, failed.title];
    }
  }
  return ['survived'];
}

/** The first test that fails, if any. A run that does not end has one without a name. */
function firstFailure(cwd, words) {
  const report = path.join(path.dirname(cwd), 'report.json');
  rmSync(report, { force: true });
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', ...words, ...quickly, '--reporter', 'json', '--outputFile', report],
    { cwd, stdio: 'ignore', timeout: limitMs, killSignal: 'SIGKILL' },
  );
  if (status === 0) return undefined;
  if (!existsSync(report)) return { title: '(no report)' };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const file = testResults.find((one) => one.status === 'failed');
  const test = file?.assertionResults.find((one) => one.status === 'failed');
  return {
    file: file && path.relative(cwd, file.name),
    title: test?.fullName ?? file?.message ?? '(no test)',
  };
}

function report(mutants) {
  const survived = mutants.filter(({ fate }) => fate === 'survived');
  if (options.survivors) writeFileSync(options.survivors, JSON.stringify(survived, undefined, 1));
  process.stdout.write('\nmodule                mutants  killed  survived\n');
  for (const module of new Set(mutants.map((mutant) => mutant.module))) {
    const here = mutants.filter((mutant) => mutant.module === module);
    const left = here.filter((mutant) => survived.includes(mutant)).length;
    const columns = [here.length, here.length - left, left].map((count) => String(count).padStart(7));
    process.stdout.write(`${module.padEnd(20)} ${columns.join(' ')}\n`);
  }
}
