import { isRecord, isString } from '../base/value-checks.js';
import type { ListedTool } from './surface-checks.js';

/** Counts the tokens of a text. */
export interface TokenCounter {
  readonly count: (text: string) => number;
  /** Its name in reports. */
  readonly name: string;
  /** Largest usual error for a tool, as a percentage. 0: exact for its encoding. */
  readonly errorPercent: number;
}

/** Tokens of a tool in the request of a client to its model. */
interface ToolCost {
  readonly name: string;
  readonly tokens: number;
  /** The part that needs most: the name of a key, or of a parameter. */
  readonly largest: { readonly part: string; readonly tokens: number };
}

/** Tokens of a server in the request of a client to its model. */
export interface ServerCost {
  readonly server: string;
  /** Name of the counter. */
  readonly counter: string;
  readonly errorPercent: number;
  readonly tokens: number;
  /** Tokens of the server in clients that change tools before they send them, by id of the client. */
  readonly clients: Readonly<Record<string, number>>;
  /** All tools, the most expensive first. */
  readonly tools: readonly ToolCost[];
}

/**
 * Estimates tokens from words, numbers and signs. Measured against o200k on 184 tools of 8 real servers: between 12 %
 * too low and 13 % too high for a tool, 8 % for 80 of 100 tools.
 */
export const estimate: TokenCounter = {
  name: 'estimate',
  errorPercent: 13,
  count(text) {
    let pieces = 0;
    for (const [piece] of text.matchAll(
      /[A-Za-z]+|[0-9]{1,3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\p{ASCII}\s]+|[^A-Za-z0-9\s\u0080-\u{10FFFF}]+/gu,
    ))
      pieces += /^[^\p{ASCII}]{2,}/u.test(piece) ? Math.ceil(piece.length / 3) : 1;
    return Math.round(pieces * 1.07);
  },
};

/** Keywords that Codex deletes. @see openai/codex, codex-rs/tools/src/json_schema.rs */
const codexDeletes = new Set([
  ...['$schema', 'title', 'examples', 'default', 'pattern', 'format', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'],
]);

/** Clients that change tools before they send them to the model. */
const dialects: Readonly<Record<string, (tool: ListedTool, key: string) => unknown>> = {
  'claude-code': ({ name, description, inputSchema }, key) => ({
    name: `mcp__${key}__${name}`,
    description: isString(description) ? description.slice(0, 4096) : '',
    input_schema: inputSchema,
  }),
  codex: ({ name, description, inputSchema }) => ({
    name,
    description,
    parameters: withoutKeys(inputSchema, codexDeletes),
    strict: false,
  }),
};

/** Counts the tokens of the tools of a server. */
export function measureServer(
  { key, tools }: { readonly key: string; readonly tools: readonly ListedTool[] },
  { count, name, errorPercent }: TokenCounter = estimate,
): ServerCost {
  const total = (render: (tool: ListedTool) => unknown) =>
    tools.reduce((sum, tool) => sum + count(JSON.stringify(render(tool))), 0);
  const costs = tools.map((tool) => measureTool(tool, count));
  return {
    server: key,
    counter: name,
    errorPercent,
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    clients: Object.fromEntries(
      Object.entries(dialects).map(([id, render]) => [id, total((tool) => render(tool, key))]),
    ),
    tools: costs.sort((a, b) => b.tokens - a.tokens),
  };
}

function measureTool(tool: ListedTool, count: TokenCounter['count']): ToolCost {
  const { name, description, inputSchema } = tool;
  const tokens = count(JSON.stringify({ name, description, input_schema: inputSchema }));
  const properties = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const parts = [
    ...(isString(description) ? [{ part: 'description', tokens: count(description) }] : []),
    ...Object.entries(properties).map(([part, schema]) => ({
      part: `inputSchema.${part}`,
      tokens: count(JSON.stringify(schema) ?? ''),
    })),
  ].sort((a, b) => b.tokens - a.tokens);
  return { name, tokens, largest: parts[0] ?? { part: 'name', tokens: count(name) } };
}

/** A schema without some keywords. Names of parameters stay. */
function withoutKeys(schema: unknown, keys: ReadonlySet<string>, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutKeys(one, keys));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isMap || !keys.has(key))
      .map(([key, value]) => [
        key,
        withoutKeys(value, keys, !isMap && (key === 'properties' || key === '$defs')),
      ]),
  );
}
