import { jsonSchemaOf } from '../tools.mjs';

/** The floor: a loop over lines of JSON with ready answers and no checks. No server in JavaScript can be faster. */
export function floorServer(tools) {
  const list = tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchemaOf(tool),
  }));
  return { 'tools.json': JSON.stringify(list), 'server.mjs': source };
}

const source = `import { readFileSync } from 'node:fs';

const tools = JSON.parse(readFileSync(new URL('tools.json', import.meta.url), 'utf8'));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'floor', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': async ({ name, arguments: args }) => {
    handlers ??= await import('./handlers.mjs');
    return { content: [{ type: 'text', text: handlers[name](args) }] };
  },
};

let handlers;
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) void receive(JSON.parse(line));
});

async function receive({ id, method, params }) {
  if (id === undefined) return;
  const result = await answers[method](params);
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
}
`;
