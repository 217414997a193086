import { zodOf } from '../tools.mjs';

/** A server as its author writes it on the official SDK. */
export function sdkServer(tools) {
  return { 'server.mjs': `${head}${tools.map(registration).join('')}${tail}` };
}

const head = `import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import * as handlers from './handlers.mjs';

serveStdio(() => {
  const server = new McpServer({ name: 'tracker', version: '1.0.0' }, { capabilities: { tools: {} } });
`;

/** One tool of a server by hand; its arguments are validated by zod. */
export const registration = (tool) => `
  server.registerTool(
    ${JSON.stringify(tool.name)},
    {
      title: ${JSON.stringify(tool.title)},
      description: ${JSON.stringify(tool.description)},
      inputSchema: ${zodOf(tool)},
    },
    async (args) => ({ content: [{ type: 'text', text: handlers.${tool.name}(args) }] }),
  );
`;

const tail = `
  return server;
});
`;
