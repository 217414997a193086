import { zodOf } from '../tools.mjs';

/** A server as its author writes it on FastMCP. */
export function fastmcpServer(tools) {
  return { 'server.mjs': `${head}${tools.map(addition).join('')}${tail}` };
}

const head = `import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import * as handlers from './handlers.mjs';

const server = new FastMCP({ name: 'tracker', version: '1.0.0' });
`;

const addition = (tool) => `
server.addTool({
  name: ${JSON.stringify(tool.name)},
  description: ${JSON.stringify(tool.description)},
  annotations: { title: ${JSON.stringify(tool.title)} },
  parameters: ${zodOf(tool)},
  execute: async (args) => handlers.${tool.name}(args),
});
`;

const tail = `
await server.start({ transportType: 'stdio' });
`;
