import { types } from 'node:util';
import { isBlock, looksLikeBlock } from '../extension/content-block.js';
import { messageOf } from '../extension/modules.js';
import { isRecord } from '../extension/shapes.js';
import { toPointer } from '../schema/issues.js';
import { brands, isBranded } from './brands.js';
import type { ContentBlock, ToolResult } from './builders.js';
import { blocksOf, structured } from './builders.js';
import { describeMalformed, isContentBlock } from './content-block.js';

/** A value that no tool result can be made of. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/**
 * Makes a tool result of what a handler returned: text of a string, blocks as they are, a structured result of any
 * other JSON value, `Success` of nothing.
 * @throws ResultError for what has no JSON form (functions, symbols, bigints, cycles, `NaN`, maps, errors), for a
 * malformed block, and for a failure without content.
 */
export function toToolResult(value: unknown): ToolResult {
  if (value === undefined) return { content: [{ type: 'text', text: 'Success' }] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (isBranded(value, brands.result) || isFinished(value)) return finished(value as ToolResult);
  if (isContentBlock(value)) return finished({ content: [value] });
  if (looksLikeBlock(value)) throw new ResultError(`it is ${describeMalformed(value)}`);
  if (isFailureWithoutContent(value)) {
    throw new ResultError('it has "isError" but no list of blocks as "content"; return error("…") instead');
  }
  if (isListOfPieces(value)) return finished({ content: value.flatMap(blocksOf) });
  return finished(structured(plain(value)));
}

/** Blocks and finished results, with texts between them; a list of nothing but texts is data. */
function isListOfPieces(value: unknown): value is readonly (string | ContentBlock | ToolResult)[] {
  if (!Array.isArray(value) || !value.some(isPiece)) return false;
  return value.every((entry) => typeof entry === 'string' || isPiece(entry));
}

/** A content block or a finished result: what may stand in a list of pieces. */
function isPiece(value: unknown): value is ContentBlock | ToolResult {
  return isBranded(value, brands.result) || isContentBlock(value);
}

const resultKeys = new Set(['content', 'structuredContent', 'isError', '_meta']);

/** A plain object in the form of a finished result. */
function isFinished(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.content)) return false;
  return Object.keys(value).every((key) => resultKeys.has(key)) && value.content.every(isBlock);
}

/** What would pass for data, though its author says that it is a failure. */
function isFailureWithoutContent(value: unknown): boolean {
  return isRecord(value) && value.isError === true && Object.keys(value).every((key) => resultKeys.has(key));
}

function finished(result: ToolResult & { readonly type?: string }): ToolResult {
  const { content, structuredContent, isError, type } = result;
  // A result of one block can stand for the block, whose `_meta` it then has.
  const _meta = type === undefined ? plainMeta(result._meta) : undefined;
  return {
    content: content.map((block) => plainBlock(block, 'its content holds')),
    ...(structuredContent !== undefined && { structuredContent: plain(structuredContent) }),
    ...(isError === true && { isError }),
    ...(_meta && { _meta }),
  };
}

/** A block as JSON sees it. @throws ResultError, which begins with who holds it, if JSON sees none */
export function plainBlock(block: ContentBlock, holder: string): ContentBlock {
  if (!isContentBlock(block)) throw new ResultError(`${holder} ${describeMalformed(block)}`);
  // Most blocks are nothing but texts, some of them very long.
  const isTexts = Object.values(block).every((held) => typeof held === 'string');
  if (isTexts && !isOwnJson(block)) return block;
  const seen = plain(block);
  if (isContentBlock(seen)) return seen;
  const what = isBlock(seen) ? describeMalformed(seen) : 'a block that is none as JSON';
  throw new ResultError(`${holder} ${what}`);
}

/** What is to be sent as `_meta`, if it is an object, as JSON sees it. @throws ResultError if it has no JSON form */
export function plainMeta(_meta: unknown): ToolResult['_meta'] {
  if (!isRecord(_meta)) return undefined;
  const seen = plain({ _meta }) as { readonly _meta?: unknown };
  return isRecord(seen._meta) ? seen._meta : undefined;
}

/** A value as JSON sees it. @throws ResultError if it has no JSON form. */
export function plain(value: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, held: unknown) => {
      if (lostIn(held) !== undefined) throw new ResultError('something in it would be lost');
      return held;
    });
  } catch (error) {
    const found = findUnsayable(value, [], []);
    if (found) throw new ResultError(`${describePlace(found)} has no JSON form`);
    throw new ResultError(`it has no JSON form: ${messageOf(error).split('\n')[0]}`);
  }
  if (text === undefined) throw new ResultError(`a ${typeof value} has no JSON form`);
  return JSON.parse(text) as unknown;
}

interface Unsayable {
  readonly what: string;
  readonly path: readonly string[];
}

function describePlace({ what, path }: Unsayable): string {
  return path.length > 0 ? `${what} at ${toPointer(path)}` : what;
}

/** What JSON would make `{}` or `null` of, so that nobody hears of what it held. */
function lostIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value !== 'object' || value === null) return undefined;
  return lost.find(([, check]) => check(value))?.[0];
}

const lost: readonly (readonly [what: string, check: (value: object) => boolean])[] = [
  ['a Map', types.isMap],
  ['a Set', types.isSet],
  ['an Error', types.isNativeError],
  ['a Promise', types.isPromise],
  ['a RegExp', types.isRegExp],
  ['an ArrayBuffer', types.isAnyArrayBuffer],
];

/** How deep what JSON cannot say is looked for. */
const deepestSearch = 200;

/** The first thing in a value that JSON stops at, or loses. */
function findUnsayable(
  value: unknown,
  path: readonly string[],
  above: readonly unknown[],
): Unsayable | undefined {
  if (typeof value === 'bigint') return { what: 'a bigint', path };
  if (isOwnJson(value)) return undefined;
  const what = lostIn(value);
  if (what !== undefined) return { what, path };
  if (typeof value !== 'object' || value === null || path.length > deepestSearch) return undefined;
  if (above.includes(value)) return { what: 'a value that holds itself', path };
  for (const key of Object.keys(value)) {
    // Getters may throw, which is what is told then.
    const held = Object.getOwnPropertyDescriptor(value, key)?.value;
    const found = findUnsayable(held, [...path, key], [...above, value]);
    if (found) return found;
  }
  return undefined;
}

/** Whether something says itself what JSON makes of it. */
function isOwnJson(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'toJSON' in value;
}
