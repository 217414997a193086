import {
  detectPadding,
  type JsonLayout,
  layoutIn,
  type Member,
  parentCollection,
  renderMember,
} from './json-layout.js';
import type { JsonNode } from './json-source.js';
import {
  breaksLine,
  isComma,
  isComment,
  isLineComment,
  type JsonToken,
  tokensBetween,
} from './json-tokens.js';
import { detectLineEnd, indentAt } from './text-lines.js';

/** Inserts a new last member into a map or list. `removeMember` is the inverse, to the byte. */
export function insertJsonMember(text: string, holder: JsonNode, member: Member): string {
  const close = holder.end - 1;
  const last = holder.children.at(-1);
  const start = last ? last.end : holder.offset + 1;
  const tokens = [...tokensBetween(text, start, close)];
  const layout = layoutIn(text, holder);
  const written = renderMember(member, layout);
  if (!last && tokens.length === 0) {
    const [lead, rear] = frame(text.slice(start, close), layout, closingLineBreak(text, holder));
    return text.slice(0, start) + lead + written + rear + text.slice(close);
  }
  const anchor = anchorAmong(text, { start, tokens, close });
  const lead = layout.kind === 'lines' ? layout.eol + layout.indent : layout.gap;
  const hasComma = tokens.some(isComma);
  return [
    text.slice(0, start),
    last && !hasComma ? ',' : '',
    text.slice(start, anchor),
    lead + written,
    last && hasComma ? ',' : '',
    text.slice(anchor),
  ].join('');
}

/** Removes a member, with its comma and the comments that end its line. Comments on separate lines stay. */
export function removeMember(text: string, member: JsonNode): string {
  const holder = member.parent!;
  const members = holder.children;
  const index = members.indexOf(member);
  const open = holder.offset + 1;
  const close = holder.end - 1;
  const from = index > 0 ? members[index - 1]!.end : open;
  const to = members[index + 1]?.offset ?? close;
  const before = [...tokensBetween(text, from, member.offset)];
  const after = [...tokensBetween(text, member.end, to)];
  const own = findAttached(text, member, after, to);
  const end = own.at(-1)?.end ?? member.end;
  const isBare = own.length === after.length;

  if (members.length === 1 && before.length === 0 && isBare) {
    const blanks = unframe([text.slice(open, member.offset), text.slice(end, close)], text, holder);
    return text.slice(0, open) + blanks + text.slice(close);
  }
  if (index === 0 && own.some(isComma) && isBare) return removeStretches(text, [member.offset, to]);

  const hasBreak = breaksLine(text.slice(end, after[own.length]?.start ?? to));
  const endOfAll = (tokens: readonly JsonToken[], otherwise: number) => {
    const last = tokens.at(-1);
    // Text after a line comment must not become part of it.
    if (last && isLineComment(last) && !hasBreak) return otherwise;
    return last?.end ?? from;
  };
  if (own.some(isComma)) return removeStretches(text, [endOfAll(before, member.offset), end]);

  const comma = before.findIndex(isComma);
  if (comma === -1) {
    const stray = after.find(isComma);
    return removeStretches(text, [endOfAll(before, member.offset), end], stray && [stray.start, stray.end]);
  }
  const { start } = before[comma]!;
  if (comma === before.length - 1)
    return removeStretches(text, [endOfAll(before.slice(0, comma), start), end]);
  return removeStretches(text, [start, start + 1], [endOfAll(before, member.offset), end]);
}

/**
 * Tokens after a member that belong to it: its comma on the same line, and the comments that end that line.
 */
function findAttached(
  text: string,
  member: JsonNode,
  after: readonly JsonToken[],
  to: number,
): readonly JsonToken[] {
  let end = member.end;
  let count = 0;
  for (const token of after) {
    if (breaksLine(text.slice(end, token.start))) break;
    end = token.end;
    count++;
  }
  const attached = after.slice(0, count);
  if (breaksLine(text.slice(end, after[count]?.start ?? to))) return attached;
  return attached.slice(0, attached.findLastIndex(isComma) + 1);
}

/**
 * Offset for a new last member: after all comments, except those on the line of the closing bracket. These
 * count too if other text before them is on the same line.
 */
function anchorAmong(
  text: string,
  { start, tokens, close }: { start: number; tokens: readonly JsonToken[]; close: number },
): number {
  let first = tokens.length;
  let closing = close;
  while (
    first > 0 &&
    isComment(tokens[first - 1]!) &&
    !breaksLine(text.slice(tokens[first - 1]!.end, closing))
  ) {
    closing = tokens[--first]!.start;
  }
  const before = tokens[first - 1]?.end ?? start;
  return breaksLine(text.slice(before, closing)) ? before : (tokens.at(-1)?.end ?? start);
}

/** Text before and after the first member of a map of blanks. `unframe` recovers the blanks from it. */
function frame(blanks: string, layout: JsonLayout, closing: string): readonly [lead: string, rear: string] {
  if (layout.kind === 'line') {
    if (blanks === '') return [layout.padding, layout.padding];
    return [layout.padding === '' ? blanks : '', blanks];
  }
  const lead = layout.eol + layout.indent;
  if (blanks === '') return [lead, closing];
  if (!breaksLine(blanks)) return [blanks + lead, closing];
  return [blanks === closing ? layout.eol + lead : lead, blanks];
}

/** Blanks that remain in a map after its only member is removed. */
function unframe(
  [lead, rear]: readonly [lead: string, rear: string],
  text: string,
  holder: JsonNode,
): string {
  if (!breaksLine(lead)) {
    const outer = parentCollection(holder);
    const padding = outer ? detectPadding(text, outer) : lead;
    return lead === padding && rear === padding ? '' : rear;
  }
  if (rear !== closingLineBreak(text, holder)) return rear;
  const [first, ...others] = lead.split(/\r\n|\r|\n/);
  if (first !== '') return first!;
  return others.length > 1 ? rear : '';
}

/** Line break and indentation before a closing bracket on a separate line. */
function closingLineBreak(text: string, holder: JsonNode): string {
  return detectLineEnd(text) + indentAt(text, holder.offset);
}

function removeStretches(
  text: string,
  ...stretches: readonly (readonly [start: number, end: number] | undefined)[]
): string {
  let kept = '';
  let from = 0;
  for (const stretch of stretches) {
    if (!stretch) continue;
    kept += text.slice(from, stretch[0]);
    from = stretch[1];
  }
  return kept + text.slice(from);
}
