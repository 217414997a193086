import { skipVoid } from './toml-scan.js';
import type { TomlInlineTable, TomlPair, TomlSource } from './toml-source.js';

/** Inserts a pair at the end of an inline table, before a trailing comma. */
export function insertTomlMember(
  { text }: TomlSource,
  { members, end }: TomlInlineTable,
  pair: string,
): string {
  const last = members.at(-1);
  if (last) return `${text.slice(0, last.end)}, ${pair}${text.slice(last.end)}`;
  return `${text.slice(0, end - 1)} ${pair} ${text.slice(end - 1)}`;
}

/** Removes a pair and its comma from an inline table; the inverse of `insertTomlMember`. */
export function cutMember({ text }: TomlSource, { members }: TomlInlineTable, member: TomlPair): string {
  const index = members.findIndex(({ start }) => start === member.start);
  const next = members[index + 1];
  if (next) return text.slice(0, member.start) + text.slice(next.start);

  const before = members[index - 1];
  const parting = skipVoid(text, (before ?? member).end);
  const comma = text[parting] === ',' ? parting : undefined;
  const after = text.slice(member.end);
  if (before) {
    const between = text.slice(comma! + 1, member.start).replace(/[ \t]+$/, '');
    return text.slice(0, comma) + between + after;
  }
  const rest = comma === undefined ? after : text.slice(member.end, comma) + text.slice(comma + 1);
  return text.slice(0, member.start).replace(/ $/, '') + rest.replace(/^ /, '');
}
