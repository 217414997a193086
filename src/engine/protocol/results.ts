import { isRecord } from '../base/value-checks.js';
import type { CacheHint } from '../runtime/specs.js';
import type { JsonObject } from './envelope.js';
import { metaKey } from './eras.js';

/** Methods with results that clients may cache. @see MCP 2026-07-28, server/utilities/caching */
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
 * Completes a result for 2026-07-28 with its type, server info and cache hints. Members set by the handler win.
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
  const meta = isRecord(_meta)
    ? { [metaKey.serverInfo]: serverInfo, ..._meta }
    : { [metaKey.serverInfo]: serverInfo };
  return { ...result, resultType, ...keeping, _meta: meta };
}

type WireToolResult = { readonly content: readonly unknown[]; readonly structuredContent?: unknown };

/**
 * Up to 2025-11-25 structured content is an object: any other value is sent as its `result`, and so is an object if
 * the advertised schema is not for objects. Structured content that is not an object is also sent as text.
 * @see MCP 2025-11-25, server/tools, Structured Content; SEP-2106
 */
export function withWireStructure<R extends WireToolResult>(
  result: R,
  { isModern, outputSchema }: { readonly isModern: boolean; readonly outputSchema: JsonObject | undefined },
): R {
  const { structuredContent: value, content } = result;
  if (value === undefined) return result;
  const isWrapped = !isRecord(value) || (outputSchema !== undefined && outputSchema.type !== 'object');
  const hasText = isRecord(value) || content.some((block) => isRecord(block) && block.type === 'text');
  const spoken = hasText ? content : [...content, { type: 'text', text: JSON.stringify(value) }];
  if (isModern || !isWrapped) return hasText ? result : { ...result, content: spoken };
  return { ...result, content: spoken, structuredContent: { result: value } };
}
