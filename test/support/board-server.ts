/** A server by hand with a UI app. Its tool returns the arguments of the program and the variable TOKEN. */
export const boardServer = `
import { createInterface } from 'node:readline';
const uri = 'ui://board/main';
const mimeType = 'text/html;profile=mcp-app';
const given = [...process.argv.slice(2), process.env.TOKEN].join(' ');
const answers = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'board', version: '1.0.0' },
  },
  'tools/list': { tools: [{ name: 'show', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: uri } } }] },
  'tools/call': { content: [{ type: 'text', text: given }] },
  'resources/list': { resources: [{ uri, name: 'main', mimeType }] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [{ uri, mimeType, text: '<!doctype html><title>Board</title>' }] },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const error = { code: -32601, message: 'Method not found' };
  const answer = answers[method] ? { result: answers[method] } : { error };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
}).on('close', () => process.exit());
`;
