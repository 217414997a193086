/**
 * The ten tools that every contestant serves, in the shorthand of AgentTools; `jsonSchemaOf` and `zodOf` say the same
 * in the others' words. `raw` ones are handed to AgentTools as JSON Schema, as an author who has one would.
 * `call` is a sample whose answer the shared handler tells.
 */
export const tools = [
  {
    name: 'searchIssues',
    title: 'Search issues',
    description: 'Finds issues by text, newest first. Closed ones are left out unless asked for.',
    input: {
      query: { type: 'string', required: true, minLength: 1, description: 'Words to look for' },
      state: {
        type: 'enum',
        values: ['open', 'closed', 'all'],
        default: 'open',
        description: 'Which issues',
      },
      labels: { type: 'string[]', description: 'Labels that an issue must have, all of them' },
      limit: { type: 'integer', min: 1, max: 100, default: 20, description: 'How many at most' },
    },
    call: { query: 'memory leak', state: 'all', labels: ['bug', 'server'], limit: 5 },
  },
  {
    name: 'getIssue',
    title: 'Get an issue',
    description: 'Gives one issue with its text, its labels and who works on it.',
    input: {
      project: { type: 'string', required: true, description: 'Key of the project, such as CORE' },
      number: { type: 'integer', required: true, min: 1, description: 'Number of the issue' },
      comments: { type: 'boolean', default: false, description: 'Whether its comments come along' },
    },
    call: { project: 'CORE', number: 42, comments: true },
  },
  {
    name: 'createIssue',
    title: 'Create an issue',
    description: 'Opens a new issue in a project and gives its number.',
    input: {
      project: { type: 'string', required: true, description: 'Key of the project, such as CORE' },
      title: { type: 'string', required: true, minLength: 3, maxLength: 200, description: 'One line' },
      body: { type: 'string', description: 'The text, in Markdown' },
      priority: { type: 'enum', values: ['low', 'normal', 'high', 'urgent'], default: 'normal' },
      labels: { type: 'string[]', description: 'Labels to begin with' },
      assignee: { type: 'string', description: 'User name of who is to work on it' },
    },
    call: {
      project: 'CORE',
      title: 'It leaks',
      body: 'See **log**.',
      priority: 'high',
      labels: ['bug'],
      assignee: 'ada',
    },
  },
  {
    name: 'updateIssue',
    title: 'Update an issue',
    description:
      'Changes the state, the priority or the assignee of an issue. What is not named stays as it is.',
    raw: true,
    input: {
      project: { type: 'string', required: true, description: 'Key of the project, such as CORE' },
      number: { type: 'integer', required: true, min: 1, description: 'Number of the issue' },
      state: { type: 'enum', values: ['open', 'closed'], description: 'The new state' },
      priority: {
        type: 'enum',
        values: ['low', 'normal', 'high', 'urgent'],
        description: 'The new priority',
      },
      assignee: { type: 'string', description: 'User name of who is to work on it' },
    },
    call: { project: 'CORE', number: 42, state: 'closed', priority: 'low', assignee: 'ada' },
  },
  {
    name: 'addComment',
    title: 'Comment on an issue',
    description: 'Adds a comment to an issue in the name of the user.',
    input: {
      project: { type: 'string', required: true, description: 'Key of the project, such as CORE' },
      number: { type: 'integer', required: true, min: 1, description: 'Number of the issue' },
      text: { type: 'string', required: true, minLength: 1, description: 'The comment, in Markdown' },
    },
    call: { project: 'CORE', number: 42, text: 'Seen on *two* machines.' },
  },
  {
    name: 'listProjects',
    title: 'List projects',
    description: 'Lists the projects that the user can see.',
    input: {
      archived: { type: 'boolean', default: false, description: 'Whether archived ones are listed too' },
      limit: { type: 'integer', min: 1, max: 100, default: 50, description: 'How many at most' },
    },
    call: { archived: true, limit: 10 },
  },
  {
    name: 'logTime',
    title: 'Log time',
    description: 'Notes time that was spent on an issue.',
    raw: true,
    input: {
      project: { type: 'string', required: true, description: 'Key of the project, such as CORE' },
      number: { type: 'integer', required: true, min: 1, description: 'Number of the issue' },
      hours: { type: 'number', required: true, min: 0, max: 24, description: 'Hours, with fractions' },
      note: { type: 'string', maxLength: 500, description: 'What was done' },
    },
    call: { project: 'CORE', number: 42, hours: 1.5, note: 'Found it' },
  },
  {
    name: 'estimateCost',
    title: 'Estimate cost',
    description: 'Multiplies hours by a rate and names the currency.',
    input: {
      hours: { type: 'number', required: true, min: 0, description: 'Hours of work' },
      rate: { type: 'number', required: true, min: 0, description: 'Price of one hour' },
      currency: {
        type: 'enum',
        values: ['EUR', 'USD', 'GBP'],
        default: 'EUR',
        description: 'Currency of the rate',
      },
    },
    call: { hours: 12.5, rate: 80, currency: 'USD' },
  },
  {
    name: 'planSprint',
    title: 'Plan a sprint',
    description: 'Puts issues into a sprint, in the order given, until its capacity is used up.',
    raw: true,
    input: {
      name: { type: 'string', required: true, minLength: 1, description: 'Name of the sprint' },
      issues: { type: 'string[]', required: true, description: 'Issues, such as CORE-42' },
      capacity: { type: 'number', min: 0, default: 40, description: 'Hours there are' },
    },
    call: { name: 'Week 7', issues: ['CORE-42', 'CORE-43', 'WEB-1'], capacity: 60 },
  },
  {
    name: 'summarize',
    title: 'Summarize a project',
    description: 'Counts the issues of a project by state or priority over the last days.',
    input: {
      project: { type: 'string', required: true, description: 'Key of the project, such as CORE' },
      by: {
        type: 'enum',
        values: ['state', 'priority', 'assignee'],
        default: 'state',
        description: 'What to count by',
      },
      days: { type: 'integer', min: 1, max: 365, default: 30, description: 'How far back' },
    },
    call: { project: 'CORE', by: 'priority', days: 7 },
  },
];

/** The tool whose calls are counted per second. */
export const countedTool = tools.find(({ name }) => name === 'estimateCost');

/** A tool's input as JSON Schema. */
export function jsonSchemaOf({ input }) {
  const fields = Object.entries(input);
  const required = fields.filter(([, { required }]) => required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, propertyOf(field)])),
    ...(required.length > 0 && { required }),
  };
}

function propertyOf({ type, values, description, min, max, minLength, maxLength, default: preset }) {
  const types = {
    enum: { type: 'string', enum: values },
    'string[]': { type: 'array', items: { type: 'string' } },
  };
  return {
    ...(types[type] ?? { type }),
    ...(description !== undefined && { description }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(preset !== undefined && { default: preset }),
  };
}

/** A tool's input as the zod source that an author would write. */
export function zodOf({ input }) {
  const fields = Object.entries(input).map(([name, field]) => `  ${name}: ${zodField(field)},`);
  return `z.object({\n${fields.join('\n')}\n})`;
}

function zodField({ type, values, required, description, min, max, minLength, maxLength, default: preset }) {
  const types = {
    string: 'z.string()',
    integer: 'z.int()',
    number: 'z.number()',
    boolean: 'z.boolean()',
    enum: `z.enum(${JSON.stringify(values)})`,
    'string[]': 'z.array(z.string())',
  };
  const calls = [
    [min ?? minLength, 'min'],
    [max ?? maxLength, 'max'],
    [preset, 'default'],
  ];
  const chain = calls.filter(([value]) => value !== undefined);
  const source = types[type] + chain.map(([value, call]) => `.${call}(${JSON.stringify(value)})`).join('');
  const optional = required || preset !== undefined ? '' : '.optional()';
  return `${source}${optional}${description === undefined ? '' : `.describe(${JSON.stringify(description)})`}`;
}
