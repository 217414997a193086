import { objectNames } from '../base/reserved-names.js';
import { overrideShapes, shapes } from './definition-shapes.js';
import { type Kind, kinds, singular } from './item-kinds.js';
import { type DefinitionShape, type KeyShape, type ValueType, withoutLinks } from './key-shape.js';
import { endpointShape, toolUpstreamShape } from './keys/endpoint-keys.js';
import { toolkitOverrideShape, toolkitShape, upstreamEntryShape } from './keys/entry-keys.js';

type JsonSchema = Readonly<Record<string, unknown>>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the JSON Schemas for editors, by file name: the manifest, package.json with it, and the data files
 * of each kind. They accept AgentTools' spellings only, and functions only as module references.
 */
export function publishedSchemas(): Readonly<Record<string, JsonSchema>> {
  const definitions = kinds.map((kind) => [`${singular[kind]}.schema.json`, definitionSchema(kind)]);
  const combined = kinds.flatMap((kind) =>
    kind === 'apps' ? [] : [[`${kind}.schema.json`, combinedSchema(kind)]],
  );
  return {
    'package.schema.json': packageSchema(),
    'manifest.schema.json': manifestSchema(),
    ...(Object.fromEntries([...definitions, ...combined]) as Record<string, JsonSchema>),
    'toolkit.schema.json': toolkitSchema(),
    'config.schema.json': configSchema(),
  };
}

/** Schema of `agenttools.config.json`, the settings that packages share. */
function configSchema(): JsonSchema {
  return {
    $schema: dialect,
    title: 'Settings of agenttools validate for the packages of a repository',
    type: 'object',
    properties: {
      rules,
      clients: {
        ...stringList,
        description: 'Clients to check for: ids, "all" or "installed". The same as --clients.',
      },
      budget: {
        anyOf: [{ const: true }, { type: 'integer', minimum: 1 }],
        description:
          'Tokens that the tools of a server may need, or true for the default limits. The same as --budget.',
      },
      baseline: {
        type: 'string',
        minLength: 1,
        description: 'File with known diagnostics, relative to this file. The same as --baseline.',
      },
    },
    patternProperties: freeKeys,
    additionalProperties: false,
  };
}

/** Schema of a manifest: the object in package.json, or a separate file. */
function manifestSchema(): JsonSchema {
  return { $schema: dialect, title: 'Manifest of an AgentTools extension', ...manifest };
}

/** Schema of the package.json field. Editors merge it with their own schema of the file. */
function packageSchema(): JsonSchema {
  return {
    $schema: dialect,
    title: 'package.json of an AgentTools extension',
    type: 'object',
    properties: {
      agenttools: {
        description:
          'Makes the package an AgentTools extension: its manifest, or the path of a manifest file.',
        ...ifThenElse({ type: 'string' }, {}, manifest),
      },
    },
  };
}

/** Schema of a data file that defines one item. */
function definitionSchema(kind: Kind): JsonSchema {
  const title = `Definition of ${kind === 'apps' ? 'an' : 'a'} ${singular[kind]}`;
  return {
    $schema: dialect,
    title,
    ...definition(kind),
    ...(kind === 'servers' && { $defs: entryDefinitions() }),
  };
}

/** Schema of a data file that contains a toolkit, as an object or as a list. */
function toolkitSchema(): JsonSchema {
  return {
    $schema: dialect,
    title: 'A toolkit: several tools in one file',
    ...toolkit,
    $defs: { tool: definition('tools') },
  };
}

/**
 * Schema of a data file that defines all items of a kind: by item name, or as a list; tools also as a
 * toolkit.
 */
function combinedSchema(kind: Kind): JsonSchema {
  const named = { allOf: [referenceTo(kind), { type: 'object', required: ['name'] }] };
  const list = { type: 'array', items: named };
  const byName = {
    type: 'object',
    properties: { $schema: { type: 'string' } },
    patternProperties: { [itemName.pattern]: referenceTo(kind) },
    additionalProperties: false,
  };
  const isToolkit: JsonSchema = {
    type: 'object',
    properties: { tools: { type: 'array' } },
    required: ['tools'],
  };
  return {
    $schema: dialect,
    title: `Definitions of ${kind}`,
    ...(kind === 'tools'
      ? ifThenElse({ anyOf: [{ type: 'array' }, isToolkit] }, toolkit, byName)
      : ifThenElse({ type: 'array' }, list, byName)),
    $defs: { [singular[kind]]: definition(kind), ...(kind === 'servers' && entryDefinitions()) },
  };
}

/** Keys that are always allowed: `$schema`, and `x-…` for authors. */
const freeKeys: JsonSchema = { '^(?:x-|\\$schema$)': true };

/** Same pattern as `isItemName`. */
const itemName = { type: 'string', pattern: '^(?!\\.{1,2}$)[A-Za-z0-9_.-]{1,128}$' } as const;

const declaration: JsonSchema = {
  description: 'A name, [name, description], or an object with both and more for discovery.',
  ...ifThenElse(
    { type: 'string' },
    itemName,
    ifThenElse(
      { type: 'array' },
      { type: 'array', prefixItems: [itemName, { type: 'string' }], minItems: 2, maxItems: 2 },
      {
        type: 'object',
        properties: {
          name: itemName,
          description: { type: 'string', description: 'One line, for lists.' },
        },
        required: ['name'],
      },
    ),
  ),
};

/** Manifest entry of a toolkit. */
const toolkitDeclaration: JsonSchema = {
  type: 'object',
  properties: {
    toolkit: {
      ...itemName,
      description: 'The file in the folder of tools that holds it, without its ending.',
    },
    description: { type: 'string', description: 'One line, for lists.' },
    tools: {
      type: 'array',
      items: declaration,
      description: 'Its tools, for readers that do not run its code.',
    },
    module: { type: 'string', description: 'The module whose functions marked @mcp are its tools.' },
  },
  required: ['toolkit'],
  not: { type: 'object', required: ['name'] },
};

const severities: JsonSchema = {
  type: 'object',
  additionalProperties: { enum: ['error', 'warning', 'warn', 'info', 'off'] },
};

const filledText = { type: 'string', pattern: '\\S' } as const;

/** Silences the diagnostics of one code at one item or place. */
const suppression: JsonSchema = {
  type: 'object',
  properties: {
    code: { ...filledText, description: 'Code of the diagnostic to suppress.' },
    item: { ...filledText, description: 'Item of the diagnostic: "forecast", or "tool/forecast".' },
    path: {
      ...filledText,
      description: 'File of the diagnostic, or a place in it: "agenttools/tools/forecast.json#/input".',
    },
    reason: { ...filledText, description: 'Why the diagnostic does not apply.' },
  },
  required: ['code', 'reason'],
  anyOf: requireOneKey('item', 'path'),
  patternProperties: { '^(?:x-|\\$)': true },
  additionalProperties: false,
};

const rules: JsonSchema = {
  description: 'Severities of diagnostics by code, or a list of such objects and of suppressions.',
  ...ifThenElse(
    { type: 'array' },
    { type: 'array', items: ifThenElse({ type: 'object', required: ['code'] }, suppression, severities) },
    severities,
  ),
};

const manifest: JsonSchema = {
  type: 'object',
  properties: {
    root: { type: 'string', description: 'Folder of the definition files. Default: "agenttools".' },
    ...Object.fromEntries(
      kinds.map((kind) => [
        kind,
        {
          type: 'array',
          items:
            kind === 'tools'
              ? ifThenElse({ type: 'object', required: ['toolkit'] }, toolkitDeclaration, declaration)
              : declaration,
          description: `The ${kind} of this package.`,
        },
      ]),
    ),
    skills: { type: 'string', description: 'Folder of the skills. Default: "skills".' },
    rules,
  },
  patternProperties: freeKeys,
  additionalProperties: false,
};

function definition(kind: Kind): JsonSchema {
  const plain = objectShapeSchema(shapes[kind]);
  const { properties = {}, ...rules } = rulesBetween[kind];
  return { ...plain, properties: refine(plain.properties as JsonSchema, properties), ...rules };
}

/** Adds keywords to some properties of a shape. */
function refine(properties: JsonSchema, more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const refined = Object.entries(more).map(([key, schema]) => [
    key,
    { ...(properties[key] as JsonSchema), ...schema },
  ]);
  return { ...properties, ...Object.fromEntries(refined) };
}

/** Definitions for the entries of a server's lists, other than names. */
function entryDefinitions(): JsonSchema {
  const inline = servedKinds.map((kind) => [singular[kind], definition(kind)]);
  const changed = servedKinds.map((kind) => [changedName(kind), objectShapeSchema(overrideShapes[kind])]);
  return {
    ...Object.fromEntries([...changed, ...inline]),
    toolkit: objectShapeSchema(toolkitOverrideShape),
    upstreamTools: withRefinedProperties(objectShapeSchema(upstreamEntryShape), {
      upstream: { anyOf: [endpointSchema(endpointShape), moduleReference] },
      prefix: { pattern: '^[A-Za-z0-9_.-]{0,127}$' },
      rename: { additionalProperties: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$' } },
      prompts: notTrue,
      resources: notTrue,
      apps: notTrue,
    }),
  };
}

const notTrue: JsonSchema = { not: { const: true } };

/** Name of the definition for `{ "use": … }` entries: `changedTool`. */
function changedName(kind: Kind): string {
  const word = singular[kind];
  return `changed${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

const servedKinds = ['tools', 'prompts', 'resources'] as const satisfies readonly Kind[];

function referenceTo(kind: Kind): JsonSchema {
  return { $ref: `#/$defs/${singular[kind]}` };
}

function objectShapeSchema(shape: DefinitionShape): JsonSchema {
  const required = Object.keys(shape).filter((key) => shape[key]!.required);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, keySchema(field)])),
    ...(required.length > 0 && { required }),
    patternProperties: freeKeys,
    additionalProperties: false,
  };
}

function keySchema({ types, description, values, shape, each, nullable }: KeyShape): JsonSchema {
  const kinds = types.map((type): JsonSchema => {
    if (type === 'string' && values) return { enum: values };
    if (type === 'string-list' && values) return { ...stringList, items: { enum: values }, minItems: 1 };
    if (type === 'object' && shape) return objectShapeSchema(shape);
    if (type === 'object' && each) return { type: 'object', additionalProperties: objectShapeSchema(each) };
    if (type === 'list' && shape) return { ...valueTypes.list, items: objectShapeSchema(shape) };
    return valueTypes[type];
  });
  const all = nullable ? [...kinds, { type: 'null' }] : kinds;
  return { description: withoutLinks(description), ...(all.length === 1 ? all[0] : { anyOf: all }) };
}

const moduleReference: JsonSchema = { type: 'string', pattern: '^\\./.*[^#]$' };
const stringList: JsonSchema = { type: 'array', items: { type: 'string' } };

/** JSON Schema of each value type in a data file. */
const valueTypes = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  'positive-number': { type: 'number', exclusiveMinimum: 0 },
  count: { type: 'integer', minimum: 0 },
  strings: { anyOf: [{ type: 'string' }, stringList] },
  'string-list': stringList,
  texts: { type: 'object', additionalProperties: { type: 'string' } },
  needs: {
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { ...stringList, minItems: 1 }] } },
    ],
  },
  object: { type: 'object' },
  list: { type: 'array' },
  callable: moduleReference,
  schema: { type: ['object', 'array', 'string'] },
  'raw-schema': { type: ['object', 'string'] },
  any: {},
} as const satisfies Record<ValueType, JsonSchema>;

/** Each tool of a toolkit needs a name, or a handler with a named export. */
const toolkitTools: JsonSchema = {
  type: 'array',
  items: {
    $ref: '#/$defs/tool',
    anyOf: [
      { type: 'object', required: ['name'] },
      { type: 'object', properties: { handler: { type: 'string', pattern: '#(?!default$).' } } },
    ],
  },
};

const toolkit: JsonSchema = ifThenElse(
  { type: 'array' },
  toolkitTools,
  withRefinedProperties(objectShapeSchema(toolkitShape), { tools: toolkitTools }),
);

function withRefinedProperties(
  schema: JsonSchema,
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return { ...schema, properties: refine(schema.properties as JsonSchema, properties) };
}

const template: JsonSchema = {
  type: 'object',
  properties: { template: { type: 'string', description: 'Text with {{name}} slots.' } },
  required: ['template'],
};
const block: JsonSchema = { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] };
const textOrTemplate: readonly JsonSchema[] = [{ type: 'string' }, template];
const messageShape = shapes.prompts.messages!.shape!;

/** Schema of an existing server's endpoint, with the rules between its keys. */
function endpointSchema(shape: DefinitionShape): JsonSchema {
  const isProgram = { properties: { type: { const: 'stdio' }, headers: false } };
  const isAddress = { type: { enum: ['http', 'streamable-http', 'sse'] } };
  return {
    ...withRefinedProperties(objectShapeSchema(shape), {
      command: { pattern: '^(?:\\.\\.?[\\\\/]|[\\\\/]|[A-Za-z]:[\\\\/]|\\$\\{)|^[^\\\\/]+$' },
      url: { pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?://.|\\$\\{)' },
    }),
    oneOf: requireOneKey('command', 'package', 'url', 'place'),
    dependentRequired: { bin: ['package'], headers: ['url'] },
    dependentSchemas: {
      command: isProgram,
      package: isProgram,
      url: { properties: { ...isAddress, args: false, env: false, cwd: false } },
      place: { properties: { args: false, env: false, cwd: false } },
    },
  };
}

type KeyRulesSchema = JsonSchema & { readonly properties?: Readonly<Record<string, JsonSchema>> };

/** Rules between keys, the same as in `checkDefinition`. */
const rulesBetween: Readonly<Record<Kind, KeyRulesSchema>> = {
  tools: {
    properties: { upstream: { anyOf: [endpointSchema(toolUpstreamShape), moduleReference] } },
    oneOf: requireOneKey('handler', 'upstream'),
  },
  prompts: {
    properties: {
      content: { anyOf: textOrTemplate },
      messages: {
        items: {
          ...objectShapeSchema(messageShape),
          properties: refine(objectShapeSchema(messageShape).properties as JsonSchema, {
            content: { anyOf: [...textOrTemplate, block] },
          }),
        },
      },
    },
    oneOf: requireOneKey('content', 'messages'),
    ...ifThenElse(
      { properties: { type: { const: 'function' } }, required: ['type'] },
      { properties: { content: moduleReference } },
    ),
  },
  resources: {
    properties: {
      uri: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' },
      uriTemplate: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' },
    },
    allOf: [{ oneOf: requireOneKey('uri', 'uriTemplate') }, { oneOf: requireOneKey('text', 'file', 'read') }],
    dependentRequired: { uriTemplate: ['read'] },
  },
  servers: {
    properties: {
      ...Object.fromEntries(servedKinds.map((kind) => [kind, listSchema(listEntrySchema(kind))])),
      apps: listSchema({ type: 'string' }),
      configKey: { pattern: '\\S', not: { enum: objectNames } },
    },
  },
  apps: {},
};

function requireOneKey(...keys: readonly string[]): readonly JsonSchema[] {
  return keys.map((key) => ({ required: [key] }));
}

function listSchema(items: JsonSchema): JsonSchema {
  return { anyOf: [{ const: '*' }, { type: 'array', items }] };
}

/**
 * Entry of a server's list: a name, `{ "use": name, … }`, a definition, or an entry that represents several
 * tools.
 */
function listEntrySchema(kind: Kind): JsonSchema {
  const changed = { $ref: `#/$defs/${changedName(kind)}` };
  const item = ifThenElse({ type: 'object', required: ['use'] }, changed, referenceTo(kind));
  const listed = { $ref: '#/$defs/toolkit' };
  if (kind !== 'tools') return ifThenElse({ type: 'string' }, {}, item);
  const any = ifThenElse({ type: 'object', required: ['toolkit'] }, listed, item);
  const isUpstream = {
    type: 'object',
    required: ['upstream'],
    not: { anyOf: requireOneKey('name', 'use', 'handler', 'toolkit') },
  };
  return ifThenElse({ type: 'string' }, {}, ifThenElse(isUpstream, { $ref: '#/$defs/upstreamTools' }, any));
}

/** Editors report the faults of one chosen form better than a mismatch with all of several forms. */
function ifThenElse(condition: JsonSchema, whenTrue: JsonSchema, whenFalse: JsonSchema = {}): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: whenTrue, else: whenFalse };
}
