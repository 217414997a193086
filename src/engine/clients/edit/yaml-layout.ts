import {
  type CST,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { startOfLine } from './text-lines.js';
import type { YamlStyle } from './yaml-print.js';
import { nodesIn } from './yaml-source.js';

/** Extent of an element in a text, without surrounding comments and blanks. */
export interface TextExtent {
  readonly from: number;
  /** After a block scalar: the start of the next line. */
  readonly to: number;
  /** True if it ends in a block scalar and its value depends on the line end that follows. */
  readonly open: boolean;
}

/**
 * Position of an existing or possible value: in a pair of a map, in an item of a list, or as the whole
 * document.
 */
export interface YamlSlot {
  readonly kind: 'root' | 'pair' | 'item';
  /** True if it is in a map or list in flow form (`{}`, `[]`). */
  readonly flow: boolean;
  readonly value: Node | null;
  /** From the first character of the key, dash or value to the end of the value. */
  readonly whole: TextExtent;
  /** The value without tag and anchor; undefined if nothing is written. */
  readonly content: TextExtent | undefined;
  /** End of the text before the value: colon, dash, tag or anchor. */
  readonly lead: number;
  /** True if the pair has a colon. */
  readonly colon: boolean;
}

/** A collection in flow form: its items, and the comma after each item, if any. */
export interface FlowItems {
  /** Offset after the opening bracket. */
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

function itemPlace(list: YAMLSeq, index: number, { start, key, sep, value }: YamlItem): YamlSlot {
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

/** Returns a function that locates the members of a map or list by their index in text order. */
export function slotsOf(holder: YamlCollection): (index: number) => YamlSlot {
  if (isMap(holder)) return (index) => pairPlace(holder, holder.items[index]!);
  const written = writtenItems(holder);
  return (index) => itemPlace(holder, index, written[index]!);
}

/**
 * True if a collection is written with brackets. Also true for a pair in a list without braces (`[a: 1]`).
 */
export function isFlow({ srcToken }: Node): boolean {
  return srcToken?.type === undefined || srcToken.type === 'flow-collection';
}

/** Offset of the question mark of an explicit key; undefined if the key has none. */
export function questionMarkOffset({ srcToken }: Pair): number | undefined {
  return (srcToken as YamlItem).start.find(({ type }) => type === 'explicit-key-ind')?.offset;
}

export function readFlowItems(holder: YamlCollection): FlowItems {
  const { start, items } = holder.srcToken as CST.FlowCollection;
  const written = items.flatMap((item, index) => (isWritten(item) ? [{ item, next: items[index + 1] }] : []));
  return {
    start: start.offset + start.source.length,
    items: written.map(({ item }) => findExtent(item.start, item.key, item.sep, item.value)!),
    commas: written.map(({ next }) => commaBefore(next)),
  };
}

/** True if the first string in the given parts is in double quotes, as in JSON. */
export function isQuoted(parts: readonly (Node | null)[]): boolean {
  for (const part of parts)
    for (const node of nodesIn(part))
      if (isScalar(node) && typeof node.value === 'string') return node.type === 'QUOTE_DOUBLE';
  return false;
}

/** Column of an offset. YAML counts it as indentation, dashes included. */
export function columnAt(text: string, offset: number): number {
  return offset - startOfLine(text, offset);
}

/** Detects the indentation of a document from the first part that shows it. Default: two columns. */
export function detectYamlStyle(text: string, parts: readonly (Node | null)[]): YamlStyle {
  let step: number | undefined;
  let listStep: number | undefined;
  let dash: number | undefined;
  for (const part of parts) {
    for (const holder of nodesIn(part)) {
      if (!isCollection(holder) || isFlow(holder)) continue;
      let slots: ((index: number) => YamlSlot) | undefined;
      for (const [index, member] of holder.items.entries()) {
        const value = isPair(member) ? member.value : member;
        if (!isCollection(value) || isFlow(value)) continue;
        const isKnown = isMap(holder) ? (isMap(value) ? step : listStep) : isMap(value) ? dash : 0;
        if (isKnown !== undefined) continue;
        slots ??= slotsOf(holder as YamlCollection);
        const { whole, content } = slots(index);
        const columns = columnAt(text, content!.from) - columnAt(text, whole.from);
        if (isMap(holder) && isMap(value)) step = columns;
        else if (isMap(holder)) listStep = columns;
        else if (isSameLine(text, whole.from, content!.from)) dash = columns;
      }
    }
  }
  step ??= listStep || 2;
  return { step, listStep: listStep ?? step, dash: dash ?? 2 };
}

function isSameLine(text: string, from: number, to: number): boolean {
  return startOfLine(text, from) === startOfLine(text, to);
}

/** Items of a list, without those that the parser keeps only for their comments. */
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

/** The first or last token that is not a blank, comment or comma. */
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

/** Without a final line end, readers disagree on whether such a scalar has one. With `-` it has none. */
function isOpen(leaf: CST.Token): boolean {
  if (leaf.type !== 'block-scalar') return false;
  return leaf.props.some((part) => part.type === 'block-scalar-header' && !part.source.includes('-'));
}
