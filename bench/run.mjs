// Measures AgentTools against other MCP servers with the same ten tools. See README.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { baseline, installNode24, prepareContestants, versionsIn } from './contestants.mjs';
import { measurements, metrics } from './measurements.mjs';
import { rotated, summarize } from './statistics.mjs';
import { factsText, tables } from './tables.mjs';

const usage = `node bench/run.mjs [options]

  --node <path>      the Node that runs the servers; this one unless told
  --node24           Node 24 from npm runs the servers
  --only <part>      a part of the names of measurements: start, calls, memory, start-2026, ...; repeatable
  --rounds <count>   rounds of every measurement instead of its own number
  --scratch <folder> keep what is installed there, and use what is there already
  --json             print every number
`;

const { values: options } = parseArgs({
  options: {
    node: { type: 'string' },
    node24: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    rounds: { type: 'string' },
    scratch: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** How often each measurement is taken of each contestant, after a first time that does not count. */
const rounds = { start: 25, calls: 7, memory: 5 };

if (options.help) process.stdout.write(usage);
else await main();

async function main() {
  const scratch = options.scratch
    ? path.resolve(options.scratch)
    : mkdtempSync(path.join(os.tmpdir(), 'agenttools-bench-'));
  mkdirSync(scratch, { recursive: true });
  try {
    const node = options.node24 ? installNode24(scratch) : (options.node ?? process.execPath);
    const keepsCompiledCode =
      execFileSync(node, ['-p', 'typeof require("node:module").enableCompileCache'], {
        encoding: 'utf8',
      }).trim() === 'function';
    const contestants = prepareContestants({ scratch, node, keepsCompiledCode });
    const facts = machineFacts(scratch, node);
    if (!options.json) process.stdout.write(factsText(facts));
    const results = await measureAll(contestants);
    process.stdout.write(options.json ? `${JSON.stringify({ facts, results }, null, 2)}\n` : tables(results));
  } finally {
    if (!options.scratch) rmSync(scratch, { recursive: true, force: true });
  }
}

/** Round by round through all measurements and contestants, so that a busy minute of the machine hits everybody. */
async function measureAll(contestants) {
  const chosen = measurements
    .filter(({ id }) => options.only.some((part) => id.includes(part)))
    .map((measurement) => ({
      ...measurement,
      rounds: Number(options.rounds ?? rounds[measurement.group]),
      samples: new Map(takingPart(measurement, contestants).map(({ id }) => [id, []])),
    }));
  const longest = Math.max(...chosen.map((measurement) => measurement.rounds));
  for (let round = 0; round <= longest; round += 1) {
    for (const measurement of chosen.filter((one) => round <= one.rounds)) {
      for (const contestant of rotated(takingPart(measurement, contestants), round)) {
        const sample = await measurement.run(contestant, measurement.era);
        if (round > 0) measurement.samples.get(contestant.id).push(sample);
      }
    }
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round} of ${longest} `);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  return chosen.map(({ id, group, title, brief, rounds, samples }) => ({
    id,
    group,
    title,
    brief,
    rounds,
    contestants: [...samples].map(([contestant, taken]) => ({
      id: contestant,
      label: contestants.find(({ id }) => id === contestant).label,
      ...Object.fromEntries(
        metrics[group]
          .filter(({ key }) => taken.every((sample) => sample[key] !== undefined))
          .map(({ key }) => [key, summaryOf(key, taken, samples.get(baseline))]),
      ),
    })),
  }));
}

function takingPart({ group, era }, contestants) {
  return contestants.filter(
    ({ id, eras }) => eras.includes(era) && (group === 'start' || id !== `${baseline}-cached`),
  );
}

function summaryOf(key, taken, base) {
  const numbers = taken.map((sample) => sample[key]);
  return {
    ...summarize(
      numbers,
      base?.map((sample) => sample[key]),
    ),
    numbers,
  };
}

function machineFacts(scratch, node) {
  return {
    cores: os.cpus().length,
    processor: os.cpus()[0]?.model.trim(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
    client: process.version,
    versions: versionsIn(scratch),
  };
}
