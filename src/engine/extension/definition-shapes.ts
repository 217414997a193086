import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import type { Kind } from './item-kinds.js';
import type { DefinitionShape, KeyShape, ValueType } from './key-shape.js';
import { itemChoiceShape, placeShape, toolUpstreamShape } from './upstream-shape.js';

const iconShape: DefinitionShape = {
  src: { types: ['string'], description: 'An https: or data: URL.', required: true },
  mimeType: { types: ['string'], description: 'image/png, image/jpeg, image/svg+xml or image/webp.' },
  sizes: { types: ['string-list'], description: 'Sizes such as "48x48", or "any".' },
  theme: { types: ['string'], description: 'The theme it is drawn for.', values: ['light', 'dark'] },
};

const title: KeyShape = { types: ['string'], description: 'Name for people. Default: the item name.' };
const icons: KeyShape = { types: ['list'], description: 'Icons a client may show.', shape: iconShape };
const meta: KeyShape = { types: ['object'], description: 'Sent as `_meta`.' };
const category: KeyShape = { types: ['string'], description: 'Sent as `_meta.category`.', nullable: true };
const hiddenShape: KeyShape = { types: ['boolean'], description: 'Hidden from lists; still usable by name.' };
const visible: KeyShape = { types: ['boolean'], description: 'The opposite of `hidden`, which wins.' };
const cache: KeyShape = {
  types: ['object'],
  description: 'How long clients may reuse what was listed or read.',
  shape: {
    ttlMs: { types: ['count'], description: 'Milliseconds.' },
    scope: {
      types: ['string'],
      description: 'public: users may share a copy. private: one copy per user.',
      values: ['public', 'private'],
    },
  },
};
const requires: KeyShape = {
  types: ['string-list', 'object'],
  description: 'Requirements: client capabilities, or { client, env, bin, level }.',
  shape: {
    client: { types: ['strings'], description: 'Client capabilities.' },
    env: { types: ['needs'], description: 'Environment variables. A nested list contains alternatives.' },
    bin: { types: ['needs'], description: 'Programs on the PATH. A nested list contains alternatives.' },
    level: {
      types: ['string'],
      description: 'required: unusable without them. suggested: can work without them. Default: required.',
      values: ['required', 'suggested'],
    },
  },
};
const annotationsOfContent: KeyShape = {
  types: ['object'],
  description: 'MCP annotations: audience, priority, lastModified.',
};

const uiShape: DefinitionShape = {
  app: { types: ['string'], description: 'The app that shows its results: a name, or a qualified name.' },
  visibility: {
    types: ['string-list'],
    description: 'Allowed callers. Default: both.',
    values: ['model', 'app'],
  },
  when: { types: ['callable'], description: 'when(ctx): true to show the app. Called for each tools/list.' },
};

const toolShape: DefinitionShape = {
  name: { types: ['string'], description: 'Name that clients see. Default: the item name.' },
  title,
  description: { types: ['string'], description: 'Purpose and use of the tool, for the model.' },
  input: {
    types: ['schema'],
    description: 'Arguments: a field spec, JSON Schema, JSON text or Standard Schema.',
  },
  output: { types: ['schema'], description: 'Structured result, in the same forms.' },
  inputSchema: { types: ['raw-schema'], description: 'Arguments as JSON Schema; wins over `input`.' },
  outputSchema: { types: ['raw-schema'], description: 'Result as JSON Schema; wins over `output`.' },
  handler: { types: ['callable'], description: 'handler(args, ctx): runs the tool.' },
  upstream: {
    types: ['object', 'callable'],
    description: 'In place of `handler`: the tool of an existing MCP server that answers.',
    shape: toolUpstreamShape,
  },
  initialize: { types: ['callable'], description: 'initialize(ctx): run once, before the first call.' },
  options: { types: ['object'], description: 'Options the user may set, with their defaults.' },
  category,
  hidden: hiddenShape,
  visible,
  annotations: {
    types: ['object'],
    description: 'Hints for clients.',
    shape: {
      title: { types: ['string'], description: 'Older key of the title.' },
      readOnlyHint: { types: ['boolean'], description: 'Changes nothing.' },
      destructiveHint: { types: ['boolean'], description: 'May destroy something.' },
      idempotentHint: { types: ['boolean'], description: 'Calling it twice is like calling it once.' },
      openWorldHint: { types: ['boolean'], description: 'Interacts with external systems.' },
    },
  },
  icons,
  meta,
  ui: {
    types: ['string', 'object'],
    description: 'The UI app that shows its results: its name, or { app, visibility, when }; null for none.',
    shape: uiShape,
    nullable: true,
  },
  timeoutMs: {
    types: ['positive-number'],
    description: 'Longest run of one call. Default: 60000, an hour with `task`.',
  },
  requires,
  task: {
    types: ['string'],
    description:
      'optional: clients with task support need not wait. required: only such clients can call it.',
    values: ['optional', 'required'],
  },
  taskBegins: {
    types: ['string'],
    description: 'Start of the task: with the call, or with ctx.beginTask() in the handler. Default: call.',
    values: ['call', 'handler'],
  },
  onOutputMismatch: {
    types: ['string'],
    description: 'Treatment of a result that does not match `output`.',
    values: ['error', 'warn'],
  },
};

const promptShape: DefinitionShape = {
  name: { types: ['string'], description: 'Name that clients see. Default: the item name.' },
  title,
  description: { types: ['string'], description: 'Purpose of the prompt.' },
  arguments: {
    types: ['list'],
    description: 'Values that the user enters.',
    shape: {
      name: { types: ['string'], description: 'Its name in templates and functions.', required: true },
      title: { types: ['string'], description: 'Name for people.' },
      description: { types: ['string'], description: 'Meaning of the value, for the user.' },
      required: { types: ['boolean'], description: 'True if the user must enter it. Default: false.' },
      complete: {
        types: ['callable', 'string-list'],
        description: 'Suggestions: a list, or complete(value, ctx).',
      },
    },
  },
  type: { types: ['string'], description: 'How to read `content`.', values: ['text', 'function', 'auto'] },
  content: { types: ['any'], description: 'Text, { "template": … }, or content(args, ctx).' },
  messages: {
    types: ['list'],
    description: 'Several messages with roles, instead of `content`.',
    shape: {
      role: {
        types: ['string'],
        description: 'Sender of the message.',
        required: true,
        values: ['user', 'assistant'],
      },
      content: { types: ['any'], description: 'Text, { "template": … } or a content block.', required: true },
    },
  },
  hidden: hiddenShape,
  visible,
  category,
  icons,
  meta,
  timeoutMs: { types: ['positive-number'], description: 'Longest run of `content`. Default: 60000.' },
  requires,
};

const resourceShape: DefinitionShape = {
  uri: { types: ['string'], description: 'Its URI.' },
  uriTemplate: { types: ['string'], description: 'RFC 6570 template, for many resources of one kind.' },
  name: { types: ['string'], description: 'Name that clients see. Default: the item name.' },
  title,
  description: { types: ['string'], description: 'Content of the resource.' },
  mimeType: { types: ['string'], description: 'Default: derived from the file name.' },
  text: { types: ['string'], description: 'The content itself.' },
  file: { types: ['string'], description: 'A file of the package.' },
  read: { types: ['callable'], description: 'read(uri, variables, ctx): the content.' },
  list: { types: ['callable'], description: 'list(ctx): the resources of a template.' },
  complete: {
    types: ['object'],
    description: 'Variable name to suggestions: a list, or complete(value, ctx).',
  },
  annotations: annotationsOfContent,
  size: { types: ['count'], description: 'Bytes, when known.' },
  subscribable: { types: ['boolean'], description: 'Clients may subscribe to its changes.' },
  hidden: hiddenShape,
  visible,
  category,
  icons,
  meta,
  cache,
  timeoutMs: { types: ['positive-number'], description: 'Longest run of `read`. Default: 60000.' },
};

const listShape: DefinitionShape = {
  tools: { types: ['callable'], description: 'tools(ctx, registry): the result of tools/list.' },
  prompts: { types: ['callable'], description: 'prompts(ctx, registry): the result of prompts/list.' },
  resources: {
    types: ['callable'],
    description: 'resources(ctx, registry): the result of the lists of resources and templates.',
  },
};

const serverShape: DefinitionShape = {
  name: { types: ['string'], description: 'Sent as serverInfo.name. Default: the qualified name.' },
  title: { types: ['string'], description: 'Name for people.' },
  description: { types: ['string'], description: 'Purpose of the server.' },
  instructions: {
    types: ['strings'],
    description: 'How to use it, for the model; lists are joined by blank lines.',
  },
  version: { types: ['string'], description: 'Default: the package version.' },
  configKey: { types: ['string'], description: 'Its key in client configs. Default: the item name.' },
  initialize: { types: ['callable'], description: 'initialize(ctx): run once, before the first use.' },
  tools: { types: ['list', 'string'], description: 'Names, { "use": name, … }, definitions, or "*".' },
  prompts: { types: ['list', 'string'], description: 'Names, { "use": name, … }, definitions, or "*".' },
  resources: { types: ['list', 'string'], description: 'Names, { "use": name, … }, definitions, or "*".' },
  apps: { types: ['list', 'string'], description: 'Names of UI apps, or "*".' },
  skills: {
    types: ['string-list', 'string'],
    description: 'Names of skills, or "*" for all of the package.',
  },
  toolList: {
    types: ['string'],
    description: 'Tools that clients see: all, or three that find, inspect and call the others.',
    values: ['all', 'catalog'],
  },
  list: {
    types: ['object'],
    description: 'Hooks that choose the list entries for a client: { tools, prompts, resources }.',
    shape: listShape,
  },
  icons,
  websiteUrl: { types: ['string'], description: 'Web page of the server.' },
  transport: { types: ['string'], description: 'Usual transport.', values: ['stdio', 'http'] },
  exposeErrors: {
    types: ['boolean'],
    description: 'Show unexpected exceptions to the model. For development.',
  },
  pageSize: { types: ['positive-number'], description: 'Entries per list page. Default: 500.' },
  cache,
  evaluator: {
    types: ['object'],
    description: 'Further model settings of a ported definition. Kept unchanged.',
  },
};

const appShape: DefinitionShape = {
  csp: {
    types: ['object'],
    description: 'Origins the app may reach, such as "https://api.example.com". Default: none.',
    shape: {
      connectDomains: { types: ['string-list'], description: 'For requests: fetch, XHR, WebSocket.' },
      resourceDomains: {
        types: ['string-list'],
        description: 'For images, scripts, styles, fonts and media; "https://*.example.com" will do.',
      },
      frameDomains: { types: ['string-list'], description: 'For frames inside the app.' },
      baseUriDomains: { types: ['string-list'], description: 'For the base address of the page.' },
    },
  },
  permissions: {
    types: ['object'],
    description: 'Requested browser permissions, each as {}. A host may refuse.',
    shape: {
      camera: { types: ['object'], description: 'The camera.' },
      microphone: { types: ['object'], description: 'The microphone.' },
      geolocation: { types: ['object'], description: 'The location of the user.' },
      clipboardWrite: { types: ['object'], description: 'Writing to the clipboard.' },
    },
  },
  domain: { types: ['string'], description: 'A stable origin for the app.' },
  prefersBorder: { types: ['boolean'], description: 'True if the host should draw a border.' },
};

/** Keys of a definition, by kind. Source of the published JSON Schemas. */
export const shapes = {
  tools: toolShape,
  prompts: promptShape,
  resources: resourceShape,
  servers: serverShape,
  apps: appShape,
} as const satisfies Record<Kind, DefinitionShape>;

/** Keys of a toolkit that apply to all its tools. */
const toolkitWide: DefinitionShape = {
  category: { ...category, description: '`_meta.category` of its tools without a category.' },
  hidden: {
    ...hiddenShape,
    description: 'Hides its tools from lists, except tools with `hidden` or `visible`.',
  },
  visible,
};

/** Keys of a toolkit: several tools in one file. */
export const toolkitShape: DefinitionShape = {
  ...toolkitWide,
  tools: { types: ['list'], description: 'Its tools.', required: true },
};

/**
 * Overrides for all tools of a toolkit in a server's list. `name` and `description` apply only to a toolkit
 * of one tool.
 */
export const toolkitOverrideShape: DefinitionShape = {
  toolkit: { types: ['string'], description: 'The toolkit: a name, or a qualified name.', required: true },
  category: {
    ...category,
    description: '`_meta.category` of all its tools; wins over theirs. null: no category.',
  },
  hidden: { ...hiddenShape, description: 'Hides all its tools from lists, or shows all; wins over theirs.' },
  visible,
  name: toolShape.name!,
  description: toolShape.description!,
};

/** Entry of a server's list for the items of an existing MCP server. */
export const upstreamEntryShape: DefinitionShape = {
  upstream: {
    types: ['object', 'callable'],
    description: 'The existing MCP server with the items.',
    required: true,
    shape: placeShape,
  },
  prefix: { types: ['string'], description: 'Prefix of each name, except names from `rename`.' },
  only: {
    types: ['string-list'],
    description: 'Included tools, by their upstream names. Default: all.',
  },
  except: { types: ['string-list'], description: 'Excluded tools, by their upstream names.' },
  rename: { types: ['texts'], description: 'New tool names, by upstream name.' },
  prompts: {
    types: ['object', 'boolean'],
    description: 'Choice of its prompts; false for none. Default: all.',
    shape: itemChoiceShape,
  },
  resources: {
    types: ['object', 'boolean'],
    description: 'Choice of its resources, by name or URI; false for none. Default: all.',
    shape: itemChoiceShape,
  },
  apps: {
    types: ['object', 'boolean'],
    description: 'Choice of its UI apps, by name or `ui://` URI; false for none. Default: all.',
    shape: itemChoiceShape,
  },
  hidden: { ...hiddenShape, description: 'Hides its tools from lists; still usable by name.' },
  visible,
  category: { ...category, description: '`_meta.category` of its tools. null: no category.' },
  timeoutMs: { ...toolShape.timeoutMs!, description: 'Longest run of one request. Default: 60000.' },
  meta: { ...meta, description: 'Merged over the `_meta` of each tool.' },
};

const anyOverride: DefinitionShape = {
  use: { types: ['string'], description: 'The item, by name or qualified name.', required: true },
  name: toolShape.name!,
  title,
  description: toolShape.description!,
  category,
  hidden: hiddenShape,
  visible,
  icons,
  meta,
  timeoutMs: toolShape.timeoutMs!,
};

/** Overrides for one argument. */
const parameterShape: DefinitionShape = {
  name: { types: ['string'], description: 'Name that clients see.' },
  description: { types: ['string'], description: 'Meaning of the argument, for the model.' },
  enum: { types: ['list'], description: 'Subset of its values that clients may send.' },
  hidden: {
    types: ['boolean'],
    description: 'Clients neither see nor send it. The tool still gets its default.',
  },
  default: { types: ['any'], description: 'Value that the tool gets if the client sends none.' },
};

/** Overrides for an item in a server's list, by kind of list. */
export const overrideShapes = {
  tools: {
    ...anyOverride,
    annotations: toolShape.annotations!,
    ui: toolShape.ui!,
    options: toolShape.options!,
    arguments: { types: ['object'], description: 'Arguments fixed here and taken out of the schema.' },
    parameters: {
      types: ['object'],
      description: 'Changes to arguments, by their names in the tool.',
      each: parameterShape,
    },
  },
  prompts: {
    ...anyOverride,
    arguments: { types: ['object'], description: 'Arguments fixed here and taken out of the list.' },
  },
  resources: { ...anyOverride, annotations: annotationsOfContent },
  apps: anyOverride,
} as const satisfies Record<Exclude<Kind, 'servers'>, DefinitionShape>;

/** A key with a value that does not match its shape. */
export interface ShapeFault {
  readonly path: DocumentPath;
  readonly problem: 'missing' | 'type' | 'value' | 'unknown';
  /** The expected value, in words. */
  readonly expected: string;
  /** Known keys at this path, for a suggestion. */
  readonly known?: readonly string[];
}

/**
 * Compares a definition with its shape. Reports unknown keys as `unknown`. Allows all keys that begin with
 * `x-`.
 */
export function* checkShape(
  value: Readonly<Record<string, unknown>>,
  shape: DefinitionShape,
  at: DocumentPath = [],
): Generator<ShapeFault> {
  const known = Object.keys(shape);
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key) || key.startsWith('x-') || key === '$schema') continue;
    yield { path: [...at, key], problem: 'unknown', expected: known.join(', '), known };
  }
  for (const [key, field] of Object.entries(shape)) {
    const path = [...at, key];
    const held = Object.hasOwn(value, key) ? value[key] : undefined;
    if (held === undefined) {
      if (field.required) yield { path, problem: 'missing', expected: typeNames(field) };
      continue;
    }
    if (held === null && field.nullable) continue;
    if (!field.types.some((type) => typeCheckers[type](held))) {
      yield { path, problem: 'type', expected: typeNames(field) };
      continue;
    }
    if (field.values && !hasOnly(field.values, held)) {
      yield { path, problem: 'value', expected: field.values.map((one) => JSON.stringify(one)).join(', ') };
    }
    if (field.shape && (!Array.isArray(held) || field.types.includes('list')) && !isFunctionLike(held))
      yield* checkNested(held, field.shape, path);
    if (field.each && isRecord(held)) yield* checkEach(held, field.each, path);
  }
}

/**
 * True for an allowed string, or a non-empty list of allowed strings. Ignores values that are not strings.
 */
function hasOnly(values: readonly string[], held: unknown): boolean {
  const all = Array.isArray(held) ? held : [held];
  return all.length > 0 && all.every((one) => typeof one !== 'string' || values.includes(one));
}

function* checkNested(held: unknown, shape: DefinitionShape, at: DocumentPath): Generator<ShapeFault> {
  if (!Array.isArray(held)) {
    if (isRecord(held)) yield* checkShape(held, shape, at);
    return;
  }
  for (const [index, entry] of held.entries()) {
    if (isRecord(entry)) yield* checkShape(entry, shape, [...at, index]);
    else yield { path: [...at, index], problem: 'type', expected: 'an object' };
  }
}

function* checkEach(
  held: Readonly<Record<string, unknown>>,
  shape: DefinitionShape,
  at: DocumentPath,
): Generator<ShapeFault> {
  for (const [key, entry] of Object.entries(held)) {
    if (isRecord(entry)) yield* checkShape(entry, shape, [...at, key]);
    else yield { path: [...at, key], problem: 'type', expected: 'an object' };
  }
}

function typeNames(field: KeyShape): string {
  return field.types.map((type) => valueTypeWords[type]).join(' or ');
}

const valueTypeWords = {
  string: 'a string',
  boolean: 'true or false',
  'positive-number': 'a number above 0',
  count: 'a whole number, 0 or more',
  strings: 'a string or a list of strings',
  'string-list': 'a list of strings',
  texts: 'an object of strings',
  needs: 'a string, or a list of strings and of lists of strings of which one suffices',
  object: 'an object',
  list: 'a list',
  callable: 'a function or a module reference such as "./dist/file.js#name"',
  schema: 'a schema: a field spec, a JSON Schema object or text, or a Standard Schema',
  'raw-schema': 'a JSON Schema object or its text',
  any: 'a value',
} as const satisfies Record<ValueType, string>;

const typeCheckers = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'positive-number': (value) => typeof value === 'number' && value > 0 && Number.isFinite(value),
  strings: (value) => typeof value === 'string' || isStringList(value),
  'string-list': isStringList,
  texts: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
  needs: (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isNeed)),
  object: isPlainRecord,
  list: Array.isArray,
  callable: (value) => isFunctionLike(value) || typeof value === 'string',
  schema: (value) =>
    isRecord(value) || Array.isArray(value) || typeof value === 'string' || typeof value === 'function',
  'raw-schema': (value) => isPlainRecord(value) || typeof value === 'string',
  any: () => true,
} as const satisfies Record<ValueType, (value: unknown) => boolean>;

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

/** True for a name, or a non-empty list of alternative names. */
function isNeed(value: unknown): boolean {
  return typeof value === 'string' || (isStringList(value) && (value as readonly string[]).length > 0);
}

/** True for a record that does not represent a function. */
function isPlainRecord(value: unknown): boolean {
  return isRecord(value) && !isFunctionLike(value);
}

/** True for a function, or its plain-data description from another process. */
export function isFunctionLike(value: unknown): boolean {
  return typeof value === 'function' || (isRecord(value) && value['@@'] === 'function');
}
