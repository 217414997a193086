// Runs the programs of vendors from npm against probe servers and a local substitute for the model API on this machine, and compares the
// tools of their requests with the records in test/recorded-clients/, also for servers behind `agenttools start --adapt`. `node .scripts/capture-clients.mjs [--write] [--newest]
// [client…]`: `--write` updates the records, `--newest` installs the newest versions.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countHarm } from './capture/count-harm.mjs';
import { probeServers } from './capture/probe-tools.mjs';
import { realServers } from './capture/real-servers.mjs';
import { reduceCapture } from './capture/reduce-capture.mjs';
import { vendorClients } from './capture/vendor-clients.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const records = path.join(root, 'test/recorded-clients');
const program = path.join(root, 'bin/agenttools.js');
const probeServer = fileURLToPath(new URL('capture/probe-server.mjs', import.meta.url));
const secondsForRun = 90;

const isOption = (word) => word.startsWith('--');
const words = process.argv.slice(2);
const ids = words.some((word) => !isOption(word))
  ? words.filter((word) => !isOption(word))
  : Object.keys(vendorClients);
mkdirSync(records, { recursive: true });
for (const id of ids) {
  const folder = mkdtempSync(path.join(tmpdir(), 'capture-'));
  try {
    report(id, await capture(id, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function capture(id, folder) {
  const client = vendorClients[id];
  const version = words.includes('--newest') ? 'latest' : client.version;
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${client.package}@${version}`];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const direct = (key, logFile) => [probeServer, key, logFile];
  const adapted = (key, logFile) => [
    program,
    'start',
    '--adapt',
    '--',
    process.execPath,
    probeServer,
    key,
    logFile,
  ];
  const run = async (name, servers, words, isComplete = true) =>
    await runClient(client, { folder, servers, words, isComplete, place: path.join(folder, name) });
  const { text, log } = await run('probes', probeServers, direct, false);
  const real = await run('real', realServers, direct);
  const fit = await run('adapted', { ...probeServers, ...realServers }, adapted);
  const harm = (captured, servers) => countHarm(captured.text, client.nameOf, servers);
  const { clientInfo, protocolVersion } = log.find(({ method }) => method === 'initialize').params;
  const manifest = path.join(folder, 'node_modules', client.package, 'package.json');
  return {
    client: id,
    package: client.package,
    version: JSON.parse(readFileSync(manifest, 'utf8')).version,
    recorded: new Date().toISOString().slice(0, 10),
    handshake: { name: clientInfo.name, protocolVersion },
    ...reduceCapture(text, client.nameOf),
    harm: {
      direct: { ...harm({ text }, probeServers), ...harm(real, realServers) },
      adapted: harm(fit, { ...probeServers, ...realServers }),
    },
  };
}

/**
 * Runs a program with a home folder of its own, and gives the body of its longest request and the log of the probe servers.
 * `words`: arguments of Node for a server.
 */
async function runClient(client, { folder, servers: served, words: wordsOf, isComplete, place }) {
  const requests = [];
  const stand = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'POST') requests.push(Buffer.concat(chunks).toString());
    const error = {
      type: 'invalid_request_error',
      message: 'Captured.',
      code: 400,
      status: 'INVALID_ARGUMENT',
    };
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'error', error }));
  });
  await new Promise((resolve) => stand.listen(0, '127.0.0.1', resolve));
  const [home, work, logFile] = ['home', 'work', 'log'].map((name) => path.join(place, name));
  for (const one of [home, work]) mkdirSync(one, { recursive: true });
  writeFileSync(logFile, '');
  const servers = Object.fromEntries(
    Object.keys(served).map((key) => [key, { command: process.execPath, args: wordsOf(key, logFile) }]),
  );
  const write = (name, content) => {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const api = `http://127.0.0.1:${stand.address().port}`;
  const { args, env } = client.run({ api, servers, write, isComplete });
  const child = spawn(path.join(folder, 'node_modules/.bin', client.program), args, {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: folder, NO_COLOR: '1', DO_NOT_TRACK: '1', ...env },
    stdio: 'ignore',
    detached: true,
  });
  const end = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([end, sleep(secondsForRun * 1000, undefined, { ref: false })]);
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
  stand.closeAllConnections();
  stand.close();
  const lines = readFileSync(logFile, 'utf8').trim().split('\n');
  const text = requests.toSorted((a, b) => b.length - a.length)[0];
  if (text === undefined) throw new Error(`${client.program} sent no request.`);
  return { text, log: lines.map((line) => JSON.parse(line)) };
}

/** Prints the changes since the record, and writes the record if asked. */
function report(id, captured) {
  const file = path.join(records, `${id}.json`);
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const lines = linesOf(captured);
  const old = linesOf(before);
  const news = [
    ...old.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
    ...lines.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
  process.stdout.write(`${id} ${captured.version}: ${news.length === 0 ? 'as recorded' : 'changed'}\n`);
  for (const line of news) process.stdout.write(`  ${line}\n`);
  if (words.includes('--write')) writeFileSync(file, `${JSON.stringify(captured, undefined, 1)}\n`);
}

/** The parts of a record as lines. */
function linesOf({
  handshake,
  instructionsKept,
  lost = [],
  names = {},
  usual = [],
  changed = {},
  harm = {},
}) {
  return [
    ...Object.entries(harm).flatMap(([way, servers]) =>
      Object.entries(servers).flatMap(([key, { lost, damaged }]) => [
        ...lost.map((name) => `${way}: ${name} of ${key} is lost`),
        ...damaged.map((name) => `${way}: ${name} of ${key} is damaged`),
      ]),
    ),
    `handshake: ${JSON.stringify(handshake)}`,
    `characters of instructions: ${instructionsKept}`,
    ...lost.map((probe) => `${probe} is lost`),
    ...Object.entries(names).map(([probe, name]) => `${probe} has the name ${name}`),
    ...usual.map((change) => `most tools: ${change}`),
    ...Object.entries(changed).flatMap(([probe, all]) => all.map((change) => `${probe}: ${change}`)),
  ];
}
