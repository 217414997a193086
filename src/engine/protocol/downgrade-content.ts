import { isRecord } from '../base/value-checks.js';
import type { ContentBlock } from '../runtime/result-builders.js';
import { wrapResultSchema } from '../schema/wrap-result.js';
import type { WireObject } from './envelope.js';

/** Content block types newer than 2024-11-05, with their first revision. */
const blockTypeVersions: Readonly<Record<string, string>> = {
  audio: '2025-03-26',
  resource_link: '2025-06-18',
};

/** Adapts a content block to a revision: types it lacks become text. Revisions are dates and compare as text. */
export function downgradeBlock(version: string | undefined, block: ContentBlock): ContentBlock {
  const since = blockTypeVersions[block.type];
  if (since === undefined || version === undefined || version >= since) return block;
  return { type: 'text', text: flattenBlock(block) };
}

function flattenBlock(block: ContentBlock): string {
  if (block.type === 'resource_link')
    return [block.title ?? block.name, block.uri].filter(Boolean).join(': ');
  return `[${block.type}: ${String(block.mimeType)}]`;
}

/** First revision with results of any type, and with `true` and `false` as property schemas. @see MCP, schema, Tool */
const anySchemas = '2026-07-28';

/** Adapts a tool to a revision. Clients that cannot read one entry of a list drop the whole list. */
export function downgradeTool(version: string | undefined, tool: WireObject): WireObject {
  if (version === undefined || version >= anySchemas) return tool;
  const schemas = ['inputSchema', 'outputSchema'].flatMap((key) => {
    const schema = objectSchema(tool[key]);
    return schema === tool[key] ? [] : [[key, schema] as const];
  });
  return schemas.length === 0 ? tool : { ...tool, ...Object.fromEntries(schemas) };
}

/** A result that is not an object is sent as the `result` of one, so its schema is wrapped as well. */
function objectSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  if (schema.type !== 'object') return wrapResultSchema(schema);
  if (!isRecord(schema.properties)) return schema;
  const entries = Object.entries(schema.properties);
  if (!entries.some(([, property]) => typeof property === 'boolean')) return schema;
  const plain = entries.map(([name, property]) => [name, booleanToSchema(property)] as const);
  return { ...schema, properties: Object.fromEntries(plain) };
}

function booleanToSchema(property: unknown): unknown {
  if (typeof property !== 'boolean') return property;
  return property ? {} : { not: {} };
}
