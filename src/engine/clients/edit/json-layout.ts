import type { ConfigValue } from './editor.js';
import type { JsonNode } from './json-source.js';
import { breaksLine } from './json-tokens.js';
import { detectLineEnd, indentAt, startOfLine } from './text-lines.js';

/** Layout of a value: all on one line, or each member on a separate line. */
export type JsonLayout =
  | { readonly kind: 'line'; readonly gap: string; readonly padding: string }
  | { readonly kind: 'lines'; readonly eol: string; readonly indent: string; readonly unit: string };

/** A value to insert under a key of a map, or into a list. */
export interface Member {
  readonly key: string | number;
  readonly value: ConfigValue;
}

/** Prints a value. The first line is not indented. */
export function render(value: ConfigValue, layout: JsonLayout): string {
  if (layout.kind === 'line') return renderLine(value, layout.gap, layout.padding);
  const { eol, indent, unit } = layout;
  return JSON.stringify(value, null, '\t')
    .split('\n')
    .map((line) => line.replace(/^\t+/, (tabs) => unit.repeat(tabs.length)))
    .join(eol + indent);
}

export function renderMember({ key, value }: Member, layout: JsonLayout): string {
  if (typeof key === 'number') return render(value, layout);
  const gap = layout.kind === 'line' ? layout.gap : ' ';
  return `${JSON.stringify(key)}:${gap}${render(value, layout)}`;
}

/** Layout for a new member of a map or list: as the existing members. */
export function layoutIn(text: string, holder: JsonNode): JsonLayout {
  const members = holder.children;
  const last = members.at(-1);
  const outer = parentCollection(holder);
  if (last && !beginsLine(text, last) && !breaksLine(text.slice(last.end, holder.end))) {
    return { kind: 'line', gap: gapIn(holder), padding: detectPadding(text, holder) };
  }
  if (!last && outer && !breaksLine(text.slice(outer.offset, outer.end))) {
    return { kind: 'line', gap: gapIn(outer), padding: detectPadding(text, outer) };
  }
  const unit = unitAround(text, holder);
  const model = members.findLast((member) => beginsLine(text, member));
  const indent = model ? indentAt(text, model.offset) : indentAt(text, holder.offset) + unit;
  return { kind: 'lines', eol: detectLineEnd(text), indent, unit };
}

/** Layout for a value that replaces another. */
export function layoutFor(text: string, node: JsonNode): JsonLayout {
  const member = node.parent?.type === 'property' ? node.parent : node;
  const holder = member.parent;
  const isOneLine = !breaksLine(text.slice(node.offset, node.end));
  const sharesLine = holder && !beginsLine(text, member);
  if (isOneLine && (sharesLine || node.children.length > 0)) {
    const model = node.type === 'object' || !holder ? node : holder;
    return { kind: 'line', gap: gapIn(model), padding: detectPadding(text, model) };
  }
  return {
    kind: 'lines',
    eol: detectLineEnd(text),
    indent: indentAt(text, member.offset),
    unit: unitAround(text, holder ?? node),
  };
}

/** The map or list that contains a map or list. */
export function parentCollection({ parent }: JsonNode): JsonNode | undefined {
  return parent?.type === 'property' ? parent.parent : parent;
}

/** Padding between the bracket of a one-line map and its first member. */
export function detectPadding(text: string, holder: JsonNode): string {
  return /^[ \t]/.test(text.slice(holder.offset + 1, holder.offset + 2)) ? ' ' : '';
}

function renderLine(value: ConfigValue, gap: string, padding: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, held]) => {
    const written = renderLine(held, gap, padding);
    return isList ? written : `${JSON.stringify(key)}:${gap}${written}`;
  });
  const inside = members.join(`,${gap}`);
  if (isList) return `[${inside}]`;
  return members.length === 0 ? '{}' : `{${padding}${inside}${padding}}`;
}

/** Space after colons and commas on one line; empty if the text is compact. */
function gapIn(holder: JsonNode): string {
  const property = firstProperty(holder) ?? (holder.parent?.type === 'property' ? holder.parent : undefined);
  if (!property) return ' ';
  return property.children[1]!.offset === property.colonOffset! + 1 ? '' : ' ';
}

function firstProperty(node: JsonNode): JsonNode | undefined {
  for (const inner of nodesIn(node)) if (inner.type === 'property') return inner;
  return undefined;
}

/** Indentation of one level, searched from a map or list outwards. Default: two spaces. */
function unitAround(text: string, holder: JsonNode): string {
  for (let node: JsonNode | undefined = holder; node; node = node.parent) {
    for (const inner of nodesIn(node)) {
      const unit = detectIndentUnit(text, inner);
      if (unit !== undefined) return unit;
    }
  }
  return '  ';
}

function detectIndentUnit(text: string, node: JsonNode): string | undefined {
  const first = node.children[0];
  if (!first || node.type === 'property' || !beginsLine(text, first)) return undefined;
  const outer = indentAt(text, node.offset);
  const inner = indentAt(text, first.offset);
  return inner.length > outer.length && inner.startsWith(outer) ? inner.slice(outer.length) : undefined;
}

function* nodesIn(node: JsonNode): Generator<JsonNode> {
  yield node;
  for (const child of node.children) yield* nodesIn(child);
}

function beginsLine(text: string, { offset }: JsonNode): boolean {
  return text.slice(startOfLine(text, offset), offset).trim() === '';
}
