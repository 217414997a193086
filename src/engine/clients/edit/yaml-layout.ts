import { type CST, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { startOfLine } from './text-lines.js';
import type { YamlStyle } from './yaml-print.js';
import { nodesIn } from './yaml-source.js';

/** Where something stands in a text, comments and blanks around it not counted. */
export interface TextExtent {
  readonly from: number;
  /** After a block scalar: where the next line begins. */
  readonly to: number;
  /** A block scalar at its end whose value depends on the line end that follows. */
  readonly open: boolean;
}

/** Where a value stands or could stand: in a pair of a map, in an item of a list, as the whole document. */
export interface YamlSlot {
  readonly kind: 'root' | 'pair' | 'item';
  /** Whether it is in a map or list in flow form (`{}`, `[]`). */
  readonly flow: boolean;
  readonly value: Node | null;
  /** From the first character of its key, dash or value to the end of its value. */
  readonly whole: TextExtent;
  /** The value without tag and anchor; undefined if nothing is written. */
  readonly content: TextExtent | undefined;
  /** Where what comes before the value ends: colon, dash, tag, anchor. */
  readonly lead: number;
  /** Whether a colon is there. */
  readonly colon: boolean;
}

/** A collection in flow form: its items, and the commas after them as far as there are any. */
export interface FlowItems {
  /** After the opening bracket. */
  readonly start: number;
  readonly items: readonly TextExtent[];
  readonly commas: readonly (number | undefined)[];
}

export type YamlCollection = YAMLMap | YAMLSeq;

type YamlItem = CST.CollectionItem;
type YamlToken = CST.Token | null | undefined;
type YamlTokens = YamlToken | readonly CST.Token[];

export function rootPlace(root: Node): YamlSlot {
  const whole = findExtent(root.srcToken)!;
  return { kind: 'root', flow: false, value: root, whole, content: whole, lead: whole.from, colon: false };
}

export function pairPlace(map: YAMLMap, pair: Pair): YamlSlot {
  const { start, key, sep, value } = pair.srcToken as YamlItem;
  const whole = findExtent(start, key, sep, value)!;
  return {
    kind: 'pair',
    flow: isFlow(map),
    value: pair.value as Node | null,
    whole,
    content: findExtent(value),
    lead: findExtent(sep)?.to ?? whole.to,
    colon: sep?.some(({ type }) => type === 'map-value-ind') ?? false,
  };
}

export function itemPlace(list: YAMLSeq, index: number): YamlSlot {
  const { start, key, sep, value } = writtenItems(list)[index]!;
  const whole = findExtent(start, key, sep, value)!;
  return {
    kind: 'item',
    flow: isFlow(list),
    value: list.items[index] as Node,
    whole,
    content: findExtent(key, sep, value),
    lead: findExtent(start)?.to ?? whole.from,
    colon: false,
  };
}

/** What a map or list holds, in the order of the text. */
export function listSlots(holder: YamlCollection): readonly YamlSlot[] {
  return isMap(holder)
    ? holder.items.map((pair) => pairPlace(holder, pair))
    : holder.items.map((_, index) => itemPlace(holder, index));
}

/** Whether a collection is written with brackets. A pair in a list that has none of its own (`[a: 1]`) counts too. */
export function isFlow({ srcToken }: Node): boolean {
  return srcToken?.type === undefined || srcToken.type === 'flow-collection';
}

/** Where a key is written with a question mark. */
export function questionMarkOffset({ srcToken }: Pair): number | undefined {
  return (srcToken as YamlItem).start.find(({ type }) => type === 'explicit-key-ind')?.offset;
}

export function readFlowItems(holder: YamlCollection): FlowItems {
  const { start, items } = holder.srcToken as CST.FlowCollection;
  const written = items.filter(isWritten);
  return {
    start: start.offset + start.source.length,
    items: written.map((item) => findExtent(item.start, item.key, item.sep, item.value)!),
    commas: written.map((item) => commaBefore(items[items.indexOf(item) + 1])),
  };
}

/** Whether the first string in the given parts is in double quotes, as every one in JSON is. */
export function isQuoted(parts: readonly (Node | null)[]): boolean {
  const nodes = parts.flatMap((part) => [...nodesIn(part)]);
  return nodes.filter(isScalar).find(({ value }) => typeof value === 'string')?.type === 'QUOTE_DOUBLE';
}

/** The column of an offset: what YAML counts as indentation, dashes included. */
export function columnAt(text: string, offset: number): number {
  return offset - startOfLine(text, offset);
}

/** How a document is indented, told by the first of the given parts that shows it. */
export function detectYamlStyle(text: string, parts: readonly (Node | null)[]): YamlStyle {
  let step: number | undefined;
  let listStep: number | undefined;
  let dash: number | undefined;
  for (const holder of parts.flatMap((part) => [...nodesIn(part)])) {
    if (!(isMap(holder) || isSeq(holder)) || isFlow(holder)) continue;
    for (const { whole, value, content } of listSlots(holder)) {
      if (!value || !content || isFlow(value)) continue;
      const columns = columnAt(text, content.from) - columnAt(text, whole.from);
      if (isMap(holder) && isMap(value)) step ??= columns;
      if (isMap(holder) && isSeq(value)) listStep ??= columns;
      if (isSeq(holder) && isMap(value) && isSameLine(text, whole.from, content.from)) dash ??= columns;
    }
  }
  step ??= listStep || 2;
  return { step, listStep: listStep ?? step, dash: dash ?? 2 };
}

function isSameLine(text: string, from: number, to: number): boolean {
  return startOfLine(text, from) === startOfLine(text, to);
}

/** Items of a list without what the parser keeps only for the comments in it. */
function writtenItems({ srcToken }: YAMLSeq): readonly YamlItem[] {
  return (srcToken as CST.FlowCollection | CST.BlockSequence).items.filter(isWritten);
}

function isWritten({ start, key, sep, value }: YamlItem): boolean {
  return findExtent(start, key, sep, value) !== undefined;
}

function commaBefore(item: YamlItem | undefined): number | undefined {
  return item?.start.find(({ type }) => type === 'comma')?.offset;
}

const blankTypes: readonly string[] = ['space', 'newline', 'comment', 'comma', 'flow-error-end'];

function findExtent(...parts: readonly YamlTokens[]): TextExtent | undefined {
  const tokens = parts.flat();
  const first = findEdgeToken(tokens, 'first');
  const last = findEdgeToken(tokens, 'last');
  return first && last && { from: first.offset, to: last.offset + tokenLength(last), open: isOpen(last) };
}

/** The first or last token that is neither blank nor comment nor comma. */
function findEdgeToken(tokens: readonly YamlToken[], side: 'first' | 'last'): CST.Token | undefined {
  for (const index of tokens.keys()) {
    const token = tokens.at(side === 'first' ? index : -1 - index);
    const edge = token && findEdgeIn(token, side);
    if (edge) return edge;
  }
  return undefined;
}

function findEdgeIn(token: CST.Token, side: 'first' | 'last'): CST.Token | undefined {
  if (blankTypes.includes(token.type)) return undefined;
  if (token.type === 'flow-collection')
    return side === 'first' ? token.start : findEdgeToken(token.end, side);
  if (!('items' in token)) return token;
  for (const index of token.items.keys()) {
    const { start, key, sep, value } = token.items.at(side === 'first' ? index : -1 - index) as YamlItem;
    const edge = findEdgeToken([start, key, sep, value].flat(), side);
    if (edge) return edge;
  }
  return undefined;
}

function tokenLength(leaf: CST.Token): number {
  const source = 'source' in leaf ? leaf.source.length : 0;
  if (leaf.type !== 'block-scalar') return source;
  return leaf.props.reduce((length, part) => length + tokenLength(part), source);
}

/** Without a final line end, readers do not agree whether such a scalar has one; with `-` it has none. */
function isOpen(leaf: CST.Token): boolean {
  if (leaf.type !== 'block-scalar') return false;
  return leaf.props.some((part) => part.type === 'block-scalar-header' && !part.source.includes('-'));
}
