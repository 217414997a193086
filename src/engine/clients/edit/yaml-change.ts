import { isCollection, isMap, type Node } from 'yaml';
import { ConfigError, type ConfigValue } from './editor.js';
import { detectLineEnd, startOfLine } from './text-lines.js';
import { insertFlow, type Member, removeFlow } from './yaml-flow.js';
import {
  columnAt,
  detectYamlStyle,
  isFlow,
  isQuoted,
  slotsOf,
  type YamlCollection,
  type YamlSlot,
} from './yaml-layout.js';
import {
  afterComments,
  beginsLine,
  blanksBefore,
  change,
  endOffset,
  insertHangingLines,
  insertion,
  isLastOnLine,
  lineAfter,
  linesAt,
  removeLines,
  type TextEdit,
} from './yaml-lines.js';
import { blockLines, flowText, indentLines, inlineText, isList } from './yaml-print.js';

/** Edits that write a document into a text of blanks, comments and markers only. */
export function fillDocument(text: string, value: ConfigValue): readonly TextEdit[] {
  const end = text.search(/^\.\.\.(?=\s|$)/m);
  return [linesAt(text, end === -1 ? text.length : end, blockLines(value, detectYamlStyle(text, [])))];
}

/** Edits that replace a value, or insert a missing one. */
export function putValue(text: string, root: Node, place: YamlSlot, value: ConfigValue): readonly TextEdit[] {
  const { content, lead } = place;
  const how = { quoted: isQuoted([place.value, root]) };
  if (place.flow) {
    if (content) return [change(text, content, flowText(value, how))];
    return [insertion(lead, `${place.kind === 'item' || place.colon ? '' : ':'} ${flowText(value, how)}`)];
  }
  const keepsFlow = isCollection(place.value) && isFlow(place.value) && place.value.items.length > 0;
  const inline = keepsFlow ? flowText(value, how) : inlineText(value);
  if (inline === undefined) return putLines(text, root, place, value);

  if (!content) return [insertion(lead, ` ${inline}`)];
  if (!isBlock(place.value) || !beginsLine(text, content.from)) return [change(text, content, inline)];
  return [insertion(lead, ` ${inline}`), removeLines(text, content)];
}

/** Edits that append a member to a map or list. */
export function insertYamlMember(
  text: string,
  root: Node,
  place: YamlSlot,
  member: Member,
): readonly TextEdit[] {
  const holder = place.value as YamlCollection;
  if (isPlainlyEmpty(text, place)) return putLines(text, root, place, memberToValue(member));
  if (isFlow(holder)) return insertFlow(text, root, holder, member);

  const slots = slotsOf(holder);
  const { whole } = slots(holder.items.length - 1);
  if (whole.open && whole.to === text.length && !text.endsWith('\n')) {
    throw new ConfigError(
      'The file ends in a block scalar without a final newline, and a newline can change its value.',
      text.length,
      'Add a final newline, then try again.',
    );
  }
  const column = columnAt(text, slots(0).whole.from);
  const lines = blockLines(memberToValue(member), detectYamlStyle(text, [holder, root]));
  const inside = Math.max(column, place.kind === 'root' ? 0 : columnAt(text, place.whole.from) + 1);
  return [
    linesAt(
      text,
      afterComments(text, lineAfter(text, endOffset(text, whole)), inside),
      indentLines(lines, column),
    ),
  ];
}

/** Edits that remove a member from the map or list in a slot; without other members, an empty one remains. */
export function removeMember(text: string, place: YamlSlot, index: number): readonly TextEdit[] {
  const holder = place.value as YamlCollection;
  if (isFlow(holder)) return removeFlow(text, holder, index);

  const slots = slotsOf(holder);
  const { whole } = slots(index);
  const isOwnLine = beginsLine(text, whole.from);
  if (holder.items.length === 1) {
    const empty = isMap(holder) ? '{}' : '[]';
    if (place.kind === 'root' || !isOwnLine) return [change(text, whole, empty)];
    return [insertion(place.lead, ` ${empty}`), removeLines(text, whole)];
  }
  if (isOwnLine) return [removeLines(text, whole, index > 0 ? slots(index - 1).whole : undefined)];

  const next = slots(index + 1).whole.from;
  const end = endOffset(text, whole);
  if (/^[ \t\r\n]*$/.test(text.slice(end, next))) return [{ from: whole.from, to: next, text: '' }];
  return [{ from: whole.from, to: end + /^[ \t]*/.exec(text.slice(end))![0].length, text: '' }];
}

/** Inserts or replaces a value that needs separate lines. */
function putLines(text: string, root: Node, place: YamlSlot, value: ConfigValue): readonly TextEdit[] {
  const { kind, content, lead, value: old } = place;
  const style = detectYamlStyle(text, [old, root]);
  const lines = blockLines(value, style);
  const outer = kind === 'root' ? -1 : columnAt(text, place.whole.from);
  const steps = { root: 1, item: style.dash, pair: isList(value) ? style.listStep : style.step };
  const column = outer + steps[kind];

  if (content && isBlock(old)) {
    const current = columnAt(text, content.from);
    const kept = current > outer || isList(value) ? current : column;
    if (!beginsLine(text, content.from))
      return [change(text, content, insertHangingLines(text, lines, kept))];
    const whole = { ...content, from: startOfLine(text, content.from) };
    return [change(text, whole, indentLines(lines, kept).join(detectLineEnd(text)))];
  }

  const end = content ? endOffset(text, content) : lead;
  const isLast = isLastOnLine(text, end);
  // After an anchor on the same line, the anchor would name the first key.
  const isDashOnly = kind === 'item' && lead === place.whole.from + 1;
  if (content && (isDashOnly || (isLast && beginsLine(text, content.from)))) {
    return [change(text, content, insertHangingLines(text, lines, columnAt(text, content.from)))];
  }
  if (!content && isDashOnly && isLast) {
    return [insertion(lead, ` ${insertHangingLines(text, lines, columnAt(text, lead) + 1)}`)];
  }
  const offset = afterComments(text, lineAfter(text, end), outer + 1);
  const added = linesAt(text, offset, indentLines(lines, column));
  return content ? [{ from: blanksBefore(text, content.from), to: end, text: '' }, added] : [added];
}

/**
 * True if a map or list is written `: {}` or `: []`. An insertion turns it into lines, and the removal of the
 * last member turns these back.
 */
function isPlainlyEmpty(text: string, { kind, flow, value, lead, content }: YamlSlot): boolean {
  if (flow || !content || !isCollection(value) || value.items.length > 0) return false;
  if (!/^(?:\{\}|\[\])$/.test(text.slice(content.from, content.to))) return false;
  if (kind !== 'root') return text.slice(lead, content.from) === ' ';
  return beginsLine(text, content.from) && isLastOnLine(text, content.to);
}

function memberToValue({ key, value }: Member): ConfigValue {
  return typeof key === 'number' ? [value] : Object.fromEntries([[key, value]]);
}

function isBlock(node: Node | null): boolean {
  return isCollection(node) && !isFlow(node);
}
