import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AnyNode, Comment, Pattern, Program } from 'acorn';
import { isInside, pathFault } from '../../base/files/path-containment.js';

/** What the source of a function tells of what it takes. */
export interface Signature {
  /** Exported under this name. */
  readonly name: string;
  readonly parameters: readonly Pattern[];
  /** The text of its doc comment; empty without one. */
  readonly comment: string;
}

/** Larger modules are bundles, in which names are not what somebody chose. */
const maxModuleBytes = 2 * 1024 * 1024;

/** Modules that only hand on what others export are followed so far. */
const maxReexportDepth = 5;

/** The exported functions of a module of the package, as its source has them. Nothing of it is run. */
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

/** Nothing, if it is no module, or nests deeper than we can follow. */
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

/** What handlers call what they get besides their arguments; more than one is never seen there. */
const contextName = /^(?:_.*|ctx|context|extra|.*(?:Ctx|Context))$/;

/** What handlers call all of their arguments. */
const argumentsName = /^(?:_.*|args?|arguments_?|input|params|parameters|options|opts|request)$/;

/**
 * Whether a function takes its arguments one by one, and not as `(args, ctx)`. Says no where it might be either: a name
 * tells what its author meant, a type is not there.
 */
export function takesOneByOne({ parameters, comment }: Signature): boolean {
  const [first, second, ...others] = parameters;
  if (!first) return false;
  if (isMarked(comment)) return true;
  if (!isAll(first) && isTypedAsPart(first, comment)) return true;
  if (!second) return first.type === 'RestElement';
  // A parameter with a default after these two is what tests put their own thing in for.
  if (isMinified(first, second)) return false;
  if (isContext(second)) return others.some(({ type }) => type === 'Identifier' || type === 'ObjectPattern');
  return !isAll(first);
}

/** Whether the names are those of a program, which tell nothing: `(e,t)`. */
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

/** Whether `@param {string} name` says that a parameter is no object that could hold all arguments. */
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

/** The tool that a function marked `@mcp` is; nothing of one that is not. */
export function markedTool({ name, comment }: Signature): string | undefined {
  if (!isMarked(comment)) return undefined;
  const [, quoted, bare] = /@mcp\b[^\n]*?\bname=(?:"([^"\n]+)"|([^\s"*]+))/.exec(comment) ?? [];
  return quoted ?? bare ?? name;
}

/** The tag may stand anywhere but in a word or a quotation of it. */
function isMarked(comment: string): boolean {
  return /(?<![^\s*])@mcp(?![\w-])/.test(comment);
}
