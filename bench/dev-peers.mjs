// Measures the time from a saved file to the first answer with the new list, over HTTP, for `dev` of AgentTools and of others.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { install } from './contestants.mjs';
import { summarize } from './statistics.mjs';

const program = fileURLToPath(new URL('../bin/agenttools.js', import.meta.url));

/** Longest wait for the first list, and for a list after a change, in milliseconds. */
const patienceMs = 30_000;
/** Pause between changes, and between two requests for the list, in milliseconds. */
const pauseMs = 1500;
const pollMs = 5;

const zodTool = (round) =>
  `import { z } from 'zod';\nconst parameters = z.object({});\nconst description = 'Code ${round}.';\n`;

/** One tool in code for each. `source` is the file that is saved. */
const contestants = [
  {
    id: 'agenttools',
    label: 'agenttools dev',
    file: 'agenttools/tools/code.js',
    source: (round) => `export default { description: 'Code ${round}.', handler: () => ${round} };`,
    files: {
      'package.json': JSON.stringify({
        name: 'kit',
        version: '1.0.0',
        type: 'module',
        agenttools: { tools: ['code'] },
      }),
    },
    command: (port) => [process.execPath, program, 'dev', '.', '--http', '--no-page', '--port', `${port}`],
  },
  {
    id: 'mcp-use',
    label: 'mcp-use dev',
    packages: ['mcp-use@2', '@mcp-use/cli@4', 'zod@4'],
    file: 'index.ts',
    source: (round) =>
      `import { MCPServer } from 'mcp-use';\n${zodTool(round)}const server = new MCPServer({ name: 'kit', version: '1.0.0' });\nserver.tool({ name: 'code', description, schema: parameters }, async () => ({ content: [{ type: 'text', text: '' }] }));\nexport default server;\n`,
    command: (port) => ['npx', 'mcp-use', 'dev', '--port', `${port}`, '--no-open', '--no-inspector'],
  },
  {
    // Its own `fastmcp dev --watch` adds a client at a terminal to this command, and the connection ends at each restart.
    id: 'fastmcp',
    label: 'tsx --watch, which fastmcp dev --watch runs',
    packages: ['fastmcp@4', 'zod@4', 'tsx@4'],
    file: 'server.mjs',
    source: (round) =>
      `import { FastMCP } from 'fastmcp';\n${zodTool(round)}const server = new FastMCP({ name: 'kit', version: '1.0.0' });\nserver.addTool({ name: 'code', description, parameters, execute: async () => '' });\nawait server.start({ transportType: 'httpStream', httpStream: { port: Number(process.env.PORT), endpoint: '/mcp' } });\n`,
    command: () => ['npx', 'tsx', '--watch', 'server.mjs'],
  },
];

/** The times of each contestant by its label, or the reason why it does not run here. */
export async function measurePeers(scratch, rounds) {
  const results = {};
  for (const contestant of contestants) {
    const times = await measureOne(contestant, path.join(scratch, contestant.id), rounds).catch(String);
    results[contestant.label] = typeof times === 'string' ? { absent: times } : summarize(times);
  }
  return results;
}

async function measureOne({ packages, files = {}, file, source, command }, folder, rounds) {
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  write('package.json', '{ "private": true, "type": "module" }');
  for (const [name, text] of Object.entries(files)) write(name, text);
  write(file, source(0));
  if (packages) install(folder, packages);
  const port = await freePort();
  const [name, ...args] = command(port);
  const env = { PATH: process.env.PATH, HOME: folder, AGENTTOOLS_HOME: folder, PORT: `${port}` };
  const child = spawn(name, args, { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output = `${output}${text}`.slice(-2000);
    });
  const url = `http://127.0.0.1:${port}/mcp`;
  try {
    await waitForList(url, 'Code 0.').catch(() => {
      throw new Error(`does not run here: ${output.trim().split('\n')[0]}`);
    });
    const times = [];
    for (let round = 1; round <= rounds; round += 1) {
      await sleep(pauseMs);
      const start = performance.now();
      write(file, source(round));
      await waitForList(url, `Code ${round}.`);
      times.push(performance.now() - start);
    }
    return times;
  } finally {
    process.kill(-child.pid, 'SIGKILL');
  }
}

async function waitForList(url, description) {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    const tools = await listTools(url).catch(() => []);
    if (tools.some((tool) => tool.description === description)) return;
    await sleep(pollMs);
  }
  throw new Error(`no list with "${description}" within ${patienceMs / 1000} s`);
}

/** The tools as a new client gets them: a server that restarts has lost the clients before. */
async function listTools(url) {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const opened = await send(url, {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  const headers = opened.session === null ? {} : { 'mcp-session-id': opened.session };
  await send(url, { method: 'notifications/initialized' }, headers);
  return (await send(url, { id: 2, method: 'tools/list' }, headers)).answer.result.tools;
}

async function send(url, message, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await response.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return {
    session: response.headers.get('mcp-session-id'),
    answer: data === '' ? undefined : JSON.parse(data),
  };
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
