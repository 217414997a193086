import type { DocumentPath } from '../base/files/document-path.js';
import { configValueAt, withoutValue, withValue } from '../clients/edit/config-path.js';
import { ConfigError, type ConfigValue } from '../clients/edit/editor.js';
import { jsonEditor, renameJsonKey } from '../clients/edit/json.js';
import type { DocumentEdit, Fix } from '../extension/diagnostics.js';

const editor = jsonEditor();
const bom = '\uFEFF';

/** A text after some of the fixes. */
export interface EditedDocument {
  readonly text: string;
  readonly applied: readonly Fix[];
}

/**
 * Applies fixes to the text of a data file. Every other byte stays. Skips a fix that the text does not allow, for example
 * because another one changed its place.
 */
export function editDocument(text: string, fixes: readonly Fix[]): EditedDocument {
  const start = text.startsWith(bom) ? bom.length : 0;
  let body = text.slice(start);
  const applied: Fix[] = [];
  for (const fix of inSafeOrder(fixes)) {
    try {
      const after = fix.edits.reduce(applyEdit, body);
      if (after === body) continue;
      body = after;
      applied.push(fix);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
  return { text: text.slice(0, start) + body, applied };
}

/** Deep places first and later list entries first, so that no fix changes the path of a later one. */
function inSafeOrder(fixes: readonly Fix[]): readonly Fix[] {
  return fixes.toSorted((a, b) => {
    const [one, other] = [a.edits.at(-1)!.path, b.edits.at(-1)!.path];
    return other.length - one.length || compareIndexes(other, one);
  });
}

function compareIndexes(one: DocumentPath, other: DocumentPath): number {
  for (const [depth, key] of one.entries()) {
    const held = other[depth];
    if (typeof key === 'number' && typeof held === 'number' && key !== held) return key - held;
  }
  return 0;
}

/** @throws ConfigError if the edit is impossible, or would change more than its value */
function applyEdit(text: string, edit: DocumentEdit): string {
  const data = editor.parse(text);
  const after = editText(text, data, edit);
  if (after !== text && !isSame(editor.parse(after), editedData(data, edit)))
    throw new ConfigError('It cannot be edited safely: more than the value would change.');
  return after;
}

function editText(text: string, data: unknown, edit: DocumentEdit): string {
  const { path } = edit;
  const held = configValueAt(data, path);
  if ('rename' in edit) return renameJsonKey(text, path, edit.rename);
  if ('remove' in edit) {
    const after = editor.remove(text, path);
    if (countComments(after) < countComments(text)) throw new ConfigError('It holds comments.');
    return after;
  }
  if ('append' in edit) {
    if (held === undefined) return editor.set(text, path, [edit.append]);
    if (!Array.isArray(held)) throw new ConfigError('It is not a list.');
    return held.includes(edit.append) ? text : editor.set(text, [...path, held.length], edit.append);
  }
  return isSame(held, edit.value) ? text : editor.set(text, path, edit.value as ConfigValue);
}

function editedData(data: unknown, edit: DocumentEdit): unknown {
  const { path } = edit;
  if ('rename' in edit) {
    const holder = configValueAt(data, path.slice(0, -1)) as Readonly<Record<string, unknown>>;
    const entries = Object.entries(holder).map(([key, value]) => [
      key === path.at(-1) ? edit.rename : key,
      value,
    ]);
    return withValue(data, path.slice(0, -1), Object.fromEntries(entries));
  }
  if ('remove' in edit) return withoutValue(data, path);
  if ('append' in edit) {
    const held = configValueAt(data, path);
    return withValue(data, path, [...(Array.isArray(held) ? held : []), edit.append]);
  }
  return withValue(data, path, edit.value);
}

/** Compares the order of keys, too: it is the order of items that clients see. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function countComments(text: string): number {
  return text.match(/\/[/*]/g)?.length ?? 0;
}
