import type { DefinitionShape } from '../key-shape.js';
import { category, hidden, icons, meta, requires, title, visible } from './common-keys.js';
import { toolUpstreamShape } from './endpoint-keys.js';

const hintShape: DefinitionShape = {
  title: { types: ['string'], description: 'Older key of the `title`.' },
  readOnlyHint: { types: ['boolean'], description: '`true`: a call changes nothing.' },
  destructiveHint: { types: ['boolean'], description: '`true`: a call can destroy something.' },
  idempotentHint: {
    types: ['boolean'],
    description: '`true`: the same call again has no additional effect.',
  },
  openWorldHint: { types: ['boolean'], description: '`true`: a call interacts with external systems.' },
};

const uiShape: DefinitionShape = {
  app: {
    types: ['string'],
    description:
      'The app: a name of this package, or a qualified name such as `@acme/weather/forecast-viewer`. ' +
      'Default: no app.',
  },
  visibility: {
    types: ['string-list'],
    description: 'The callers of the tool. Default: `["model", "app"]`.',
    values: ['model', 'app'],
  },
  when: {
    types: ['callable'],
    description:
      '`when(ctx)` runs at each list of tools and returns whether the tool has its app. If it returns a ' +
      'falsy value, throws or takes longer than one second, the tool works without the app.',
    typescript: '(ctx: Context): Awaitable<boolean>',
  },
};

/** Keys of a tool. */
export const toolShape: DefinitionShape = {
  handler: {
    types: ['callable'],
    description:
      '`handler(args, ctx)` runs the tool: a [module reference](extension-format.md#module-references), or in ' +
      'code a function. Required, unless there is an `upstream`.',
    typescript: '(args: ToolArguments<I>, ctx: Context): Awaitable<ToolOutput<O>>',
    unseen: true,
  },
  upstream: {
    types: ['object', 'callable'],
    description:
      'Replaces `handler`: the tool of an [existing server](upstream.md#include-one-tool) that answers the ' +
      'call.',
    typescript: 'UpstreamToolSource | ResolveEndpoint | string',
    shape: toolUpstreamShape,
  },
  name: {
    types: ['string'],
    description:
      'The wire name, which clients see: at most 128 of `A-Z a-z 0-9 _ . -`. Default: the item name.',
  },
  title,
  description: {
    types: ['string'],
    description: 'The purpose of the tool and when to use it. The model reads this text to choose a tool.',
  },
  input: {
    types: ['schema'],
    description:
      'The [schema](schemas.md) of the arguments: a field spec, JSON Schema, JSON text or Standard Schema. ' +
      'If omitted, it can be [derived from types](derive.md).',
    typescript: 'I',
  },
  output: {
    types: ['schema'],
    description:
      'The [schema](schemas.md#output-schemas) of the structured result, in the same forms as `input`.',
    typescript: 'O',
  },
  inputSchema: {
    types: ['raw-schema'],
    description: 'The arguments as plain JSON Schema, an object or its text. Overrides `input`.',
  },
  outputSchema: {
    types: ['raw-schema'],
    description: 'The structured result as plain JSON Schema, an object or its text. Overrides `output`.',
  },
  initialize: {
    types: ['callable'],
    description:
      '`initialize(ctx)` [runs once](tools.md#prepare-before-the-first-call), before the first call.',
    typescript: '(ctx: Context): unknown',
    unseen: true,
  },
  options: {
    types: ['object'],
    description: '[Options](tools.md#options) that the user can set, with their defaults.',
    unseen: true,
  },
  annotations: { types: ['object'], description: '[Hints](tools.md#hints) for clients.', shape: hintShape },
  category,
  meta,
  ui: {
    types: ['string', 'object'],
    description:
      'The [UI app](tools.md#show-results-in-an-app) that shows the results: its name, or an object with more ' +
      'settings. `null`: no app.',
    typescript: 'string | UiDefinition',
    shape: uiShape,
    nullable: true,
  },
  icons,
  hidden,
  visible,
  timeoutMs: {
    types: ['positive-number'],
    description:
      'The timeout of one call in milliseconds. Default: 60000, or one hour with `task`. The timeout pauses ' +
      'while the tool [waits for the user](interaction.md#time-limits-of-questions).',
    unseen: true,
  },
  onOutputMismatch: {
    types: ['string'],
    description:
      'The reaction to a result that does not match the output schema: `"error"` or `"warn"`. Default: ' +
      '`"error"`.',
    values: ['error', 'warn'],
    unseen: true,
  },
  confirm: {
    types: ['string'],
    description:
      '`"user"`: before each call, the client [asks its user](interaction.md#demand-a-confirmation). Clients that cannot ask ' +
      'cannot call the tool.',
    values: ['user'],
    unseen: true,
  },
  requires,
  task: {
    types: ['string'],
    description:
      '`"optional"`: clients that support [tasks](tasks.md) get a task, others wait. `"required"`: only ' +
      'clients that support tasks can call the tool.',
    values: ['optional', 'required'],
  },
  taskBegins: {
    types: ['string'],
    description:
      'The start of the [task](tasks.md#ask-before-the-task-starts): `"call"`, or `"handler"` if the handler ' +
      'calls `ctx.beginTask()`. Default: `"call"`.',
    values: ['call', 'handler'],
    unseen: true,
  },
};
