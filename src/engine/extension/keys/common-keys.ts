import type { DefinitionShape, KeyShape } from '../key-shape.js';

const iconShape: DefinitionShape = {
  src: { types: ['string'], description: 'An `https:` or `data:` URL.', required: true },
  mimeType: {
    types: ['string'],
    description: '`image/png`, `image/jpeg`, `image/svg+xml` or `image/webp`.',
  },
  sizes: { types: ['string-list'], description: 'Sizes such as `"48x48"`, or `"any"`.' },
  theme: {
    types: ['string'],
    description: 'The theme that the icon is drawn for: `"light"` or `"dark"`.',
    values: ['light', 'dark'],
  },
};

export const name: KeyShape = {
  types: ['string'],
  description: 'The wire name, which clients see. Default: the item name.',
};
export const title: KeyShape = {
  types: ['string'],
  description: 'A name for users. Default: the item name.',
};
export const hidden: KeyShape = {
  types: ['boolean'],
  description: '`true`: [lists omit](servers.md#hidden-items) the item. Clients can still use it by name.',
};
export const visible: KeyShape = {
  types: ['boolean'],
  description: 'The opposite of `hidden`. If both are present, `hidden` wins.',
};
export const category: KeyShape = {
  types: ['string'],
  description: 'A [word that groups items](toolkits.md#categories), sent as `_meta.category`. `null`: none.',
  nullable: true,
};
export const icons: KeyShape = {
  types: ['list'],
  description: '[Icons](tools.md#icons) that clients can show.',
  typescript: 'readonly Icon[]',
  shape: iconShape,
};
export const meta: KeyShape = { types: ['object'], description: 'Additional fields of `_meta`.' };
export const requires: KeyShape = {
  types: ['string-list', 'object'],
  description:
    '[Requirements](tools.md#declare-requirements): a list of client capabilities, or an object. ' +
    'If a required one is missing, AgentTools reports it and does not run the item.',
  typescript: 'Requires',
  shape: {
    client: {
      types: ['strings'],
      description: 'Capabilities of the client.',
      typescript: 'readonly Capability[]',
    },
    env: {
      types: ['needs'],
      description: 'Environment variables. A nested list contains alternatives.',
      typescript: 'readonly RequirementInput[]',
    },
    bin: {
      types: ['needs'],
      description: 'Programs on the `PATH`. A nested list contains alternatives.',
      typescript: 'readonly RequirementInput[]',
    },
    tools: {
      types: ['strings'],
      description:
        'Tools of the same package that the item calls with `ctx.callTool`. A server without a tool of that name gets it, hidden.',
      typescript: 'string | readonly string[]',
    },
    level: {
      types: ['string'],
      description:
        '`"required"`: the item does not run without them. `"suggested"`: it can. Default: `"required"`.',
      values: ['required', 'suggested'],
    },
  },
};
export const annotations: KeyShape = {
  types: ['object'],
  description:
    'The annotations of MCP: `audience` (of `"user"` and `"assistant"`), `priority` (0 to 1) and ' +
    '`lastModified` (ISO 8601).',
  typescript: 'Annotations',
};

const cacheShape: DefinitionShape = {
  ttlMs: { types: ['count'], description: 'The time in milliseconds. Default: 0, no reuse.' },
  scope: {
    types: ['string'],
    description: '`"public"`: users can share a copy. `"private"`: one copy per user. Default: `"private"`.',
    values: ['public', 'private'],
  },
};

/** Reuse of responses, for one kind of response. */
export const cacheOf = (response: string): KeyShape => ({
  types: ['object'],
  description:
    `[How long clients can reuse](resources.md#cache) ${response}. ` +
    'AgentTools sends it to clients of revision 2026-07-28.',
  typescript: 'CacheDefinition',
  unseen: true,
  shape: cacheShape,
});
