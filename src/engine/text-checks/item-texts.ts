import type { DocumentPath } from '../base/files/document-path.js';
import { checkText, quotePlain } from './check-text.js';
import type { TextSeverity } from './hidden-characters.js';

/** A fault of a text in an item: of a string, or of the key of an object. */
export interface ItemTextFault {
  readonly code: string;
  /** A sentence that names the text and its fault. */
  readonly message: string;
  /** Path of the string, or of the value of the key. */
  readonly path: DocumentPath;
  /** True if the text is a key. */
  readonly isKey: boolean;
  readonly severity: TextSeverity;
  /** The text around the fault, with escapes for all unusual characters. */
  readonly excerpt: string;
  /** The whole text. */
  readonly text: string;
}

interface ItemLabel {
  /** The item in a sentence, such as `the tool "add"`. */
  readonly label: string;
  /** Path of the checked part in the item. Default: the whole item. */
  readonly path?: DocumentPath;
}

/** Checks all strings and keys of an item, or of a part of it. */
export function* checkItemTexts(part: unknown, { label, path = [] }: ItemLabel): Generator<ItemTextFault> {
  for (const { text, path: at, isKey } of textsIn(part, path)) {
    for (const { code, severity, fault, index } of checkText(text, { isName: isNamePath(at, isKey) })) {
      const subject = at.length === 0 ? '' : `${quotePlain(at.join('.'))} of `;
      const message = `${isKey ? 'The key ' : ''}${subject}${label} has ${fault}.`;
      yield { code, severity, message, path: at, isKey, text, excerpt: excerptAt(text, index) };
    }
  }
}

/** Characters before and after a fault in its excerpt. */
const context = 25;

/** The text around a fault, with escapes for all unusual characters. */
export function excerptAt(text: string, index: number): string {
  const start = Math.max(0, index - context);
  const end = index + context;
  return quotePlain(`${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`);
}

interface FoundText {
  readonly text: string;
  readonly path: DocumentPath;
  readonly isKey: boolean;
}

/** All strings and keys, in their order. Iterative, since data of others can be deep. */
function* textsIn(part: unknown, start: DocumentPath): Generator<FoundText> {
  const left: [value: unknown, path: DocumentPath, key?: string][] = [[part, start]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, path, key] = next;
    if (key !== undefined) yield { text: key, path, isKey: true };
    if (typeof value === 'string') yield { text: value, path, isKey: false };
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, member] of Object.entries(value).reverse())
      left.push(isList ? [member, [...path, Number(name)]] : [member, [...path, name], name]);
  }
}

/** True for the names of items, arguments and parameters, which models write in calls. */
function isNamePath(path: DocumentPath, isKey: boolean): boolean {
  if (isKey) return path.at(-2) === 'properties';
  return path.at(-1) === 'name' && (path.length === 1 || path.at(-3) === 'arguments');
}
