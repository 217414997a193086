import type { DefinitionShape, KeyShape } from '../key-shape.js';
import { cacheOf, icons } from './common-keys.js';
import { sandboxShape } from './sandbox-keys.js';

const listShape: DefinitionShape = {
  tools: {
    types: ['callable'],
    description: '`tools(ctx, registry)` selects the items of `tools/list`.',
    typescript: 'ListHookFunction',
  },
  prompts: {
    types: ['callable'],
    description: '`prompts(ctx, registry)` selects the items of `prompts/list`.',
    typescript: 'ListHookFunction',
  },
  resources: {
    types: ['callable'],
    description:
      '`resources(ctx, registry)` selects the items of `resources/list` and `resources/templates/list`. An ' +
      'omitted template lists no resources. Hooks cannot omit [apps](apps.md).',
    typescript: 'ListHookFunction',
  },
};

/** Items of a kind that a server lists. */
const itemsOf = (kind: string, typescript: string): KeyShape => ({
  types: ['list', 'string'],
  description:
    `The ${kind} of the server: [entries](servers.md#select-the-items-of-a-server), or \`"*"\` for all ${kind} ` +
    'that the package declares. Default: none.',
  typescript,
});

/** Keys of a server. */
export const serverShape: DefinitionShape = {
  tools: itemsOf('tools', 'ToolEntries'),
  prompts: itemsOf('prompts', 'ListEntries'),
  resources: itemsOf('resources', 'ListEntries'),
  apps: {
    types: ['list', 'string'],
    description:
      'Additional [UI apps](apps.md): names, or `"*"`. The server always serves the apps of its tools.',
    typescript: "'*' | readonly string[]",
  },
  skills: {
    types: ['string-list', 'string'],
    description:
      '[Skills](skills.md): names, qualified names of skills of other packages, or `"*"` for all skills of the ' +
      'package. Default: none.',
    typescript: "'*' | readonly string[]",
  },
  list: {
    types: ['object'],
    description:
      '[Hooks](visibility.md#hooks) that select the items of a list for each client. The other items stay ' +
      'usable by name. Default: all items that are not hidden.',
    shape: listShape,
    unseen: true,
  },
  toolList: {
    types: ['string'],
    description:
      'The tools that clients see: `"all"`, or `"catalog"` for ' +
      '[three tools that find, inspect and call the others](catalog.md#very-many-tools). Default: `"all"`.',
    values: ['all', 'catalog'],
  },
  adapt: {
    types: ['string'],
    description:
      'Changes tools so that [clients can use them](adaptation.md): `"auto"` only tools that the client would lose, `"on"` all ' +
      'that it cannot use whole, `"off"` none. Default: `"auto"`.',
    values: ['auto', 'on', 'off'],
  },
  title: { types: ['string'], description: 'A name for users.' },
  description: { types: ['string'], description: 'The purpose of the server.' },
  instructions: {
    types: ['strings'],
    description: 'Usage instructions for the model: a string, or a list of strings, joined with blank lines.',
  },
  name: {
    types: ['string'],
    description:
      'The server name that clients receive. Default: the qualified name, such as `@acme/kit/travel`.',
  },
  version: {
    types: ['string'],
    description: 'The server version that clients receive. Default: the version of the package.',
  },
  configKey: {
    types: ['string'],
    description:
      'The preferred key in the [config files of client apps](servers.md#set-the-config-key). Default: ' +
      'derived from the item name.',
  },
  initialize: {
    types: ['callable'],
    description: '`initialize(ctx)` runs once, [before the first use](process.md#initializing).',
    typescript: '(ctx: Context): unknown',
    unseen: true,
  },
  icons,
  websiteUrl: { types: ['string'], description: 'The address of a page about the server. Sent unchanged.' },
  transport: {
    types: ['string'],
    description:
      'The usual transport: `"stdio"` or `"http"`. AgentTools only checks the value: `start` serves over ' +
      'stdio regardless of it.',
    values: ['stdio', 'http'],
    unseen: true,
  },
  exposeErrors: {
    types: ['boolean'],
    description: '`true`: the model also reads the messages of unexpected errors. For development.',
    unseen: true,
  },
  pageSize: {
    types: ['positive-number'],
    description: 'Entries per page of a list. Default: 500. Many clients read only the first page.',
    unseen: true,
  },
  cache: cacheOf('the lists'),
  sandbox: {
    types: ['object'],
    description:
      'The files, hosts, programs and variables that code of the server can use. `start` runs the server in a ' +
      '[sandbox](sandbox.md) that permits nothing else. Only in data.',
    shape: sandboxShape,
    unseen: true,
  },
  evaluator: {
    types: ['object'],
    description: 'Further model settings of a ported definition. Kept unchanged, and not used.',
    unseen: true,
  },
};
