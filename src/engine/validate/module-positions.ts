import { type AnyNode, type ArrayExpression, type ObjectExpression, type Program, parse } from 'acorn';
import type { DocumentPath, Position } from '../base/files/document-path.js';

/**
 * Finds the positions of literal parts of a module's default export: objects and lists, also in top-level
 * constants and in arguments of `defineServer()` and similar calls.
 */
export function positionsInModule(source: string): (path: DocumentPath) => Position | undefined {
  const program = parseProgram(source);
  const whole = program && findDefaultExport(program);
  if (!whole) return () => undefined;
  const constants = new Map(findConstants(program));
  return (path) => {
    let node = findLiteralCollection(whole, constants);
    let place: AnyNode | undefined;
    for (const key of path) {
      const found = node && findMember(node, key);
      if (!found) break;
      place = found.place;
      node = findLiteralCollection(found.value, constants);
    }
    return place?.loc ? { line: place.loc.start.line, column: place.loc.start.column + 1 } : undefined;
  };
}

function parseProgram(source: string): Program | undefined {
  const read = (sourceType: 'module' | 'script') =>
    parse(source, { ecmaVersion: 'latest', sourceType, allowHashBang: true, locations: true });
  for (const sourceType of ['module', 'script'] as const) {
    try {
      return read(sourceType);
    } catch {
      // The source may be in the other module system, or nest too deep for the parser.
    }
  }
  return undefined;
}

function findDefaultExport({ body }: Program): AnyNode | undefined {
  for (const node of body) {
    if (node.type === 'ExportDefaultDeclaration') return node.declaration;
    if (node.type !== 'ExpressionStatement' || node.expression.type !== 'AssignmentExpression') continue;
    const { left, right } = node.expression;
    const isExports =
      left.type === 'MemberExpression' &&
      isIdentifierNamed(left.object, 'module') &&
      isIdentifierNamed(left.property, 'exports');
    if (isExports) return right;
  }
  return undefined;
}

function isIdentifierNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

function* findConstants({ body }: Program): Generator<[string, AnyNode]> {
  for (const statement of body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (node?.type !== 'VariableDeclaration' || node.kind !== 'const') continue;
    for (const { id, init } of node.declarations) if (id.type === 'Identifier' && init) yield [id.name, init];
  }
}

/** The object or list of an expression, if it is a literal. */
function findLiteralCollection(
  node: AnyNode,
  constants: ReadonlyMap<string, AnyNode>,
): ObjectExpression | ArrayExpression | undefined {
  const value = node.type === 'Identifier' ? constants.get(node.name) : node;
  const given = value?.type === 'CallExpression' && isDefining(value.callee) ? value.arguments[0] : value;
  return given?.type === 'ObjectExpression' || given?.type === 'ArrayExpression' ? given : undefined;
}

/** True for `defineServer({ … })` and similar calls, which return their argument. */
function isDefining(callee: AnyNode): boolean {
  return callee.type === 'Identifier' && /^define[A-Z]/.test(callee.name);
}

/** A member of a literal, unless an earlier spread may have moved or replaced it. */
function findMember(
  node: ObjectExpression | ArrayExpression,
  key: string | number,
): { readonly place: AnyNode; readonly value: AnyNode } | undefined {
  if (node.type === 'ArrayExpression') {
    const before = node.elements.slice(0, Number(key) + 1);
    const value = before.some((one) => one?.type === 'SpreadElement') ? undefined : before[Number(key)];
    return value ? { place: value, value } : undefined;
  }
  const found = node.properties.findLast(
    (one) => one.type === 'SpreadElement' || (!one.computed && nodeKey(one.key) === key),
  );
  return found?.type === 'Property' ? { place: found, value: found.value } : undefined;
}

function nodeKey(node: AnyNode): unknown {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? node.value : undefined;
}
