import { describeValueType, isRecord } from '../base/value-checks.js';
import { brands } from './authoring-symbols.js';

/** Audience, priority and last change of a block. @see MCP, Annotations */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** 0 to 1. */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

export interface BlockOptions {
  readonly annotations?: Annotations;
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** One piece of a result or message, as MCP defines it. */
export type ContentBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A finished tool result. Create it with {@link text}, {@link error}, {@link structured} and similar functions. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

/** A result of one text block. */
export function text(value: string, options?: BlockOptions): ToolResult {
  return result([block('text', { text: value }, options)]);
}

/**
 * A failure that the model can read and act on: one text block, `isError`. The text of an error is its message. The
 * text of other values is their JSON.
 */
export function error(message: unknown, options?: BlockOptions): ToolResult {
  return brandResult({ content: [block('text', { text: failureText(message) }, options)], isError: true });
}

function failureText(message: unknown): string {
  if (typeof message === 'string') return message;
  if (message instanceof Error) return message.message;
  return JSON.stringify(message) ?? String(message);
}

/** Several pieces in order. `isError: true` makes the result a failure. @throws TypeError if they are not a list of pieces */
export function results(
  items: readonly (string | ContentBlock | ToolResult)[],
  options: { readonly isError?: boolean } = {},
): ToolResult {
  return brandResult({ content: blocksOf(items, 'results'), ...(options.isError && { isError: true }) });
}

/**
 * A structured result. Without `items`, its text is the value as JSON.
 * @throws TypeError if the items are not a list of pieces, as in exchanged arguments
 */
export function structured(
  value: unknown,
  items?: readonly (string | ContentBlock | ToolResult)[],
): ToolResult & { readonly structuredContent: unknown } {
  const content = items
    ? blocksOf(items, 'structured', value)
    : [block('text', { text: JSON.stringify(value) ?? 'null' })];
  return brandResult({ content, structuredContent: value });
}

/** Blocks of the items of `results()` or `structured()`. @throws TypeError */
function blocksOf(items: unknown, call: 'results' | 'structured', value?: unknown): readonly ContentBlock[] {
  const wrong = Array.isArray(items) ? items.findIndex((one) => !isPiece(one)) : undefined;
  if (Array.isArray(items) && wrong === -1) return items.flatMap(toBlocks);
  if (call === 'structured' && Array.isArray(value) && value.every(isPiece)) {
    throw new TypeError(
      'structured() takes the value first, then the list of items: structured({ … }, [text("…")]). Exchange the arguments.',
    );
  }
  throw new TypeError(
    wrong === undefined
      ? `The items of ${call}() are ${describeValueType(items)}. Expected a list, such as [text("…")].`
      : `Item ${wrong + 1} of ${call}() is ${describeValueType((items as unknown[])[wrong])}. Expected a string, a content block or a result.`,
  );
}

/** True for values that become blocks. Other checks report malformed blocks. */
function isPiece(value: unknown): value is string | ContentBlock | ToolResult {
  return typeof value === 'string' || (isRecord(value) && ('type' in value || 'content' in value));
}

/** A link to a resource that the client may read. */
export function resourceLink(
  uri: string,
  name: string,
  options: BlockOptions & {
    readonly title?: string;
    readonly description?: string;
    readonly mimeType?: string;
  } = {},
): ToolResult {
  const { title, description, mimeType } = options;
  return result([block('resource_link', { uri, name, title, description, mimeType }, options)]);
}

/** A picture: bytes, or a string in base64. */
export function image(data: string | Uint8Array, mimeType: string, options?: BlockOptions): ToolResult {
  return result([block('image', { data: base64(data), mimeType }, options)]);
}

/** Sound: bytes, or a string in base64. */
export function audio(data: string | Uint8Array, mimeType: string, options?: BlockOptions): ToolResult {
  return result([block('audio', { data: base64(data), mimeType }, options)]);
}

/** A resource inside the result: text, or bytes. */
export function embedded(
  uri: string,
  content: string | Uint8Array,
  options: BlockOptions & { readonly mimeType?: string } = {},
): ToolResult {
  const held = typeof content === 'string' ? { text: content } : { blob: base64(content) };
  const resource = omitUndefinedKeys({ uri, mimeType: options.mimeType, ...held });
  return result([block('resource', { resource }, options)]);
}

/** A message from the user. */
export function user(content: string | ContentBlock | ToolResult): PromptMessage {
  return message('user', content);
}

/** A message from the model. */
export function assistant(content: string | ContentBlock | ToolResult): PromptMessage {
  return message('assistant', content);
}

function message(role: PromptMessage['role'], content: string | ContentBlock | ToolResult): PromptMessage {
  const [first, ...others] = toBlocks(content);
  if (!first || others.length > 0) throw new TypeError('A prompt message holds exactly one content block.');
  return setBrand({ role, content: first }, brands.message);
}

/** A failure with a message that the model may read. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';

  constructor(text: string, options?: ErrorOptions) {
    super(text, options);
    setBrand(this, brands.toolError);
  }
}

/** A failure that is sent as a JSON-RPC error instead of a result. */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError';

  constructor(
    readonly code: number,
    text: string,
    readonly data?: unknown,
  ) {
    super(text);
    setBrand(this, brands.protocolError);
  }
}

/** A result that is also valid as a content block among others. */
function result(content: readonly ContentBlock[]): ToolResult {
  return brandResult({ ...content[0]!, content });
}

function brandResult<T extends object>(value: T): T {
  return setBrand(value, brands.result);
}

function setBrand<T extends object>(value: T, brand: symbol): T {
  Object.defineProperty(value, brand, { value: true });
  return value;
}

/** Content blocks of a string, a block or a result. */
export function toBlocks(item: string | ContentBlock | ToolResult): readonly ContentBlock[] {
  if (typeof item === 'string') return [block('text', { text: item })];
  return Array.isArray(item.content) ? (item as ToolResult).content : [item as ContentBlock];
}

function block(type: string, fields: Record<string, unknown>, options: BlockOptions = {}): ContentBlock {
  return omitUndefinedKeys({
    type,
    ...fields,
    annotations: options.annotations,
    _meta: options.meta,
  }) as ContentBlock;
}

/** Copies an object without its undefined values. */
function omitUndefinedKeys<T extends Record<string, unknown>>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function base64(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64');
}
