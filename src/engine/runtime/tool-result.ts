import { restoreBuiltIns } from '../base/code-boundary.js';
import { type PlainFault, type PlainOptions, plainData } from '../base/plain-data.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { isBlock, looksLikeBlock } from '../extension/content-block.js';
import { toPointer } from '../schema/schema-issue.js';
import { brands, isBranded } from './authoring-symbols.js';
import { describeMalformed, isContentBlock } from './content-block.js';
import type { ContentBlock, ToolResult } from './result-builders.js';
import { structured, toBlocks } from './result-builders.js';

/** A value that cannot become a tool result. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/**
 * Converts the return value of a handler to a tool result: a string is text, blocks stay as they are, any other JSON
 * value is a structured result, undefined is `Success`.
 * @throws ResultError for a value without JSON form (functions, symbols, bigints, cycles, `NaN`, maps, errors), for a
 * malformed block, and for a failure without content.
 */
export function toToolResult(returned: unknown): ToolResult {
  if (returned === undefined) return { content: [{ type: 'text', text: 'Success' }] };
  if (isBranded(returned, brands.result)) return normalizeToolResult(resultFields(returned as ToolResult));
  const value = plainPieces(returned);
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (isFinished(value)) return normalizeToolResult(value as ToolResult);
  if (isContentBlock(value)) return { content: [value] };
  if (looksLikeBlock(value)) throw new ResultError(`it is ${describeMalformed(value)}`);
  if (isFailureWithoutContent(value)) {
    throw new ResultError('it has "isError" but no list of blocks as "content"; return error("…") instead');
  }
  if (isListOfPieces(value)) return normalizeToolResult({ content: value.flatMap(toBlocks) });
  const { content, structuredContent } = structured(value);
  return { content, structuredContent };
}

/** The parts of a result of the builders, as plain data. A result that is also a block has `type`. */
function resultFields(result: ToolResult & { readonly type?: string }): ToolResult {
  try {
    const { content, structuredContent, isError, _meta, type } = result;
    const meta =
      type === undefined && isRecord(_meta) ? { _meta: requirePlain(_meta) as Record<string, unknown> } : {};
    return {
      content: requirePlain(content) as readonly ContentBlock[],
      ...(structuredContent !== undefined && { structuredContent: requirePlain(structuredContent) }),
      ...(isError === true && { isError }),
      ...meta,
    };
  } catch (error) {
    if (error instanceof ResultError) throw error;
    throw new ResultError(`it cannot be read (${errorMessage(error)})`);
  }
}

/** True for a list of blocks and finished results, with texts between them. A list of texts only is data. */
function isListOfPieces(value: unknown): value is readonly (string | ContentBlock | ToolResult)[] {
  if (!Array.isArray(value) || !value.some(isPiece)) return false;
  return value.every((entry) => typeof entry === 'string' || isPiece(entry));
}

/** True for a content block or a finished result, the parts of a list of pieces. */
function isPiece(value: unknown): value is ContentBlock | ToolResult {
  return isBranded(value, brands.result) || isContentBlock(value);
}

const resultKeys = new Set(['content', 'structuredContent', 'isError', '_meta']);

/** True for a plain object in the form of a finished result. */
function isFinished(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.content)) return false;
  return Object.keys(value).every((key) => resultKeys.has(key)) && value.content.every(isBlock);
}

/** True for a value that looks like data, although its author declares it a failure. */
function isFailureWithoutContent(value: unknown): boolean {
  return isRecord(value) && value.isError === true && Object.keys(value).every((key) => resultKeys.has(key));
}

function normalizeToolResult({ content, structuredContent, isError, _meta }: ToolResult): ToolResult {
  if (!Array.isArray(content)) throw new ResultError('its content is not a list');
  for (const block of content) requireBlock(block, 'its content holds');
  return {
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(isRecord(_meta) && { _meta }),
  };
}

/** @throws ResultError, which begins with the holder, if a block is malformed */
export function requireBlock(block: ContentBlock, holder: string): void {
  if (isContentBlock(block)) return;
  const what = isBlock(block) ? describeMalformed(block) : 'a block that is not an object with "type"';
  throw new ResultError(`${holder} ${what}`);
}

const resultBrands = [brands.result];

/** A value as JSON represents it, with marks on finished results. @throws ResultError if it has no JSON form */
export function plainPieces(value: unknown): unknown {
  return requirePlain(value, { marks: resultBrands });
}

/** A value as JSON represents it. @throws ResultError if it has no JSON form. */
export function requirePlain(given: unknown, options?: PlainOptions): unknown {
  const { value, faults } = plainData(given, options);
  // Getters, proxies and `toJSON` are code.
  if (typeof given === 'object') restoreBuiltIns();
  if (faults.length > 0) throw toResultError(faults);
  return value;
}

/** The first fault of a value, as the reason that it is not a result. */
export function toResultError([fault]: readonly PlainFault[]): ResultError {
  const { path, what, lacksForm } = fault!;
  const place = path.length > 0 ? ` at ${toPointer(path)}` : '';
  return new ResultError(`${what}${place}${lacksForm ? ' has no JSON form' : ''}`);
}
