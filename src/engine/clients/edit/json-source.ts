import { explainFault } from '../../base/files/json-text.js';
import { ConfigError } from './editor.js';
import { lenientParts, skipBlanks, skipString, skipValue } from './json-scan.js';
import { RecentTexts } from './recent.js';

/** A JSON text and the positions of its values. */
export interface JsonSource {
  readonly text: string;
  /** Undefined if the text holds only blanks and comments. */
  readonly root: JsonNode | undefined;
  /** True if it has neither comments nor trailing commas. */
  readonly isStrict: boolean;
}

/** Maximum nesting depth. Prevents stack overflows in code that walks data. */
const maxJsonDepth = 500;

/**
 * Reads JSON with comments and trailing commas.
 * @throws ConfigError with the offset of the fault if the text is malformed.
 */
export function readJson(text: string): JsonSource {
  return recent.get(text, parseJson);
}

const recent = new RecentTexts<JsonSource>();

/** As `readJson`, for a text that is read once. */
export function parseJson(text: string): JsonSource {
  const start = skipBlanks(text, 0);
  if (start === text.length) return { text, root: undefined, isStrict: false };
  const length = skipValue(text, start, maxJsonDepth) - start;
  const isStrict = parseStrict(text) !== undefined;
  if (!isStrict && !parseStrict(withoutLenientParts(text))) {
    const { message, offset } = explainFault(text, { comments: true });
    throw new ConfigError(message, offset);
  }
  return { text, root: new JsonNode(text, start, start + length), isStrict };
}

function parseLenient(text: string): unknown {
  return (parseStrict(text) ?? parseStrict(withoutLenientParts(text)))?.data;
}

function parseStrict(text: string): { readonly data: unknown } | undefined {
  try {
    return { data: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** A space replaces each comment, so that it still separates tokens. */
function withoutLenientParts(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { kind, start, end } of [...lenientParts(text)].sort((one, other) => one.start - other.start)) {
    kept.push(text.slice(from, start), kind === 'comment' ? ' ' : '');
    from = end;
  }
  return kept.join('') + text.slice(from);
}

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'property';

/** A value or a property in a well-formed text. Its parts are located when they are used, one level at a time. */
export class JsonNode {
  readonly offset: number;
  readonly end: number;
  readonly parent: JsonNode | undefined;
  /** Offset of the colon of a property. */
  readonly colonOffset: number | undefined;
  readonly #text: string;
  #children: readonly JsonNode[] | undefined;
  #data: WeakRef<object> | undefined;

  /** Without an object for the arguments, for the speed of large files. */
  constructor(text: string, offset: number, end: number, parent?: JsonNode, colonOffset?: number) {
    this.#text = text;
    this.offset = offset;
    this.end = end;
    this.parent = parent;
    this.colonOffset = colonOffset;
  }

  get type(): JsonType {
    if (this.colonOffset !== undefined) return 'property';
    return types[this.#text[this.offset]!] ?? 'number';
  }

  /** As written. */
  get text(): string {
    return this.#text.slice(this.offset, this.end);
  }

  /**
   * The value, as from `JSON.parse`: the last of equal keys counts, and `__proto__` is an ordinary key. Not kept long: the
   * data of a large file take much memory.
   */
  get data(): unknown {
    const known = this.#data?.deref();
    if (known) return known;
    const data = parseLenient(this.text);
    if (typeof data === 'object' && data !== null) this.#data = new WeakRef(data);
    return data;
  }

  /** Properties of a map, values of a list, or key and value of a property. */
  get children(): readonly JsonNode[] {
    this.#children ??= this.#locate();
    return this.#children;
  }

  /** Returns the value in a map or list; of equal keys the last. Undefined if it is missing. */
  find(step: string | number): JsonNode | undefined {
    if (typeof step === 'number') return this.type === 'array' ? this.children[step] : undefined;
    if (this.type !== 'object') return undefined;
    return this.children.findLast(({ key }) => key === step)?.children[1];
  }

  /** Key of a property. */
  get key(): string {
    const raw = this.#text.slice(this.offset + 1, skipString(this.#text, this.offset) - 1);
    return raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw;
  }

  #locate(): readonly JsonNode[] {
    const text = this.#text;
    if (this.colonOffset !== undefined) {
      const start = skipBlanks(text, this.colonOffset + 1);
      return [
        new JsonNode(text, this.offset, skipString(text, this.offset), this),
        new JsonNode(text, start, this.end, this),
      ];
    }
    const isMap = this.type === 'object';
    if (!isMap && this.type !== 'array') return [];
    const parts: JsonNode[] = [];
    for (let at = skipBlanks(text, this.offset + 1); !'}]'.includes(text[at]!); ) {
      const colonOffset = isMap ? skipBlanks(text, skipString(text, at)) : undefined;
      const end = skipValue(text, colonOffset === undefined ? at : skipBlanks(text, colonOffset + 1));
      parts.push(new JsonNode(text, at, end, this, colonOffset));
      const next = skipBlanks(text, end);
      at = text[next] === ',' ? skipBlanks(text, next + 1) : next;
    }
    return parts;
  }
}

const types: Readonly<Record<string, JsonType>> = {
  '{': 'object',
  '[': 'array',
  '"': 'string',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
};
