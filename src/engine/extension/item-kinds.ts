/** The five kinds of item, by manifest key; also the names of the definition folders. */
export const kinds = ['servers', 'tools', 'prompts', 'resources', 'apps'] as const;

export type Kind = (typeof kinds)[number];

/** Singular of each kind, for messages and `--json` output. */
export const singular = {
  servers: 'server',
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  apps: 'app',
} as const satisfies Record<Kind, string>;

export type ItemKind = (typeof singular)[Kind];
