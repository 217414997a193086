import { registration } from './sdk.mjs';

/** A server over HTTP as its author writes it on the official SDK: its own handler for 2026-07-28, sessions by hand before. */
export function sdkHttpServer(tools) {
  return { 'server.mjs': `${head}${tools.map(registration).join('')}${tail}` };
}

const head = `import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import * as handlers from './handlers.mjs';

function build() {
  const server = new McpServer({ name: 'tracker', version: '1.0.0' }, { capabilities: { tools: {} } });
`;

const tail = `
  return server;
}

const modern = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
const sessions = new Map();

async function legacy(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known) return await known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await build().connect(transport);
  await transport.handleRequest(request, response);
}

const http = createServer((request, response) =>
  request.headers['mcp-protocol-version'] === '2026-07-28' ? modern(request, response) : legacy(request, response),
);
http.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: \`http://127.0.0.1:\${http.address().port}/mcp\` }));
});
`;
