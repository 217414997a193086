import { AgentToolsError } from '../../../engine/base/errors.js';
import { isRecord } from '../../../engine/base/value-checks.js';
import { parseJsonArguments } from '../../shared/json-arguments.js';

type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * Reads the arguments of a tool: `name=value` words, or one JSON object. The schema of the tool decides which values
 * are text.
 * @throws AgentToolsError `usage`
 */
export function readToolArguments(
  words: readonly string[],
): ToolArguments | ((inputSchema: unknown) => ToolArguments) {
  const pairs = words.map(splitPair);
  if (words.length === 0) return {};
  if (words.length === 1 && !pairs[0]) return parseJsonArguments(words[0]!);
  const given = new Map<string, string>();
  for (const [index, pair] of pairs.entries()) {
    if (!pair)
      throw new AgentToolsError('usage', `Expected name=value, not ${JSON.stringify(words[index])}.`);
    const [name, text] = pair;
    if (given.has(name))
      throw new AgentToolsError(
        'usage',
        `${name}= is given twice. Give a list as JSON: ${name}='["a","b"]'.`,
      );
    given.set(name, text);
  }
  return (inputSchema) =>
    Object.fromEntries(
      [...given].map(([name, text]) => [name, readValue(text, propertyOf(inputSchema, name))]),
    );
}

function splitPair(word: string): readonly [name: string, text: string] | undefined {
  const [, name, text] = /^([^=\s{["][^=]*)=(.*)$/s.exec(word) ?? [];
  return name === undefined || text === undefined ? undefined : [name, text];
}

function propertyOf(schema: unknown, name: string): unknown {
  const { properties } = isRecord(schema) ? schema : {};
  return isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** JSON, or text if it is no JSON, or the schema accepts strings. */
function readValue(text: string, schema: unknown): unknown {
  if (acceptsText(schema)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** True if a schema names strings among its types. */
function acceptsText(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  if ([schema.type].flat().includes('string')) return true;
  if (Array.isArray(schema.enum) && schema.enum.some((value) => typeof value === 'string')) return true;
  return [schema.anyOf, schema.oneOf].some((some) => Array.isArray(some) && some.some(acceptsText));
}
