import type ts from '@typescript/typescript6';
import type {
  DocFacts,
  DocTag,
  FunctionFacts,
  MisplacedTag,
  ModuleFacts,
  ParameterFacts,
} from '../type-source.js';
import { nestedTexts, ownText, parameterTexts, readDocComment } from './docs.js';
import { fallbacksIn, readDefaultValue } from './literals.js';
import type { TypeProgram } from './program.js';
import { declaredTypeNode, mayBeUndefined, TypeReader } from './types.js';

/** Reads the exported functions of a module. `compiledOf` supplies defaults that declarations leave out. */
export function readModule(
  source: ts.SourceFile,
  program: TypeProgram,
  compiledOf: FindCompiledModule,
): ModuleFacts {
  const { checker } = program;
  const found = listExportedSymbols(source, program);
  const functions = new Map<string, FunctionFacts | undefined>();
  return {
    exports: [...found.keys()],
    functionOf(name) {
      const symbol = found.get(name);
      if (!symbol) return undefined;
      if (!functions.has(name)) {
        const type = checker.getTypeOfSymbolAtLocation(symbol, source);
        functions.set(name, readFunction(symbol, type, program, compiledOf));
      }
      return functions.get(name);
    },
    misplaced: misplacedIn(source, new Set(found.values()), program),
  };
}

/** Finds the compiled module beside a declaration file. */
export type FindCompiledModule = (declarations: ts.SourceFile) => ts.SourceFile | undefined;

/** Exports by name. Aliases and re-exports are resolved to the original symbol. */
function listExportedSymbols(
  source: ts.SourceFile,
  { ts, checker }: TypeProgram,
): ReadonlyMap<string, ts.Symbol> {
  const module = checker.getSymbolAtLocation(source);
  if (!module) return new Map();
  const resolve = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const found = new Map(checker.getExportsOfModule(module).map((one) => [one.name, resolve(one)]));
  // An import gets `module.exports = …` as default.
  const whole = module.exports?.get('export=' as ts.__String);
  if (whole && !found.has('default')) found.set('default', resolve(whole));
  found.delete('export=');
  return found;
}

/** Reads a function by its type. */
export function readFunction(
  symbol: ts.Symbol,
  type: ts.Type,
  program: TypeProgram,
  compiledOf: FindCompiledModule,
): FunctionFacts | undefined {
  const { ts, checker, positionOf } = program;
  const [signature, ...others] = type.getCallSignatures();
  if (!signature) return undefined;
  const declaration = signature.getDeclaration() as ts.SignatureDeclaration | undefined;
  const place = declaration ?? symbol.valueDeclaration;
  if (!place) return undefined;
  const documented = [declaration, symbol.valueDeclaration].find((one) => one && hasComment(one, ts));
  const said = parameterTexts(documented, program);
  const compiled = declaration && compiledFunction(declaration, symbol, program, compiledOf);
  const reader = new TypeReader(program);
  const name = exportedName(symbol, declaration, ts);
  const last = signature.parameters.length - 1;
  const returned = checker.getReturnTypeOfSignature(signature);
  const awaited = checker.getAwaitedType(returned) ?? returned;
  return {
    identity: symbol.valueDeclaration ?? symbol,
    name,
    position: positionOf(place),
    doc: withoutTags(readDocComment(documented, program), Object.values(said.tags).flat()),
    signatures: 1 + others.length,
    parameters: signature.parameters.map((parameter, index): ParameterFacts => {
      const node = parameter.valueDeclaration as ts.ParameterDeclaration | undefined;
      const isParameter = node !== undefined && ts.isParameter(node);
      const own = isParameter ? node : undefined;
      const other = compiled?.parameters[index];
      const initializer = own?.initializer ?? other?.initializer;
      const isTakenApart = own !== undefined && !ts.isIdentifier(own.name);
      const given = isTakenApart ? undefined : parameter.name;
      const parameterType = checker.getTypeOfSymbolAtLocation(parameter, place);
      const patterns = [own, other].flatMap((one) => (one && !ts.isIdentifier(one.name) ? [one.name] : []));
      const isTyped = isToolContext(declaredTypeNode(own, ts), program);
      const isContext = index === last && (given === 'ctx' || isTyped);
      const isEarlyContext = index !== last && isTyped;
      return {
        name: given,
        isTakenApart: isTakenApart && ts.isObjectBindingPattern(own.name),
        isOptional: isOptional(own, parameterType, initializer, program),
        isRest: own?.dotDotDotToken !== undefined,
        isContext,
        isEarlyContext,
        fallback: initializer ? readDefaultValue(initializer, ts) : ownText(said.fallbacks, given),
        partFallbacks: Object.assign(
          {},
          nestedTexts(said.fallbacks, given),
          ...patterns.map((pattern) => fallbacksIn(pattern, ts)),
        ),
        text: ownText(said.texts, given) ?? '',
        tags: ownText(said.tags, given) ?? [],
        partTags: { ...(isTakenApart && said.tags), ...nestedTexts(said.tags, given) },
        partTexts: { ...(isTakenApart && said.texts), ...nestedTexts(said.texts, given) },
        type:
          isContext || isEarlyContext
            ? { kind: 'any' }
            : reader.read(parameterType, declaredTypeNode(own, ts)),
        position: positionOf(own ?? place),
      };
    }),
    strayTexts: said.named.filter(({ name: about }) => isStray(about, signature)),
    result: reader.read(awaited, resultNode(declaration, awaited, program)),
  };
}

/** A comment without the tags that belong to parameters. */
function withoutTags({ text, tags }: DocFacts, others: readonly DocTag[]): DocFacts {
  const isOther = ({ position: { line, column } }: DocTag) =>
    others.some(({ position }) => position.line === line && position.column === column);
  return { text, tags: tags.filter((tag) => !isOther(tag)) };
}

/** True if no parameter has this name. A destructured parameter matches every name. */
function isStray(about: string, { parameters }: ts.Signature): boolean {
  const names = parameters.map(({ name }) => name);
  return !names.some((name) => name.startsWith('__')) && !names.includes(about.split('.')[0]!);
}

function hasComment(node: ts.Node, typescript: TypeProgram['ts']): boolean {
  return typescript.getJSDocCommentsAndTags(node).some(typescript.isJSDoc);
}

function exportedName(
  symbol: ts.Symbol,
  declaration: ts.SignatureDeclaration | undefined,
  typescript: TypeProgram['ts'],
): string {
  const own =
    declaration?.name && typescript.isIdentifier(declaration.name) ? declaration.name.text : undefined;
  const value = symbol.valueDeclaration;
  const variable = value && typescript.isVariableDeclaration(value) ? value.name.getText() : undefined;
  return own ?? variable ?? (/^(?:default|export=|__)/.test(symbol.name) ? '' : symbol.name);
}

function isOptional(
  node: ts.ParameterDeclaration | undefined,
  type: ts.Type,
  initializer: ts.Expression | undefined,
  { ts, checker }: TypeProgram,
): boolean {
  if (initializer || mayBeUndefined(type, ts)) return true;
  if (!node) return false;
  if (node.questionToken) return true;
  const isTyped = declaredTypeNode(node, ts) !== undefined;
  return isTyped && checker.isOptionalParameter(node);
}

/** True if the type is the context of handlers, under any import name. */
function isToolContext(node: ts.TypeNode | undefined, { ts, checker }: TypeProgram): boolean {
  if (!node) return false;
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isImportTypeNode(node)
      ? node.qualifier
      : undefined;
  if (!name) return false;
  const last = ts.isQualifiedName(name) ? name.right : name;
  if (last.text === 'ToolContext') return true;
  const [declaration] = checker.getSymbolAtLocation(last)?.declarations ?? [];
  return (
    declaration !== undefined &&
    ts.isImportSpecifier(declaration) &&
    declaration.propertyName?.text === 'ToolContext'
  );
}

/** The written result type, without its promise. */
function resultNode(
  declaration: ts.SignatureDeclaration | undefined,
  awaited: ts.Type,
  { ts, checker }: TypeProgram,
): ts.TypeNode | undefined {
  if (!declaration) return undefined;
  const node = declaration.type ?? ts.getJSDocReturnType(declaration);
  if (!node) return undefined;
  const inner =
    ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Promise' ? node.typeArguments?.[0] : node;
  return inner && checker.getTypeFromTypeNode(inner) === awaited ? inner : undefined;
}

/** The compiled function, which has the defaults that declarations leave out. */
function compiledFunction(
  declaration: ts.SignatureDeclaration,
  symbol: ts.Symbol,
  { ts }: TypeProgram,
  compiledOf: FindCompiledModule,
): ts.SignatureDeclaration | undefined {
  const source = declaration.getSourceFile();
  if (!source.isDeclarationFile) return undefined;
  const module = compiledOf(source);
  return module && functionNamed(module, exportedName(symbol, declaration, ts), ts);
}

function functionNamed(
  { statements }: ts.SourceFile,
  name: string,
  typescript: TypeProgram['ts'],
): ts.SignatureDeclaration | undefined {
  for (const statement of statements) {
    if (typescript.isFunctionDeclaration(statement)) {
      const isDefault = statement.modifiers?.some(
        ({ kind }) => kind === typescript.SyntaxKind.DefaultKeyword,
      );
      if (statement.name?.text === name || (name === '' && isDefault)) return statement;
    }
    if (
      typescript.isExportAssignment(statement) &&
      name === '' &&
      isFunctionNode(statement.expression, typescript)
    ) {
      return statement.expression;
    }
    if (!typescript.isVariableStatement(statement)) continue;
    for (const { name: variable, initializer } of statement.declarationList.declarations) {
      const isMeant = typescript.isIdentifier(variable) && variable.text === name;
      if (isMeant && initializer && isFunctionNode(initializer, typescript)) return initializer;
    }
  }
  return undefined;
}

function isFunctionNode(
  node: ts.Node,
  typescript: TypeProgram['ts'],
): node is ts.ArrowFunction | ts.FunctionExpression {
  return typescript.isArrowFunction(node) || typescript.isFunctionExpression(node);
}

/** Top-level declarations marked `@mcp` that are not exported functions. */
function misplacedIn(
  source: ts.SourceFile,
  exported: ReadonlySet<ts.Symbol>,
  program: TypeProgram,
): readonly MisplacedTag[] {
  const { ts, checker, positionOf } = program;
  return source.statements.flatMap((statement): MisplacedTag[] => {
    const isMarked = readDocComment(statement, program).tags.some(({ name }) => name === 'mcp');
    if (!isMarked) return [];
    const nodes: readonly ts.Node[] = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement];
    return nodes.flatMap((node): MisplacedTag[] => {
      const named = (node as { name?: ts.Node }).name;
      const name = named?.getText() ?? 'default';
      const symbol = named && checker.getSymbolAtLocation(named);
      if (ts.isExportAssignment(node) || ts.isExpressionStatement(node)) return [];
      const isFunction = symbol
        ? checker.getTypeOfSymbolAtLocation(symbol, node).getCallSignatures().length > 0
        : ts.isFunctionDeclaration(node);
      if (!isFunction) return [{ name, reason: 'no-function', position: positionOf(node) }];
      const isDefault = ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Default;
      if (isDefault || (symbol && exported.has(symbol))) return [];
      // One declaration has a local symbol and another one for its export.
      const isExported = [...exported].some(({ declarations = [] }) =>
        declarations.includes(node as ts.Declaration),
      );
      return isExported ? [] : [{ name, reason: 'not-exported', position: positionOf(node) }];
    });
  });
}
