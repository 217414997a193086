// Measures the adaptation of 100 tools of real servers to each client: `npm run bench:adaptation`. See README.md.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const recordings = path.join(root, 'test/recorded-servers');
const rounds = 30;
const count = 100;

const folder = mkdtempSync(path.join(tmpdir(), 'agenttools-bench-'));
try {
  const outfile = path.join(folder, 'adaptation.mjs');
  await build({
    stdin: {
      contents: `export { ToolAdapters } from './tool-adapter.js';
export { arePlainTools } from '../server/plain-tools.js';
export { limitSubjects } from '../compatibility/client-limits.js';`,
      resolveDir: path.join(root, 'src/engine/adaptation'),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  });
  const { ToolAdapters, arePlainTools, limitSubjects } = await import(pathToFileURL(outfile));
  const clients = limitSubjects.filter(({ clientNames }) => clientNames);
  const first = [];
  const again = [];
  for (let round = 0; round <= rounds; round += 1)
    for (const { clientNames } of clients) {
      const tools = structuredClone(realTools());
      const adapter = new ToolAdapters().of(clientNames[0], { mode: 'on', serverKey: 'bench' });
      const [one, other] = [timeOf(() => adapter.list(tools)), timeOf(() => adapter.list(tools))];
      // The first round compiles the code.
      if (round > 0) first.push(one);
      if (round > 0) again.push(other);
    }
  const plain = Array.from({ length: count }, (_, index) => plainTool(index));
  const check = Array.from({ length: rounds }, () => timeOf(() => arePlainTools(structuredClone(plain))));
  process.stdout.write(
    `${count} tools of real servers, ${clients.length} clients, ${rounds} rounds, in ms:\n`,
  );
  for (const [what, times] of Object.entries({
    'first list': first,
    'next list': again,
    'check of plain tools': check,
  }))
    process.stdout.write(
      `  ${what}: least ${quantile(times, 0)}, median ${quantile(times, 0.5)}, 95 % below ${quantile(times, 0.95)}\n`,
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Tools of many servers, each with a name of its own. */
function realTools() {
  const tools = readdirSync(recordings).flatMap((file) => {
    const { exchanges } = JSON.parse(readFileSync(path.join(recordings, file), 'utf8'));
    return exchanges.find(({ method }) => method === 'tools/list').result.tools;
  });
  const step = Math.floor(tools.length / count);
  return tools
    .filter((_, index) => index % step === 0)
    .slice(0, count)
    .map((tool, index) => ({ ...tool, name: `${tool.name}${index}` }));
}

function plainTool(index) {
  const properties = Object.fromEntries(
    Array.from({ length: 8 }, (_, number) => [`p${number}`, { type: 'string', description: 'A text.' }]),
  );
  return { name: `tool_${index}`, description: 'Does it.', inputSchema: { type: 'object', properties } };
}

function timeOf(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function quantile(times, share) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)].toFixed(2);
}
