import type ts from '@typescript/typescript6';
import type { DefinitionFacts } from '../type-source.js';
import { type FindCompiledModule, readFunction } from './functions.js';
import type { TypeProgram } from './program.js';
import { declaredTypeNode } from './types.js';

/** Reads the tool definitions in the default export of a module, without running it. */
export function readDefinitions(
  source: ts.SourceFile,
  program: TypeProgram,
  compiledOf: FindCompiledModule,
): readonly DefinitionFacts[] {
  const { ts } = program;
  const exported = source.statements.find((one) => ts.isExportAssignment(one));
  return exported ? new DefinitionReader(program, compiledOf).read(exported.expression) : [];
}

type Properties = ReadonlyMap<string, ts.ObjectLiteralElementLike>;

class DefinitionReader {
  readonly #program: TypeProgram;
  readonly #compiledOf: FindCompiledModule;

  constructor(program: TypeProgram, compiledOf: FindCompiledModule) {
    this.#program = program;
    this.#compiledOf = compiledOf;
  }

  /** The tools in a value. `key`: its key in an object of tools by name. */
  read(value: ts.Expression | undefined, key?: string): readonly DefinitionFacts[] {
    const { ts } = this.#program;
    const node = this.#resolve(value);
    if (!node) return [];
    if (ts.isCallExpression(node)) return this.#readCall(node, key);
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((one) => this.read(one));
    if (!ts.isObjectLiteralExpression(node)) return [];
    const own = this.#propertiesOf([node]);
    if (own.has('handler')) return this.#tool(own, this.#valueOf(own.get('handler')), key);
    if (own.has('tools')) return this.read(this.#valueOf(own.get('tools')) as ts.Expression);
    return [...own].flatMap(([name, one]) => this.read(this.#valueOf(one) as ts.Expression, name));
  }

  #readCall({ expression, arguments: given }: ts.CallExpression, key: string | undefined) {
    const { ts } = this.#program;
    const called = ts.isIdentifier(expression) ? expression.text : '';
    if (called === 'defineTool') return this.read(given[0], key);
    if (called === 'defineToolkit') return this.read(given.at(-1));
    if (called !== 'tool') return [];
    const sets = given.slice(0, -1).flatMap((one) => {
      const set = this.#resolve(one);
      return set && ts.isObjectLiteralExpression(set) ? [set] : [];
    });
    return this.#tool(this.#propertiesOf(sets), given.at(-1), key);
  }

  #tool(own: Properties, handler: ts.Node | undefined, key: string | undefined): readonly DefinitionFacts[] {
    const { ts, positionOf } = this.#program;
    const meant = handler && this.#resolve(handler as ts.Expression);
    if (!meant || own.has('input') || own.has('inputSchema')) return [];
    const target = ts.isStringLiteralLike(meant) ? meant.text : this.#functionOf(meant);
    if (target === undefined) return [];
    const name = this.#valueOf(own.get('name'));
    return [
      {
        name: name && ts.isStringLiteralLike(name) ? name.text : key,
        handler: target,
        hasOutput: own.has('output') || own.has('outputSchema'),
        position: positionOf(meant),
      },
    ];
  }

  /** A function with declared types of all its arguments. Other handlers keep the arguments as they are. */
  #functionOf(node: ts.Node): Exclude<DefinitionFacts['handler'], string> | undefined {
    const { ts, checker } = this.#program;
    const type = checker.getTypeAtLocation(node);
    const [signature] = type.getCallSignatures();
    const declared = signature?.getDeclaration()?.parameters ?? [];
    const facts = type.symbol && readFunction(type.symbol, type, this.#program, this.#compiledOf);
    if (!facts) return undefined;
    const own = facts.parameters.flatMap(({ isContext }, index) => (isContext ? [] : [declared[index]]));
    const isTyped = (one: ts.ParameterDeclaration | undefined) =>
      one?.initializer !== undefined || declaredTypeNode(one, ts) !== undefined;
    if (own.length === 0 || !own.every(isTyped)) return undefined;
    // The key of the definition is no title.
    return facts.name === 'handler' ? { ...facts, name: '' } : facts;
  }

  #propertiesOf(objects: readonly ts.ObjectLiteralExpression[]): Properties {
    const entries = objects.flatMap(({ properties }) =>
      properties.flatMap((one) =>
        one.name ? [[one.name.getText().replace(/^['"]|['"]$/g, ''), one] as const] : [],
      ),
    );
    return new Map(entries);
  }

  #valueOf(property: ts.ObjectLiteralElementLike | undefined): ts.Node | undefined {
    const { ts } = this.#program;
    if (!property) return undefined;
    if (ts.isPropertyAssignment(property)) return this.#resolve(property.initializer);
    return ts.isMethodDeclaration(property) || ts.isShorthandPropertyAssignment(property)
      ? this.#resolve(property as unknown as ts.Expression)
      : undefined;
  }

  /** The value behind types, parentheses and constants. */
  #resolve(node: ts.Expression | undefined): ts.Expression | undefined {
    const { ts, checker } = this.#program;
    if (!node) return undefined;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      return this.#resolve(node.expression);
    const isShort = ts.isShorthandPropertyAssignment(node as ts.Node);
    if (!ts.isIdentifier(node) && !isShort) return node;
    const symbol = isShort
      ? checker.getShorthandAssignmentValueSymbol(node)
      : checker.getSymbolAtLocation(node);
    const meant = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = meant?.valueDeclaration;
    if (declaration && ts.isVariableDeclaration(declaration)) return this.#resolve(declaration.initializer);
    return isShort ? (declaration as unknown as ts.Expression) : node;
  }
}
