type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text } as const;
const textMap = { type: 'object', additionalProperties: { type: 'string' } } as const;

const clients: JsonSchema = {
  ...texts,
  description: 'Client ids, or "all": every client found on the machine.',
};

const serverProperties = {
  server: {
    ...text,
    description: 'Reference of the server, as install takes it. Paths are relative to the file.',
  },
  command: { ...texts, minItems: 1, description: 'Command of the server, in place of a reference.' },
  clients: { ...clients, description: 'Clients for this server. Default: the clients of the set.' },
  env: {
    ...textMap,
    description: `Variables. \${NAME}, \${env:NAME} or $NAME is the value of a secret, secret:NAME a stored one.`,
  },
  args: { ...texts, description: 'The words of --arg.' },
  headers: { ...textMap, description: 'Headers of a remote server.' },
  transport: { enum: ['http', 'sse'], description: 'Transport of a remote server.' },
  toolOptions: { ...texts, description: 'The words of --tool-option: tool.option=value.' },
  only: { ...texts, description: 'Tools to serve.' },
  except: { ...texts, description: 'Tools to omit.' },
  prefix: { ...text, description: 'Prefix of tool names.' },
  rename: { ...textMap, description: 'New names of tools, by their names on the server.' },
  catalog: { type: 'boolean', description: 'Lists three tools that find, describe and call the others.' },
  apps: { type: 'boolean', description: 'Lets the server show UI apps. Default: true.' },
  cwd: { ...text, description: 'Working directory of the server, relative to the file.' },
  run: { enum: ['node', 'npx'], description: 'The value of --command. Default: node.' },
  dev: { type: 'boolean', description: 'The same as --dev.' },
  frozen: { type: 'boolean', description: 'The same as --frozen.' },
  adapt: { enum: ['auto', 'on', 'off'], description: 'The value of --adapt.' },
  sandbox: { ...texts, description: 'Options of start for the sandbox, such as --sandbox.' },
  allowScripts: { ...texts, description: 'npm packages that may run their install scripts.' },
  allowFindings: { ...texts, description: 'Codes of findings to allow.' },
  requireProvenance: { type: 'boolean', description: 'Refuses a package without a verified provenance.' },
  sha256: { ...text, description: 'SHA-256 of a bundle.' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** JSON Schema of `agenttools.json`, a set of servers. */
export const setSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Server set for agenttools sync',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    scope: {
      enum: ['user', 'project'],
      description:
        "Config files to write: the user's, or the project's, which is the folder of the set. Default: project in a project, user in the data folder.",
    },
    clients,
    servers: {
      type: 'object',
      description: 'Servers by the keys of their entries.',
      additionalProperties: {
        type: 'object',
        properties: serverProperties,
        additionalProperties: false,
        oneOf: [{ required: ['server'] }, { required: ['command'] }],
      },
    },
  },
  required: ['servers'],
  additionalProperties: false,
};
