import type { Node } from 'yaml';
import type { ConfigValue } from './editor.js';
import { startOfLine } from './text-lines.js';
import { isQuoted, readFlowItems, type YamlCollection } from './yaml-layout.js';
import {
  afterComments,
  beginsLine,
  blanksBefore,
  endsLine,
  insertion,
  lineAfter,
  linesAt,
  type TextEdit,
} from './yaml-lines.js';
import { flowPair, flowText } from './yaml-print.js';

/** A value with its key in a map, or its index in a list. */
export interface Member {
  readonly key: string | number;
  readonly value: ConfigValue;
}

/** Edits that append a member inside brackets; on a separate line if the last member is on one. */
export function insertFlow(
  text: string,
  root: Node,
  holder: YamlCollection,
  { key, value }: Member,
): readonly TextEdit[] {
  const { start, items, commas } = readFlowItems(holder);
  const how = { quoted: isQuoted([holder, root]) };
  const put = typeof key === 'number' ? flowText(value, how) : flowPair(key, value, how);
  const last = items.at(-1);
  if (!last) return [insertion(start, `${/[ \t]/.test(text[start]!) ? ' ' : ''}${put}`)];

  const comma = commas.at(-1);
  const end = comma === undefined ? last.to : comma + 1;
  if (!beginsLine(text, last.from) || !endsLine(text, end)) {
    return [insertion(end, comma === undefined ? `, ${put}` : ` ${put},`)];
  }
  const indent = text.slice(startOfLine(text, last.from), last.from);
  const line = linesAt(text, afterComments(text, lineAfter(text, end), 0), [
    `${indent}${put}${comma === undefined ? '' : ','}`,
  ]);
  return comma === undefined ? [insertion(last.to, ','), line] : [line];
}

/** Edits that remove a member inside brackets, with a comma. */
export function removeFlow(text: string, holder: YamlCollection, index: number): readonly TextEdit[] {
  const { items, commas } = readFlowItems(holder);
  const { from, to } = items[index]!;
  const comma = commas[index];
  const before = commas[index - 1];
  const end = comma === undefined ? to : comma + 1;
  const parting =
    comma === undefined && before !== undefined ? [{ from: before, to: before + 1, text: '' }] : [];
  if (beginsLine(text, from) && endsLine(text, end)) {
    return [...parting, { from: startOfLine(text, from), to: lineAfter(text, end), text: '' }];
  }
  if (index === items.length - 1 || endsLine(text, end)) {
    return [...parting, { from: blanksBefore(text, from), to: end, text: '' }];
  }
  const next = end + /^[ \t]*/.exec(text.slice(end))![0].length;
  return [{ from, to: next, text: '' }];
}
