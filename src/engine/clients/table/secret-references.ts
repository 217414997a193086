import type { WritableClient } from '../client.js';

type WriteSecretReference = NonNullable<WritableClient['secretReference']>;

/** The client replaces the reference that `spell` writes with a variable from its environment. */
export function fromEnvironment(spell: (name: string) => string): WriteSecretReference {
  return (name, _, client) => ({ value: spell(name), hint: takenFromEnvironment(name, client) });
}

/** `${NAME}` */
export const braceReference: WriteSecretReference = fromEnvironment((name) => `\${${name}}`);

/** `${env:NAME}` */
export const envBraceReference: WriteSecretReference = fromEnvironment((name) => `\${env:${name}}`);

/** `{env:NAME}` */
export const envInBraces: WriteSecretReference = fromEnvironment((name) => `{env:${name}}`);

/** The entry lists the names of variables that the client passes on from its environment. */
export function passEnvironment(field: string): WriteSecretReference {
  return (name, _, client) => ({ fields: { [field]: [name] }, hint: takenFromEnvironment(name, client) });
}

/**
 * The client asks for the value and stores it. The id takes letters, digits and underscores. It belongs to
 * one entry, so that it can be removed with the entry.
 * @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration, "Input variables for sensitive
 * data"
 */
export const askUser: WriteSecretReference = (name, key, client) => {
  const id = `${key}_${name}`.replace(/\W/g, '_');
  const item = { id, type: 'promptString', description: `${name} for ${key}`, password: true };
  return {
    value: `\${input:${id}}`,
    additions: [{ list: ['inputs'], item }],
    hint: `${client} asks for it when it first starts the server.`,
  };
};

/** The entry lists variables that Goose passes on from its environment or its own store of secrets. */
export const gooseKeys: WriteSecretReference = (name) => ({
  fields: { env_keys: [name] },
  hint: `Set ${name} in the environment that Goose starts from, or keep it in Goose's own secrets with goose configure.`,
});

/** Goose fills references to the variables that the entry lists. */
export const filledGooseKeys: WriteSecretReference = (...secret) => ({
  ...gooseKeys(...secret),
  value: `\${${secret[0]}}`,
});

/** `${{ secrets.NAME }}` of Continue */
export const continueSecret: WriteSecretReference = (name) => ({
  value: `\${{ secrets.${name} }}`,
  hint: `Set ${name} in the environment that Continue starts from, or in .continue/.env.`,
});

function takenFromEnvironment(name: string, client: string): string {
  return `Set ${name} in the environment that ${client} starts from.`;
}
