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
    description: 'In place of `command`: a dependency of this package with a program to run.',
  },
  bin: { types: ['string'], description: 'Program of the `package`, if it has several.' },
  args: { types: ['string-list'], description: 'Arguments of the program.' },
  env: {
    types: ['texts'],
    description: 'Environment variables for the program, in addition to the usual ones.',
  },
  cwd: {
    types: ['string'],
    description: 'Working directory, in the package. Default: the package folder.',
  },
  url: { types: ['string'], description: 'In place of `command`: the http: or https: address of a server.' },
  headers: { types: ['texts'], description: 'Sent with each request to the `url`.' },
  type: {
    types: ['string'],
    description:
      'Transport. Default: derived from the other keys. `sse` is the HTTP transport of 2024-11-05.',
    values: ['stdio', 'http', 'streamable-http', 'sse'],
  },
  place: {
    types: ['callable'],
    description: 'In place of `command`: place({ env }) returns the endpoint when the server is needed.',
  },
  name: { types: ['string'], description: 'Name of the server in messages. Default: its command or URL.' },
  startTimeoutMs: {
    types: ['positive-number'],
    description: 'Longest wait for its first response, in milliseconds. Default: 30000.',
  },
};

/** A choice of prompts, resources or apps of an existing MCP server. */
export const itemChoiceShape: DefinitionShape = {
  only: { types: ['string-list'], description: 'Included items, by upstream name or URI. Default: all.' },
  except: { types: ['string-list'], description: 'Excluded items, by upstream name or URI.' },
  prefix: { types: ['string'], description: 'Prefix of each name, except names from `rename`.' },
  rename: { types: ['texts'], description: 'New names, by upstream name.' },
};

/** The tool of an existing MCP server that replaces a handler. */
export const toolUpstreamShape: DefinitionShape = {
  ...placeShape,
  tool: { types: ['string'], description: 'Upstream name of the tool. Default: the item name.' },
};
