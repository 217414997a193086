import type ts from '@typescript/typescript6';
import { propertyTags } from '../keywords.js';
import type { DefaultValue, DocFacts, DocTag, FunctionFacts } from '../type-source.js';
import { noDoc } from '../type-source.js';
import type { TypeProgram } from './program.js';

/** `@param` texts by name: `place`, `place.city`. */
export interface ParameterTexts {
  readonly texts: Readonly<Record<string, string>>;
  /** Constraints in the line of a `@param`, as in `@param days How many. @minimum 1`. */
  readonly tags: Readonly<Record<string, readonly DocTag[]>>;
  /** Defaults in brackets, as in `[place.zip=5]`. */
  readonly fallbacks: Readonly<Record<string, DefaultValue>>;
  /** `@param` tags that are not nested in another one. */
  readonly named: FunctionFacts['strayTexts'];
}

/** The last doc comment before a declaration. */
export function readDocComment(node: ts.Node | undefined, program: TypeProgram): DocFacts {
  if (!node) return noDoc;
  const { ts, positionOf } = program;
  const found = ts.getJSDocCommentsAndTags(node);
  const comment = found.filter((one): one is ts.JSDoc => ts.isJSDoc(one)).at(-1);
  if (!comment && ts.isPropertySignature(node)) {
    const own = readCommentOnLine(node, program);
    const written = own ? undefined : findInSource(node, program);
    if (own || written) return own ?? readDocComment(written, program);
  }
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
  const tags: Record<string, DocTag[]> = {};
  let last: { readonly name: string; readonly line: number } | undefined;
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
    const position = positionOf(tag);
    if (ts.isJSDocParameterTag(tag)) {
      read(tag);
      const name = tag.name.getText();
      named.push({ name, position });
      last = { name, line: position.line };
    } else if (last?.line === position.line && propertyTags.includes(tag.tagName.text)) {
      const one = { name: tag.tagName.text, text: commentText(tag.comment, ts), position };
      tags[last.name] = [...(Object.hasOwn(tags, last.name) ? tags[last.name]! : []), one];
    }
  }
  return { texts: Object.fromEntries(texts), tags, fallbacks: Object.fromEntries(fallbacks), named };
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

/** The doc comment between a property and the text before it on the same line, which the compiler does not assign to it. */
function readCommentOnLine(node: ts.PropertySignature, program: TypeProgram): DocFacts | undefined {
  const { ts, positionOf } = program;
  const source = node.getSourceFile();
  const before = source.text.slice(node.pos, node.getStart(source));
  const comment = before.match(/\/\*\*(?!\/)[\s\S]*?\*\//g)?.at(-1);
  if (comment === undefined) return undefined;
  const [alone] = ts.createSourceFile(
    'comment.ts',
    `${comment}\nlet it;`,
    ts.ScriptTarget.Latest,
    true,
  ).statements;
  const { text, tags } = readDocComment(alone, program);
  const position = positionOf(node);
  return { text, tags: tags.map((tag) => ({ ...tag, position })) };
}

/**
 * The property of a declaration file in the source that it was compiled from. The compiler leaves out comments of
 * properties that share a line.
 */
function findInSource(property: ts.PropertySignature, { ts, sourcesOf }: TypeProgram): ts.Node | undefined {
  const sources = sourcesOf(property.getSourceFile());
  if (sources.length === 0) return undefined;
  const steps: ((node: ts.Node) => boolean)[] = [];
  for (let node: ts.Node = property; !ts.isSourceFile(node); node = node.parent) {
    const step = stepTo(node, ts);
    if (step) steps.unshift(step);
  }
  const [top, ...rest] = steps;
  if (!top) return undefined;
  for (const source of sources) {
    let found: ts.Node | undefined = descend(source, top, ts);
    for (const step of rest) found = found && descend(found, step, ts);
    if (found) return found;
  }
  return undefined;
}

/** A test for the node of the same name; undefined for nodes without a name. A parameter is found by its position. */
function stepTo(node: ts.Node, typescript: typeof ts): ((node: ts.Node) => boolean) | undefined {
  if (typescript.isParameter(node)) {
    const at = node.parent.parameters.indexOf(node);
    return (other) => typescript.isParameter(other) && other.parent.parameters.indexOf(other) === at;
  }
  const name = isNamedStep(node, typescript) ? node.name?.getText() : undefined;
  return name === undefined
    ? undefined
    : (other) => isNamedStep(other, typescript) && other.name?.getText() === name;
}

function isNamedStep(
  node: ts.Node,
  typescript: typeof ts,
): node is ts.PropertySignature | ts.FunctionDeclaration | ts.InterfaceDeclaration {
  return [
    typescript.isPropertySignature,
    typescript.isFunctionDeclaration,
    typescript.isInterfaceDeclaration,
    typescript.isTypeAliasDeclaration,
    typescript.isVariableDeclaration,
  ].some((is) => is(node));
}

/** The first match below a node, without a look into other names and into code. */
function descend(
  node: ts.Node,
  isMeant: (node: ts.Node) => boolean,
  typescript: typeof ts,
): ts.Node | undefined {
  return typescript.forEachChild(node, (child) => {
    if (isMeant(child)) return child;
    const isOther =
      typescript.isParameter(child) || isNamedStep(child, typescript) || typescript.isBlock(child);
    return isOther ? undefined : descend(child, isMeant, typescript);
  });
}
