// Shows the main job: the example extension is validated, started, and answers the official MCP client.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'bin/agenttools.js');
const extension = 'fixtures/extensions/weather';
const server = `./${extension}/weather`;

say(`$ agenttools validate ./${extension}`);
process.stdout.write(execFileSync(process.execPath, [program, 'validate', `./${extension}`], { cwd: root }));

for (const mode of ['auto', 'legacy']) {
  say(`\n$ agenttools start ${server}     (the official client connects over stdio, era: ${mode})`);
  const client = new Client({ name: 'demo', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'start', server],
      cwd: root,
      stderr: 'inherit',
    }),
  );
  const { name, title, version } = client.getServerVersion();
  say(`  connected to ${title} (${name} ${version}), MCP ${client.getNegotiatedProtocolVersion()}`);
  if (mode === 'auto') await exchange(client);
  else
    await ask(
      'tools/call alerts { place: "High Fell" }',
      client.callTool({ name: 'alerts', arguments: { place: 'High Fell' } }),
    );
  await client.close();
}
say('\nBoth eras of MCP were served from one definition.');

async function exchange(client) {
  const { tools } = await ask('tools/list', client.listTools(), ({ tools }) =>
    tools.map(({ name, description }) => `${name}: ${description}`),
  );
  const { prompts } = await ask('prompts/list', client.listPrompts(), ({ prompts }) =>
    prompts.map(({ name, description }) => `${name}: ${description}`),
  );
  await ask('resources/list', client.listResources(), ({ resources }) =>
    resources.map(({ uri, name }) => `${uri} (${name})`),
  );
  const forecast = { place: 'Ostwick', days: 2 };
  const called = await ask(
    `tools/call forecast ${JSON.stringify(forecast)}`,
    client.callTool({ name: 'forecast', arguments: forecast }),
    ({ structuredContent }) => [JSON.stringify(structuredContent)],
  );
  const wrong = { place: 'Ostwick', days: 'many' };
  await ask(
    `tools/call forecast ${JSON.stringify(wrong)}`,
    client.callTool({ name: 'forecast', arguments: wrong }),
  );
  const pair = { first: 'Port Sable', second: 'High Fell' };
  await ask(
    `tools/call compare ${JSON.stringify(pair)}`,
    client.callTool({ name: 'compare', arguments: pair }),
  );
  const place = { place: 'Port Sable' };
  await ask(
    `prompts/get packing-list ${JSON.stringify(place)}`,
    client.getPrompt({ name: 'packing-list', arguments: place }),
    ({ messages }) => messages.map(({ role, content }) => `${role}: ${content.text}`),
  );
  if (tools.length !== 3 || prompts.length !== 2 || called.isError)
    throw new Error('The example did not answer as it should.');
}

async function ask(
  what,
  answer,
  show = ({ content, isError }) => content.map(({ text }) => (isError ? `error: ${text}` : text)),
) {
  say(`  → ${what}`);
  const result = await answer;
  for (const line of show(result)) say(`  ← ${line}`);
  return result;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
