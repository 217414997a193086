import type { DefinitionShape } from '../key-shape.js';

/** Endpoint of an existing MCP server, with the keys of client configs. */
export const endpointShape: DefinitionShape = {
  command: {
    types: ['string'],
    description:
      'The program: a name on the `PATH`, an absolute path, or a file of the package that begins with `./`. ' +
      '`node` is the Node that runs AgentTools.',
  },
  package: {
    types: ['string'],
    description: 'Replaces `command`: a package in your `dependencies` with a program to run.',
  },
  bin: { types: ['string'], description: 'The program of the `package`, if it has several.' },
  args: { types: ['string-list'], description: 'Arguments of the program. There is no shell.' },
  env: {
    types: ['texts'],
    description:
      'Additional environment variables. By default, the program receives only the variables that every ' +
      'program needs (`PATH`, `HOME` and similar).',
  },
  cwd: {
    types: ['string'],
    description:
      'The working directory: a folder of the package. Default: the package folder. A path that begins with a ' +
      '[variable](upstream.md#variables) can be anywhere.',
  },
  url: {
    types: ['string'],
    description:
      'Replaces `command`: the `http:` or `https:` URL of a server. AgentTools sends a name and password in it ' +
      'as a header.',
  },
  headers: { types: ['texts'], description: 'Headers of each request to the `url`.' },
  type: {
    types: ['string'],
    description:
      'The transport: `"stdio"` for programs; `"http"`, `"streamable-http"` or `"sse"` for URLs. Default for ' +
      'URLs: Streamable HTTP. `"sse"` is the transport of 2024.',
    values: ['stdio', 'http', 'streamable-http', 'sse'],
  },
  place: {
    types: ['callable'],
    description: 'Replaces `command`: `place({ env })` returns the endpoint when the server is needed.',
    typescript: 'ResolveEndpoint | string',
  },
  name: { types: ['string'], description: 'The name of the server in messages. Default: its endpoint.' },
  startTimeoutMs: {
    types: ['positive-number'],
    description: 'The timeout of the first response in milliseconds. Default: 30000.',
  },
};

/** A choice of prompts, resources or apps of an existing MCP server. */
export const itemChoiceShape: DefinitionShape = {
  only: { types: ['string-list'], description: 'The upstream names or URIs to include. Default: all.' },
  except: { types: ['string-list'], description: 'The upstream names or URIs to exclude.' },
  prefix: { types: ['string'], description: 'A prefix for each name, except names from `rename`.' },
  rename: { types: ['texts'], description: 'New names, by upstream name.' },
};

/** The tool of an existing MCP server that replaces a handler. */
export const toolUpstreamShape: DefinitionShape = {
  ...endpointShape,
  tool: { types: ['string'], description: 'The upstream name of the tool. Default: the item name.' },
};
