import { isRecord } from './definition-shapes.js';

type BlockFieldCheck = (value: unknown) => boolean;

const isText: BlockFieldCheck = (value) => typeof value === 'string';
const optionalBlockField =
  (check: BlockFieldCheck): BlockFieldCheck =>
  (value) =>
    value === undefined || check(value);

/** What a field must be, in words and as a check. */
type BlockField = readonly [expected: string, check: BlockFieldCheck];

const textField: BlockField = ['a string', isText];
const base64: BlockField = ['base64', isBase64];
const optionalText: BlockField = ['a string', optionalBlockField(isText)];

/**
 * The block types of MCP and what each holds. What is not so would be refused on its way out, as an error of the
 * protocol that neither the model nor the author could read.
 * @see MCP 2025-11-25, schema, ContentBlock
 */
const blockTypes: Readonly<Record<string, Readonly<Record<string, BlockField>>>> = {
  text: { text: textField },
  image: { data: base64, mimeType: textField },
  audio: { data: base64, mimeType: textField },
  resource_link: {
    uri: textField,
    name: textField,
    title: optionalText,
    description: optionalText,
    mimeType: optionalText,
    size: ['a number', optionalBlockField((value) => typeof value === 'number')],
    icons: ['a list of icons', optionalBlockField(isIcons)],
  },
  resource: { resource: ['an object with "uri" and "text", or "uri" and base64 in "blob"', isContents] },
};

/** What a block of any type may hold. */
const commonFields: Readonly<Record<string, BlockField>> = {
  annotations: ['annotations of MCP', optionalBlockField(isAnnotations)],
  _meta: ['an object', optionalBlockField(isRecord)],
};

/** Something with the form of an MCP content block, whatever it holds. */
export function isBlock(value: unknown): value is { type: string } & Record<string, unknown> {
  return isRecord(value) && typeof value.type === 'string';
}

/** Whether a value is a well-formed content block of a type that MCP knows. */
export function isContentBlock(value: unknown): value is { type: string } & Record<string, unknown> {
  return isBlock(value) && blockFault(value) === undefined;
}

/** What keeps something from being a well-formed content block, if anything does. */
export function blockFault(block: Readonly<Record<string, unknown>>): string | undefined {
  const type = String(block.type);
  if (!Object.hasOwn(blockTypes, type)) return `MCP has only ${Object.keys(blockTypes).join(', ')}`;
  const fields = Object.entries({ ...blockTypes[type], ...commonFields });
  const fault = fields.find(([key, [, check]]) => !check(block[key]));
  if (!fault) return undefined;
  const [key, [expected]] = fault;
  return block[key] === undefined ? `"${key}" is missing` : `"${key}" is not ${expected}`;
}

/** Whether something holds what only a block of its type does, and nothing that no such block would. */
export function looksLikeBlock(value: unknown): value is { type: string } & Record<string, unknown> {
  if (!isBlock(value) || !Object.hasOwn(blockTypes, value.type)) return false;
  const [main] = Object.keys(blockTypes[value.type]!);
  const known = new Set(['type', ...Object.keys({ ...blockTypes[value.type], ...commonFields })]);
  return Object.hasOwn(value, main!) && Object.keys(value).every((key) => known.has(key));
}

function isContents(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { uri, mimeType, text, blob, _meta } = value;
  return (
    isText(uri) &&
    optionalBlockField(isText)(mimeType) &&
    optionalBlockField(isRecord)(_meta) &&
    (isText(text) || isBase64(blob))
  );
}

/** Whether a value can be the annotations of a resource or a block. @see MCP, schema, Annotations */
export function isAnnotations(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const { audience, priority, lastModified } = value;
  return (
    optionalBlockField(isAudience)(audience) &&
    optionalBlockField(isPriority)(priority) &&
    optionalBlockField(isInstant)(lastModified)
  );
}

/** Whether a value can be the icons of something. @see MCP, schema, Icon */
export function isIcons(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isIcon);
}

function isIcon(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { src, mimeType, sizes, theme } = value;
  const isSizes: BlockFieldCheck = (list) => Array.isArray(list) && list.every(isText);
  return (
    isIconAddress(src) &&
    optionalBlockField(isText)(mimeType) &&
    optionalBlockField(isSizes)(sizes) &&
    optionalBlockField((one) => one === 'light' || one === 'dark')(theme)
  );
}

/** Clients load icons from the web, or from the address itself. */
export function isIconAddress(value: unknown): boolean {
  return typeof value === 'string' && /^(?:https?:\/\/.|data:)/i.test(value);
}

const isAudience: BlockFieldCheck = (value) =>
  Array.isArray(value) && value.every((reader) => reader === 'user' || reader === 'assistant');
const isPriority: BlockFieldCheck = (value) => typeof value === 'number' && value >= 0 && value <= 1;

const isInstant: BlockFieldCheck = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value));

/** By the platform's own decoder: a regular expression would run out of stack on large data. */
function isBase64(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    atob(value);
    return true;
  } catch {
    return false;
  }
}
