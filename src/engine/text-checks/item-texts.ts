import type { DocumentPath } from '../base/files/document-path.js';
import { checkText, quotePlain } from './check-text.js';

/** A fault of a text in an item: of a string, or of the key of an object. */
export interface ItemTextFault {
  readonly code: string;
  /** A sentence that names the text and its fault. */
  readonly message: string;
  /** Path of the string, or of the value of the key. */
  readonly path: DocumentPath;
  /** True if the text is a key. */
  readonly isKey: boolean;
  /** Set if the fault is more severe than its code. */
  readonly severity?: 'error';
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
    const isName = isNamePath(at, isKey);
    for (const { code, fault, isErrorInNames } of checkText(text)) {
      const subject = at.length === 0 ? '' : `${quotePlain(at.join('.'))} of `;
      yield {
        code,
        message: `${isKey ? 'The key ' : ''}${subject}${label} has ${fault}.`,
        path: at,
        isKey,
        ...(isName && isErrorInNames && { severity: 'error' }),
      };
    }
  }
}

interface FoundText {
  readonly text: string;
  readonly path: DocumentPath;
  readonly isKey: boolean;
}

function* textsIn(value: unknown, path: DocumentPath): Generator<FoundText> {
  if (typeof value === 'string') yield { text: value, path, isKey: false };
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const at = [...path, isList ? Number(key) : key];
    if (!isList) yield { text: key, path: at, isKey: true };
    yield* textsIn(member, at);
  }
}

/** True for the names of items, arguments and parameters, which models write in calls. */
function isNamePath(path: DocumentPath, isKey: boolean): boolean {
  if (isKey) return path.at(-2) === 'properties';
  return path.at(-1) === 'name' && (path.length === 1 || path.at(-3) === 'arguments');
}
