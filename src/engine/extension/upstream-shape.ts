import type { DefinitionShape } from './key-shape.js';

/** Endpoint of an existing MCP server, with the keys of client configs. */
export const placeShape: DefinitionShape = {
  command: {
    types: ['string'],
    description:
      'The program: a name on the PATH, an absolute path, or a file of the package ("./server.js").',
  },
  package: {
    types: ['string'],
    description: 'In place of `command`: a dependency of this package, whose program is run.',
  },
  bin: { types: ['string'], description: 'Which program of the `package`, if it has several.' },
  args: { types: ['string-list'], description: 'What the program is given.' },
  env: { types: ['texts'], description: 'Environment variables for the program, besides the usual ones.' },
  cwd: {
    types: ['string'],
    description: 'Folder of the package that it runs in; the package folder when absent.',
  },
  url: { types: ['string'], description: 'In place of `command`: the http: or https: address of a server.' },
  headers: { types: ['texts'], description: 'Sent with each request to the `url`.' },
  type: {
    types: ['string'],
    description:
      'How it is spoken to; told by the other keys when absent. `sse` is what servers had until 2024.',
    values: ['stdio', 'http', 'streamable-http', 'sse'],
  },
  place: {
    types: ['callable'],
    description: 'In place of `command`: place({ env }) says where the server is when it is needed.',
  },
  name: { types: ['string'], description: 'What messages call the server; where it is when absent.' },
  startTimeoutMs: {
    types: ['positive-number'],
    description: 'Longest wait for its first answer; 30000 when absent.',
  },
};

/** The tool of an existing MCP server that replaces a handler. */
export const toolUpstreamShape: DefinitionShape = {
  ...placeShape,
  tool: { types: ['string'], description: 'What the tool is called there; the item name when absent.' },
};
