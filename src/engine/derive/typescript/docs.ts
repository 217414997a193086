import type ts from '@typescript/typescript6';
import type { DefaultValue, DocFacts, DocTag, FunctionFacts } from '../type-source.js';
import { noDoc } from '../type-source.js';
import type { TypeProgram } from './program.js';

/** What `@param` says, by its names: `place`, `place.city`. */
export interface ParameterTexts {
  readonly texts: Readonly<Record<string, string>>;
  /** Of those in brackets with a default, as in `[place.zip=5]`. */
  readonly fallbacks: Readonly<Record<string, DefaultValue>>;
  /** What stands alone, and not within another. */
  readonly named: FunctionFacts['strayTexts'];
}

/** The doc comment of a declaration: the last one before it. */
export function readDocComment(node: ts.Node | undefined, { ts, positionOf }: TypeProgram): DocFacts {
  if (!node) return noDoc;
  const found = ts.getJSDocCommentsAndTags(node);
  const comment = found.filter((one): one is ts.JSDoc => ts.isJSDoc(one)).at(-1);
  // A property of a @typedef or of a parameter, or the @typedef itself, has its text to itself.
  const isOwn = ts.isJSDocPropertyTag(node) || ts.isJSDocParameterTag(node) || ts.isJSDocTypedefTag(node);
  const own = isOwn ? node : undefined;
  const text = commentText(own?.comment ?? comment?.comment, ts) || commentText(typedefText(node, ts), ts);
  const tags = own ? [] : (comment?.tags ?? []);
  return {
    text,
    tags: tags.map((tag): DocTag => {
      const name = tag.tagName.text;
      return { name, text: commentText(tag.comment, ts), position: positionOf(tag) };
    }),
  };
}

/** The text of a `@typedef` stands before the tag. */
function typedefText(node: ts.Node, ts: TypeProgram['ts']): ts.JSDoc['comment'] {
  return ts.isJSDocTypedefTag(node) && ts.isJSDoc(node.parent) ? node.parent.comment : undefined;
}

function commentText(comment: ts.JSDoc['comment'], ts: TypeProgram['ts']): string {
  const text = ts.getTextOfJSDocComment(comment) ?? '';
  return text.replace(/^\s*-\s+/, '').trim();
}

/** What the comment of a function says of its parameters. */
export function parameterTexts(node: ts.Node | undefined, { ts, positionOf }: TypeProgram): ParameterTexts {
  const texts: [string, string][] = [];
  const fallbacks: [string, DefaultValue][] = [];
  const named: { name: string; position: DocTag['position'] }[] = [];
  const comment =
    node &&
    ts
      .getJSDocCommentsAndTags(node)
      .filter((one): one is ts.JSDoc => ts.isJSDoc(one))
      .at(-1);
  const read = (tag: ts.JSDocPropertyLikeTag) => {
    const text = commentText(tag.comment, ts);
    const name = tag.name.getText();
    if (text !== '') texts.push([name, text]);
    const fallback = bracketedFallback(tag);
    if (fallback) fallbacks.push([name, fallback]);
    const type = tag.typeExpression;
    const nested = type && ts.isJSDocTypeExpression(type) ? type.type : type;
    if (nested && ts.isJSDocTypeLiteral(nested)) nested.jsDocPropertyTags?.forEach(read);
  };
  for (const tag of comment?.tags ?? []) {
    if (!ts.isJSDocParameterTag(tag)) continue;
    read(tag);
    named.push({ name: tag.name.getText(), position: positionOf(tag) });
  }
  return { texts: Object.fromEntries(texts), fallbacks: Object.fromEntries(fallbacks), named };
}

/** The default of what JSDoc puts into brackets, as in `[days=3]`. */
function bracketedFallback(tag: ts.JSDocPropertyLikeTag): DefaultValue | undefined {
  const [, text] = /^@\w+\s[^[]*?\[\s*[\w.$]+\s*=\s*([^\]]*?)\s*\]/.exec(tag.getText()) ?? [];
  if (!tag.isBracketed || text === undefined) return undefined;
  try {
    return { value: JSON.parse(text.replace(/^'([^'\\]*)'$/, '"$1"')) as unknown };
  } catch {
    return {};
  }
}

/** What is said of the parts of something, by the rest of their names. */
export function nestedTexts<T>(
  said: Readonly<Record<string, T>>,
  name: string | undefined,
): Readonly<Record<string, T>> {
  const found = Object.entries(said).flatMap(([whole, one]) => {
    const [first = '', ...rest] = whole.split('.');
    // What is taken apart has no name, and whatever its comment calls it is meant.
    const isMeant = rest.length > 0 && (name === undefined || first === name);
    return isMeant ? [[rest.join('.'), one] as const] : [];
  });
  return Object.fromEntries(found);
}

/** What is said of something itself; it may be called like what every object has. */
export function ownText<T>(said: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(said, name) ? said[name] : undefined;
}
