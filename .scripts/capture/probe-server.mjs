// An MCP server over stdio with the tools of one key of `probeServers` or `realServers`: `node probe-server.mjs <key> <log file>`. The log has a
// line for each request. A call returns the name of its tool.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { probeServers } from './probe-tools.mjs';
import { realServers } from './real-servers.mjs';

const [key, logFile] = process.argv.slice(2);
const { tools, instructions, delay = 0 } = probeServers[key] ?? realServers[key];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: key, version: '1.0.0' },
    ...(instructions && { instructions }),
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: name }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  appendFileSync(
    logFile,
    `${JSON.stringify({ key, method, ...(params?.name && { name: params.name }), ...(method === 'initialize' && { params }) })}\n`,
  );
  if (id === undefined) continue;
  if (method === 'initialize') await sleep(delay);
  const answer = answers[method]?.(params);
  const outcome = answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
