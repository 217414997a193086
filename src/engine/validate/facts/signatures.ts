import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AnyNode, Comment, Pattern, Program } from 'acorn';
import { isInside, pathFault } from '../../base/files/path-containment.js';

/** The parameters of a function, from its source. */
export interface Signature {
  /** Name of the export. */
  readonly name: string;
  readonly parameters: readonly Pattern[];
  /** Text of its doc comment; may be empty. */
  readonly comment: string;
}

/** Larger modules are bundles, with names that no author chose. */
const maxModuleBytes = 2 * 1024 * 1024;

/** Most steps through modules that re-export other modules. */
const maxReexportDepth = 5;

/** The exported functions of a module of the package, from its source. Nothing is run. */
export async function signaturesIn(directory: string, file: string): Promise<readonly Signature[]> {
  return await readSignatures(directory, file, maxReexportDepth);
}

async function readSignatures(directory: string, file: string, steps: number): Promise<readonly Signature[]> {
  const comments: Comment[] = [];
  const source = await readModuleSource(directory, file);
  const program = source === undefined ? undefined : await parseModule(source, comments);
  if (!program) return [];
  const commentOf = (node: AnyNode) =>
    comments.findLast(({ end }) => end <= node.start && source!.slice(end, node.start).trim() === '');
  const functions = new Map(
    program.body.flatMap((node) => [...declaredFunctions(node, commentOf(node)?.value)]),
  );
  const found: Signature[] = [];
  for (const node of program.body) {
    if (node.type === 'ExportNamedDeclaration' && !node.source) {
      const declared = [...declaredFunctions(node, undefined)].map(([name]) => [name, name] as const);
      const listed = node.specifiers.map(
        ({ local, exported }) => [nodeName(local), nodeName(exported)] as const,
      );
      for (const [local, exported] of [...declared, ...listed]) {
        const known = functions.get(local);
        if (known) found.push({ ...known, name: exported });
      }
    }
    if (node.type === 'ExportDefaultDeclaration') {
      const local = node.declaration.type === 'Identifier' ? node.declaration.name : 'default';
      const known = functions.get(local);
      if (known) found.push({ ...known, name: 'default' });
    }
    const isHandedOn = node.type === 'ExportAllDeclaration' || node.type === 'ExportNamedDeclaration';
    if (!isHandedOn || !node.source || steps === 0) continue;
    const target = String(node.source.value);
    if (!target.startsWith('.')) continue;
    const others = await readSignatures(
      directory,
      path.posix.join(path.posix.dirname(file), target),
      steps - 1,
    );
    if (node.type === 'ExportAllDeclaration') found.push(...others);
    else {
      for (const { local, exported } of node.specifiers) {
        const known = others.find(({ name }) => name === nodeName(local));
        if (known) found.push({ ...known, name: nodeName(exported) });
      }
    }
  }
  return found;
}

async function readModuleSource(directory: string, file: string): Promise<string | undefined> {
  const target = path.join(directory, file);
  if (pathFault(file) || !/\.[cm]?js$/.test(file)) return undefined;
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile() || info.size > maxModuleBytes || !(await isInside(directory, target))) return undefined;
  return await readFile(target, 'utf8').catch(() => undefined);
}

/** Undefined if the source is not a module, or nests too deep for the parser. */
async function parseModule(source: string, comments: Comment[]): Promise<Program | undefined> {
  const { parse } = await import('acorn');
  try {
    return parse(source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
      onComment: comments,
    });
  } catch {
    return undefined;
  }
}

/** The functions that a statement declares, by their local names. */
function* declaredFunctions(
  node: AnyNode,
  comment: string | undefined,
): Generator<[name: string, signature: Signature]> {
  if (node.type === 'ExportNamedDeclaration' && node.declaration)
    yield* declaredFunctions(node.declaration, comment);
  if (node.type === 'ExportDefaultDeclaration')
    yield* declaredSignature('default', node.declaration, comment);
  if (node.type === 'FunctionDeclaration' && node.id) yield* declaredSignature(node.id.name, node, comment);
  if (node.type !== 'VariableDeclaration') return;
  for (const { id, init } of node.declarations) {
    if (id.type === 'Identifier' && init) yield* declaredSignature(id.name, init, comment);
  }
}

function* declaredSignature(
  local: string,
  node: AnyNode,
  comment: string | undefined,
): Generator<[name: string, signature: Signature]> {
  const isFunction =
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression';
  if (!isFunction) return;
  const own = 'id' in node ? node.id?.name : undefined;
  const doc = comment?.startsWith('*') ? comment : '';
  const signature = { name: own ?? local, parameters: node.params, comment: doc };
  yield [local, signature];
  if (local === 'default' && own !== undefined) yield [own, signature];
}

function nodeName(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}

/** Names of the context parameter in handlers. Nothing but optional parameters follows it. */
const contextName = /^(?:_.*|ctx|context|extra|.*(?:Ctx|Context))$/;

/** Names of the arguments parameter in handlers. */
const argumentsName = /^(?:_.*|args?|arguments_?|input|params|parameters|options|opts|request)$/;

/**
 * True if a function takes its arguments one by one, and not as `(args, ctx)`. False if both are possible:
 * names show the author's intent, and there are no types.
 */
export function takesOneByOne({ parameters, comment }: Signature): boolean {
  const [first, second, ...others] = parameters;
  if (!first) return false;
  if (isMarked(comment)) return true;
  if (!isAll(first) && isTypedAsPart(first, comment)) return true;
  if (!second) return first.type === 'RestElement';
  // Further parameters with a default do not count: tests pass replacements there.
  if (isMinified(first, second)) return false;
  if (isContext(second)) return others.some(({ type }) => type === 'Identifier' || type === 'ObjectPattern');
  return !isAll(first);
}

/** True if the names are minified and show no intent: `(e,t)`. */
function isMinified(first: Pattern, second: Pattern): boolean {
  return second.start - first.end === 1 && [first, second].every((one) => parameterName(one).length === 1);
}

function isAll(parameter: Pattern): boolean {
  if (parameter.type === 'AssignmentPattern') return isAll(parameter.left);
  return parameter.type === 'ObjectPattern' || argumentsName.test(parameterName(parameter));
}

function isContext(parameter: Pattern): boolean {
  return parameter.type === 'ObjectPattern' || contextName.test(parameterName(parameter));
}

/** True if `@param {string} name` declares a type that cannot hold all arguments. */
function isTypedAsPart(parameter: Pattern, comment: string): boolean {
  const named = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
  const name = parameterName(named);
  const types = comment.matchAll(/@param\s+\{\s*([^}]*?)\s*\}\s+\[?([\w$]+)/g);
  for (const [, type = '', about] of types) {
    if (about === name && /^(?:string|number|boolean|Date|URL)(?:\[\])?$/.test(type)) return true;
  }
  return false;
}

/** A parameter's name; empty for one without a name. */
function parameterName(parameter: Pattern): string {
  return parameter.type === 'Identifier' ? parameter.name : '';
}

/** A parameter as a message shows it. */
export function shownParameter(parameter: Pattern): string {
  if (parameter.type === 'AssignmentPattern') return shownParameter(parameter.left);
  if (parameter.type === 'RestElement') return `...${shownParameter(parameter.argument)}`;
  return parameter.type === 'Identifier' ? parameter.name : '{…}';
}

/** The tool of a function marked `@mcp`; undefined for other functions. */
export function markedTool({ name, comment }: Signature): string | undefined {
  if (!isMarked(comment)) return undefined;
  const [, quoted, bare] = /@mcp\b[^\n]*?\bname=(?:"([^"\n]+)"|([^\s"*]+))/.exec(comment) ?? [];
  return quoted ?? bare ?? name;
}

/** True if the comment has the tag, not inside a word or a quotation. */
function isMarked(comment: string): boolean {
  return /(?<![^\s*])@mcp(?![\w-])/.test(comment);
}
