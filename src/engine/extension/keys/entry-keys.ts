import type { DefinitionShape } from '../key-shape.js';
import { annotations, category, hidden, icons, meta, name, title, visible } from './common-keys.js';
import { endpointShape, itemChoiceShape } from './endpoint-keys.js';
import { toolShape } from './tool-keys.js';

/** Keys of a toolkit: several tools in one file. */
export const toolkitShape: DefinitionShape = {
  category: {
    ...category,
    description: '`_meta.category` of its tools without a `category`. `null`: none.',
  },
  hidden: {
    ...hidden,
    description: '`true`: lists omit its tools, except tools with `hidden` or `visible`.',
  },
  visible,
  tools: {
    types: ['list'],
    description: 'The tools.',
    typescript: 'readonly AnyTool[]',
    required: true,
  },
};

/** Overrides for all tools of a toolkit in a server's list. */
export const toolkitOverrideShape: DefinitionShape = {
  toolkit: { types: ['string'], description: 'The toolkit: a name or a qualified name.', required: true },
  category: {
    ...category,
    description: '`_meta.category` of all its tools. Overrides their values. `null`: none.',
  },
  hidden: {
    ...hidden,
    description: '`true`: lists omit all its tools. `false`: lists show them. Overrides their values.',
  },
  visible,
  name: { ...name, description: 'The wire name, if the toolkit has one tool.' },
  description: { ...toolShape.description!, description: 'The description, if the toolkit has one tool.' },
};

/** Entry of a server's list for the items of an existing MCP server. */
export const upstreamEntryShape: DefinitionShape = {
  upstream: {
    types: ['object', 'callable'],
    description: 'The [location of the server](upstream.md#set-the-location-of-a-server).',
    typescript: 'UpstreamSource | ResolveEndpoint | string',
    required: true,
    shape: endpointShape,
  },
  only: {
    types: ['string-list'],
    description: 'The upstream names of the tools to include. Default: all.',
  },
  except: { types: ['string-list'], description: 'The upstream names of tools to exclude.' },
  prefix: { types: ['string'], description: 'A prefix for each name, except names from `rename`.' },
  rename: { types: ['texts'], description: 'New names, by upstream name: `{ "search": "find_letters" }`.' },
  prompts: {
    types: ['object', 'boolean'],
    description:
      'A choice of prompts: an object with `only`, `except`, `prefix` and `rename`, or `false` for none. ' +
      'Default: all.',
    typescript: 'false | UpstreamChoice',
    shape: itemChoiceShape,
  },
  resources: {
    types: ['object', 'boolean'],
    description:
      'The same for resources and templates. `only` and `except` take names or URIs. `prefix` and `rename` ' +
      'change names; URIs stay.',
    typescript: 'false | UpstreamChoice',
    shape: itemChoiceShape,
  },
  apps: {
    types: ['object', 'boolean'],
    description: 'The same for UI apps. `false` also removes the UI metadata of tools.',
    typescript: 'false | UpstreamChoice',
    shape: itemChoiceShape,
  },
  hidden: {
    ...hidden,
    description:
      '`true`: [lists omit](servers.md#hidden-items) the tools. Clients can still call them by name.',
  },
  visible,
  category: { ...category, description: '`_meta.category` of all the tools. `null`: none.' },
  timeoutMs: {
    ...toolShape.timeoutMs!,
    description: 'The timeout of one request in milliseconds. Default: 60000.',
  },
  confirm: toolShape.confirm!,
  meta: { ...meta, description: "Overrides fields of each tool's `_meta`." },
};

/** Overrides for an item of any kind. */
export const anyOverride: DefinitionShape = {
  use: { types: ['string'], description: 'The item: a name or a qualified name.', required: true },
  name: { ...name, description: 'The wire name, which clients see.' },
  title: { ...title, description: 'A name for users.' },
  description: { types: ['string'], description: 'The purpose of the item. For a tool, the model reads it.' },
  category,
  hidden,
  visible,
  icons: { ...icons, typescript: 'readonly Icon[] | undefined' },
  meta: {
    ...meta,
    description: 'Fields of `_meta`, merged over the fields of the item.',
    typescript: 'Readonly<Record<string, unknown>> | undefined',
  },
  timeoutMs: { types: ['positive-number'], description: 'The timeout in milliseconds.' },
};

/** Overrides for one argument of a tool. */
const parameterShape: DefinitionShape = {
  name: {
    types: ['string'],
    description: 'The argument name that clients see. The handler receives the original name.',
  },
  description: { types: ['string'], description: 'The meaning of the argument, for the model.' },
  enum: {
    types: ['list'],
    description:
      "The values that clients can send, a subset of the argument's values. Its schema must list values: an " +
      'enum, `const`, or items or branches of these. The default must be in the subset, or you set a new one.',
  },
  hidden: {
    types: ['boolean'],
    description:
      '`true`: clients neither see nor send the argument, and AgentTools drops a value that a client sends. ' +
      'The handler receives the default. A required argument needs a `default` here.',
  },
  default: {
    types: ['any'],
    description:
      'The value that the handler receives if the client sends none, for every form of schema. The argument is ' +
      'no longer required.',
  },
};

/** Overrides for a tool. */
export const toolOverride: DefinitionShape = {
  ...anyOverride,
  annotations: {
    ...toolShape.annotations!,
    typescript: 'Readonly<Record<string, unknown>>',
  },
  confirm: toolShape.confirm!,
  ui: { ...toolShape.ui!, typescript: 'string | UiDefinition | undefined' },
  options: {
    ...toolShape.options!,
    description: '[Options](tools.md#options), merged over the options of the tool.',
  },
  arguments: {
    types: ['object'],
    description: 'Fixed values of arguments. Clients neither see nor send these arguments.',
  },
  parameters: {
    types: ['object'],
    description:
      '[Changes of single arguments](servers.md#change-single-arguments-of-a-tool), by their names in the tool.',
    each: parameterShape,
  },
};

/** Overrides for a prompt. */
export const promptOverride: DefinitionShape = { ...anyOverride, arguments: toolOverride.arguments! };

/** Overrides for a resource. */
export const resourceOverride: DefinitionShape = { ...anyOverride, annotations };
