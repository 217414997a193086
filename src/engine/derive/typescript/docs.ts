import type ts from '@typescript/typescript6';
import type { DocFacts, DocTag } from '../facts.js';
import { noDoc } from '../facts.js';
import type { Program } from './program.js';

/** What `@param` says: of each parameter by name, and of the parts of parameters. */
export interface ParameterTexts {
  readonly whole: Readonly<Record<string, string>>;
  /** By the last name in `@param place.city`. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The doc comment of a declaration: the last one before it. */
export function docOf(node: ts.Node | undefined, { ts, positionOf }: Program): DocFacts {
  if (!node) return noDoc;
  const found = ts.getJSDocCommentsAndTags(node);
  const comment = found.filter((one): one is ts.JSDoc => ts.isJSDoc(one)).at(-1);
  // A property of a @typedef or of a parameter, or the @typedef itself, has its text to itself.
  const isOwn = ts.isJSDocPropertyTag(node) || ts.isJSDocParameterTag(node) || ts.isJSDocTypedefTag(node);
  const own = isOwn ? node : undefined;
  const text = textOf(own?.comment ?? comment?.comment, ts) || textOf(typedefText(node, ts), ts);
  const tags = own ? [] : (comment?.tags ?? []);
  return {
    text,
    tags: tags.map((tag): DocTag => {
      const name = tag.tagName.text;
      return { name, text: textOf(tag.comment, ts), position: positionOf(tag) };
    }),
  };
}

/** The text of a `@typedef` stands before the tag. */
function typedefText(node: ts.Node, ts: Program['ts']): ts.JSDoc['comment'] {
  return ts.isJSDocTypedefTag(node) && ts.isJSDoc(node.parent) ? node.parent.comment : undefined;
}

function textOf(comment: ts.JSDoc['comment'], ts: Program['ts']): string {
  const text = ts.getTextOfJSDocComment(comment) ?? '';
  return text.replace(/^\s*-\s+/, '').trim();
}

/** What the comment of a function says of its parameters. */
export function parameterTexts(node: ts.Node | undefined, { ts }: Program): ParameterTexts {
  const whole: [string, string][] = [];
  const parts: [string, string][] = [];
  const comment =
    node &&
    ts
      .getJSDocCommentsAndTags(node)
      .filter((one): one is ts.JSDoc => ts.isJSDoc(one))
      .at(-1);
  const read = (tag: ts.JSDocPropertyLikeTag) => {
    const text = textOf(tag.comment, ts);
    const name = tag.name.getText();
    if (text !== '') {
      if (name.includes('.')) parts.push([name.slice(name.lastIndexOf('.') + 1), text]);
      else whole.push([name, text]);
    }
    const type = tag.typeExpression;
    const nested = type && ts.isJSDocTypeExpression(type) ? type.type : type;
    if (nested && ts.isJSDocTypeLiteral(nested)) nested.jsDocPropertyTags?.forEach(read);
  };
  for (const tag of comment?.tags ?? []) {
    if (ts.isJSDocParameterTag(tag)) read(tag);
  }
  return { whole: Object.fromEntries(whole), parts: Object.fromEntries(parts) };
}
