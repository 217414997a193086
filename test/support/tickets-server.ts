/** A server by hand: one tool, named after its arguments and a variable. */
export const ticketsServer = `
import { createInterface } from 'node:readline';
const name = [...process.argv.slice(2), process.env.TOKEN ?? ''].join('_').replace(/\\W/g, '-');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tickets', version: '1.0.0' } }
    : { tools: [{ name: 'tool' + name, inputSchema: { type: 'object' } }] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;
