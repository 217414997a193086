import { isRecord, isString } from '../base/value-checks.js';

type BlockFieldCheck = (value: unknown) => boolean;
const optionalBlockField =
  (check: BlockFieldCheck): BlockFieldCheck =>
  (value) =>
    value === undefined || check(value);

/** Expected value of a field, in words and as a check. */
type BlockField = readonly [expected: string, check: BlockFieldCheck];

const textField: BlockField = ['a string', isString];
const base64: BlockField = ['base64', isBase64];
const optionalText: BlockField = ['a string', optionalBlockField(isString)];

/**
 * Block types of MCP with their fields. The protocol layer would reject an invalid block with an error that
 * neither the model nor the author sees.
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

/** Optional fields of every block type. */
const commonFields: Readonly<Record<string, BlockField>> = {
  annotations: ['annotations of MCP', optionalBlockField(isAnnotations)],
  _meta: ['an object', optionalBlockField(isRecord)],
};

/** True for an object with a `type`, as MCP content blocks have. Checks no other field. */
export function isBlock(value: unknown): value is { type: string } & Record<string, unknown> {
  return isRecord(value) && typeof value.type === 'string';
}

/** True for a well-formed content block of a type that MCP knows. */
export function isContentBlock(value: unknown): value is { type: string } & Record<string, unknown> {
  return isBlock(value) && blockFault(value) === undefined;
}

/** Returns the reason that a value is not a well-formed content block; undefined if it is one. */
export function blockFault(block: Readonly<Record<string, unknown>>): string | undefined {
  const type = String(block.type);
  if (!Object.hasOwn(blockTypes, type)) return `MCP has only ${Object.keys(blockTypes).join(', ')}`;
  const fields = Object.entries({ ...blockTypes[type], ...commonFields });
  const fault = fields.find(([key, [, check]]) => !check(block[key]));
  if (!fault) return undefined;
  const [key, [expected]] = fault;
  return block[key] === undefined ? `"${key}" is missing` : `"${key}" is not ${expected}`;
}

/** True if a value has the main field of its block type and no unknown fields. */
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
    isString(uri) &&
    optionalBlockField(isString)(mimeType) &&
    optionalBlockField(isRecord)(_meta) &&
    (isString(text) || isBase64(blob))
  );
}

/** True for valid annotations of a resource or a block. @see MCP, schema, Annotations */
export function isAnnotations(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const { audience, priority, lastModified } = value;
  return (
    optionalBlockField(isAudience)(audience) &&
    optionalBlockField(isPriority)(priority) &&
    optionalBlockField(isInstant)(lastModified)
  );
}

/** True for a valid list of icons. @see MCP, schema, Icon */
export function isIcons(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isIcon);
}

function isIcon(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { src, mimeType, sizes, theme } = value;
  const isSizes: BlockFieldCheck = (list) => Array.isArray(list) && list.every(isString);
  return (
    isIconAddress(src) &&
    optionalBlockField(isString)(mimeType) &&
    optionalBlockField(isSizes)(sizes) &&
    optionalBlockField((one) => one === 'light' || one === 'dark')(theme)
  );
}

/** True for an `http:`, `https:` or `data:` URL. */
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

/** Uses the platform's decoder: a regular expression would overflow the stack on large data. */
function isBase64(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    atob(value);
    return true;
  } catch {
    return false;
  }
}
