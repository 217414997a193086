/** The five kinds of item, by their manifest key; also the names of the definition folders. */
export const kinds = ['servers', 'tools', 'prompts', 'resources', 'apps'] as const;

export type Kind = (typeof kinds)[number];

/** What one item of a kind is called in messages and in `--json` output. */
export const singular = {
  servers: 'server',
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  apps: 'app',
} as const satisfies Record<Kind, string>;

export type ItemKind = (typeof singular)[Kind];
