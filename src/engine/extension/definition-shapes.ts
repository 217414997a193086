import type { Kind } from './item-kinds.js';
import type { DefinitionShape } from './key-shape.js';
import { appShape } from './keys/app-keys.js';
import { endpointShape } from './keys/endpoint-keys.js';
import {
  anyOverride,
  promptOverride,
  resourceOverride,
  toolkitOverrideShape,
  toolkitShape,
  toolOverride,
  upstreamEntryShape,
} from './keys/entry-keys.js';
import { promptShape } from './keys/prompt-keys.js';
import { resourceShape } from './keys/resource-keys.js';
import { serverShape } from './keys/server-keys.js';
import { toolShape } from './keys/tool-keys.js';

/** Keys of a definition, by kind. */
export const shapes = {
  tools: toolShape,
  prompts: promptShape,
  resources: resourceShape,
  servers: serverShape,
  apps: appShape,
} as const satisfies Record<Kind, DefinitionShape>;

/** Overrides for an item in a server's list, by kind of list. */
export const overrideShapes = {
  tools: toolOverride,
  prompts: promptOverride,
  resources: resourceOverride,
  apps: anyOverride,
} as const satisfies Record<Exclude<Kind, 'servers'>, DefinitionShape>;

/** All tables of keys, by their names in the generated parts of `docs/` and of the TypeScript types. */
export const keyTables: Readonly<Record<string, DefinitionShape>> = {
  tool: toolShape,
  prompt: promptShape,
  resource: resourceShape,
  server: serverShape,
  app: appShape,
  toolkit: toolkitShape,
  endpoint: endpointShape,
  toolkitEntry: toolkitOverrideShape,
  upstreamEntry: upstreamEntryShape,
  changedItem: anyOverride,
  changedTool: toolOverride,
  changedPrompt: promptOverride,
  changedResource: resourceOverride,
};
