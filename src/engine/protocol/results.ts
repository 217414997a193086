import type { CacheHint } from '../runtime/specs.js';
import { isObject, type JsonObject } from './envelope.js';
import { metaKey } from './eras.js';

/** Methods whose results clients may keep. @see MCP 2026-07-28, server/utilities/caching */
const cacheableMethods: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

export type CacheHints = Readonly<Partial<Record<string, CacheHint>>>;

/** Values that every result of 2026-07-28 carries. */
export interface ResultStamp {
  readonly serverInfo: unknown;
  readonly cacheHints: CacheHints;
}

/**
 * A result as 2026-07-28 has it: with its type, the server's name, and how long it keeps. What the handler says wins.
 * @see MCP 2026-07-28, basic, Result; server/utilities/caching
 */
export function modernResult(
  method: string,
  result: JsonObject,
  { serverInfo, cacheHints }: ResultStamp,
): JsonObject {
  const { resultType = 'complete', _meta } = result;
  const { ttlMs = 0, scope = 'private' } = cacheHints[method] ?? {};
  const keeping =
    resultType === 'complete' && cacheableMethods.has(method)
      ? { ttlMs: result.ttlMs ?? ttlMs, cacheScope: result.cacheScope ?? scope }
      : undefined;
  const meta = isObject(_meta)
    ? { [metaKey.serverInfo]: serverInfo, ..._meta }
    : { [metaKey.serverInfo]: serverInfo };
  return { ...result, resultType, ...keeping, _meta: meta };
}

type WireToolResult = { readonly content: readonly unknown[]; readonly structuredContent?: unknown };

/**
 * Up to 2025-11-25 structured content is an object: any other value is sent as its `result`, and so is an object whose
 * advertised schema is not one of objects. Structured content that is no object is sent as text, too.
 * @see MCP 2025-11-25, server/tools, Structured Content; SEP-2106
 */
export function withWireStructure<R extends WireToolResult>(
  result: R,
  { isModern, outputSchema }: { readonly isModern: boolean; readonly outputSchema: JsonObject | undefined },
): R {
  const { structuredContent: value, content } = result;
  if (value === undefined) return result;
  const isWrapped = !isObject(value) || (outputSchema !== undefined && outputSchema.type !== 'object');
  const hasText = isObject(value) || content.some((block) => isObject(block) && block.type === 'text');
  const spoken = hasText ? content : [...content, { type: 'text', text: JSON.stringify(value) }];
  if (isModern || !isWrapped) return hasText ? result : { ...result, content: spoken };
  return { ...result, content: spoken, structuredContent: { result: value } };
}
