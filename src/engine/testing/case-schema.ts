type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string' } as const;
const name = { type: 'string', minLength: 1 } as const;
const pattern = (description: string) => ({ type: 'string', format: 'regex', description });

/** An object without other keys. */
function object(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties, additionalProperties: false, ...more };
}

const question = pattern('Regular expression that the question must match. Default: any question.');

const elicitAnswer = object({
  question,
  accept: { type: 'object', description: 'The user accepts with these values.' },
  decline: { const: true, description: 'The user declines.' },
  cancel: { const: true, description: 'The user closes the question.' },
});

const sampleAnswer = object(
  {
    question,
    answer: {
      type: ['string', 'object'],
      description: 'Text of the model, or the whole result of sampling/createMessage.',
    },
  },
  { required: ['answer'] },
);

const notification = object({
  progress: {
    type: 'object',
    description: 'Progress with these members: progress, total, message.',
  },
  log: {
    ...object({
      level: { enum: ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] },
      data: { description: 'Part of the data, as in contains.' },
      pattern: pattern('Regular expression that the data must match, as text or JSON.'),
    }),
    description: 'A log message.',
  },
  changed: {
    enum: ['tools', 'prompts', 'resources'],
    description: 'The list of this kind changed. May come after the result.',
  },
});

const expectation = object({
  value: {
    description:
      'Exact value of the answer: structuredContent of a tool, or its content without it; messages of a prompt; contents of a resource; values of a completion; items of a list.',
  },
  contains: {
    description:
      'Part of the same value: objects may have more members, and each element of an array must match an element, in order.',
  },
  schema: { type: ['object', 'boolean'], description: 'JSON Schema of the same value.' },
  text: { ...text, description: 'Exact text of the answer: its text blocks, joined by line breaks.' },
  pattern: pattern('Regular expression that the text of the answer must match.'),
  snapshot: {
    const: true,
    description:
      'The whole result equals the one in the snapshot file beside this file. Write it with: agenttools test --update',
  },
  error: {
    description:
      'The answer is an error: true for any, or a regular expression for its text. An object with a code: a JSON-RPC error.',
    type: ['boolean', 'string', 'object'],
    format: 'regex',
    properties: {
      code: { type: 'integer', description: 'Number of the JSON-RPC error.' },
      pattern: pattern('Regular expression that its message must match.'),
    },
    additionalProperties: false,
  },
  notifications: {
    type: 'array',
    items: notification,
    description: 'Notifications of the server in this order. Others may come between them.',
  },
});

const caseProperties = {
  name: { ...name, description: 'Name of the case. Default: the name of the file.' },
  server: {
    ...name,
    description: 'Name of the server. Default: the first server of the package that has the item.',
  },
  tool: { ...name, description: 'Name of the tool to call.' },
  prompt: { ...name, description: 'Name of the prompt to get.' },
  resource: { ...name, description: 'URI of the resource to read.' },
  list: {
    enum: ['tools', 'prompts', 'resources', 'resourceTemplates'],
    description: 'List to request.',
  },
  complete: {
    ...object(
      {
        prompt: { ...name, description: 'Name of the prompt.' },
        resource: { ...name, description: 'URI template of the resource.' },
        argument: { ...name, description: 'Name of the argument or variable.' },
        value: { ...text, description: 'Text that the user has typed. Default: empty.' },
        arguments: {
          type: 'object',
          additionalProperties: text,
          description: 'Arguments that are already filled in.',
        },
      },
      { required: ['argument'] },
    ),
    description: 'Argument of a prompt or of a resource template to complete.',
  },
  arguments: { type: 'object', description: 'Arguments of the tool or prompt.' },
  expect: { ...expectation, description: 'Expectations. Default: the answer is no error.' },
  elicit: {
    type: 'array',
    items: elicitAnswer,
    description: 'Answers of the user, in the order of the questions. All must be asked.',
  },
  sample: {
    type: 'array',
    items: sampleAnswer,
    description: 'Answers of the model, in the order of the requests. All must be requested.',
  },
  roots: {
    type: 'array',
    items: {
      type: ['string', 'object'],
      properties: { uri: name, name: text },
      required: ['uri'],
      additionalProperties: false,
    },
    description: 'Folders of the client: file: URIs, or objects with uri and name.',
  },
  client: {
    type: ['string', 'object'],
    properties: {
      name: { ...name, description: 'Name that the client sends, or the id of a client app.' },
      version: name,
      capabilities: { type: 'object', description: 'Capabilities in addition to those with answers here.' },
    },
    additionalProperties: false,
    description:
      'The client: its name, or the id of a client app such as cursor, whose limits the server then adapts to.',
  },
  era: {
    enum: ['legacy', 'modern', 'both'],
    description:
      'Protocol of the client: legacy is 2025-11-25, modern is 2026-07-28. Default: all that the server speaks.',
  },
  env: {
    type: 'object',
    additionalProperties: text,
    description: 'Variables of the environment of the server.',
  },
  options: { type: 'object', description: 'Options of the tool, over the defaults of its definition.' },
  timeoutMs: {
    type: 'integer',
    minimum: 1,
    description: 'Longest wait for one answer, in milliseconds. Default: 10000.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** JSON Schema of a case file: one case, or several in `cases` with the other keys as their defaults. */
export const caseSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Test cases of an AgentTools extension',
  ...object({
    $schema: text,
    ...caseProperties,
    cases: {
      type: 'array',
      items: object(
        Object.fromEntries(Object.keys(caseProperties).map((key) => [key, { $ref: `#/properties/${key}` }])),
      ),
      description: 'Several cases. The other keys of the file are defaults for each of them.',
    },
  }),
};

/** Items that a case can ask for. Each case has one of these keys. */
export const caseItems = ['tool', 'prompt', 'resource', 'list', 'complete'] as const;
