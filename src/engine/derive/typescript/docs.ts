import type ts from '@typescript/typescript6';
import type { DefaultValue, DocFacts, DocTag, FunctionFacts } from '../type-source.js';
import { noDoc } from '../type-source.js';
import type { TypeProgram } from './program.js';

/** `@param` texts by name: `place`, `place.city`. */
export interface ParameterTexts {
  readonly texts: Readonly<Record<string, string>>;
  /** Defaults in brackets, as in `[place.zip=5]`. */
  readonly fallbacks: Readonly<Record<string, DefaultValue>>;
  /** `@param` tags that are not nested in another one. */
  readonly named: FunctionFacts['strayTexts'];
}

/** The last doc comment before a declaration. */
export function readDocComment(node: ts.Node | undefined, { ts, positionOf }: TypeProgram): DocFacts {
  if (!node) return noDoc;
  const found = ts.getJSDocCommentsAndTags(node);
  const comment = found.filter((one): one is ts.JSDoc => ts.isJSDoc(one)).at(-1);
  // A property of a @typedef or of a parameter has its own text, and so has the @typedef.
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

/** The text of a `@typedef` precedes the tag. */
function typedefText(node: ts.Node, ts: TypeProgram['ts']): ts.JSDoc['comment'] {
  return ts.isJSDocTypedefTag(node) && ts.isJSDoc(node.parent) ? node.parent.comment : undefined;
}

function commentText(comment: ts.JSDoc['comment'], ts: TypeProgram['ts']): string {
  const text = ts.getTextOfJSDocComment(comment) ?? '';
  return text.replace(/^\s*-\s+/, '').trim();
}

/** Reads the parameters in the doc comment of a function. */
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

/** The default in JSDoc brackets, as in `[days=3]`. */
function bracketedFallback(tag: ts.JSDocPropertyLikeTag): DefaultValue | undefined {
  const [, text] = /^@\w+\s[^[]*?\[\s*[\w.$]+\s*=\s*([^\]]*?)\s*\]/.exec(tag.getText()) ?? [];
  if (!tag.isBracketed || text === undefined) return undefined;
  try {
    return { value: JSON.parse(text.replace(/^'([^'\\]*)'$/, '"$1"')) as unknown };
  } catch {
    return {};
  }
}

/** The entries for the parts of a parameter, by the rest of their names. */
export function nestedTexts<T>(
  said: Readonly<Record<string, T>>,
  name: string | undefined,
): Readonly<Record<string, T>> {
  const found = Object.entries(said).flatMap(([whole, one]) => {
    const [first = '', ...rest] = whole.split('.');
    // A destructured parameter has no name, so every first name in the comment refers to it.
    const isMeant = rest.length > 0 && (name === undefined || first === name);
    return isMeant ? [[rest.join('.'), one] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The entry for a parameter itself. Its name may be one that every object has, such as `toString`. */
export function ownText<T>(said: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(said, name) ? said[name] : undefined;
}
