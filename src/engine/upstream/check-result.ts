import { isRecord } from '../base/value-checks.js';
import { isBlock } from '../extension/content-block.js';
import type { JsonObject } from '../protocol/envelope.js';
import { describeMalformed, isContentBlock } from '../runtime/content-block.js';
import { type ContentBlock, ToolError, type ToolResult } from '../runtime/result-builders.js';
import { replaceAppUri, withoutUi } from '../runtime/ui.js';
import type { ReplacedUris, ToolUpstream } from '../runtime/upstream.js';
import { withFullStop } from './error-text.js';

/** @see MCP 2026-07-28, basic, "Response metadata" */
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** Returns the result of an upstream tool. @throws ToolError if it is malformed */
export function checkToolResult(answer: JsonObject, name: string, tool: ToolUpstream): ToolResult {
  const { content, structuredContent, isError, _meta } = answer;
  if (!Array.isArray(content)) throw noResult(name, 'it has no list of content');
  const bad = content.find((block) => !isContentBlock(block)) as unknown;
  if (bad !== undefined) {
    const fault = isBlock(bad) ? describeMalformed(bad as ContentBlock) : 'a block without a type';
    throw noResult(name, fault);
  }
  const meta = isRecord(_meta) ? resultMeta(_meta, tool) : {};
  return {
    content: content as ContentBlock[],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

function resultMeta(meta: JsonObject, { hasApps, uris }: ToolUpstream): JsonObject {
  if (!hasApps) return withoutUi(meta);
  return uris ? { ...withoutUi(meta), ...replaceAppUri(meta, (uri) => uris.get(uri) ?? uri) } : meta;
}

/** Returns a result without server info, since AgentTools sends its own. @throws ToolError if it is no object */
export function requireResult(answer: unknown, name: string): JsonObject {
  if (!isRecord(answer)) throw noResult(name, 'no object');
  const { _meta, resultType: _, ...result } = answer;
  if (!isRecord(_meta)) return result;
  const { [serverInfoKey]: __, ...meta } = _meta;
  return { ...result, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

/** Replaces the URIs of resources in a result: of contents, links and embedded resources. */
export function withOwnUris(result: JsonObject, uris: ReplacedUris | undefined): JsonObject {
  if (!uris) return result;
  const own = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(own);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([key, held]) => [
      key,
      key === 'uri' && typeof held === 'string'
        ? (uris.get(held) ?? held)
        : ['resource', 'content'].includes(key)
          ? own(held)
          : held,
    ]);
    return Object.fromEntries(entries);
  };
  const lists = ['contents', 'content', 'messages'].filter((key) => Array.isArray(result[key]));
  return { ...result, ...Object.fromEntries(lists.map((key) => [key, own(result[key])])) };
}

function noResult(name: string, what: string): ToolError {
  return new ToolError(withFullStop(`The upstream server "${name}" answers with what is no result: ${what}`));
}
