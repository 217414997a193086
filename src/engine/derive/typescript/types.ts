import type ts from '@typescript/typescript6';
import type { PropertyFacts, TypeFacts } from '../type-source.js';
import { noDoc } from '../type-source.js';
import { readDocComment } from './docs.js';
import type { TypeProgram } from './program.js';

/** Standard objects that are strings in JSON. */
const casts = {
  Date: 'Date',
  URL: 'URL',
  Uint8Array: 'Uint8Array',
  Buffer: 'Buffer',
} as const satisfies Record<string, Extract<TypeFacts, { kind: 'cast' }>['to']>;

/** Names of AgentTools' result types, which need no schema. */
const resultTypeNames = new Set(['ToolResult', 'ContentBlock']);

/** Reads types of a program, one step at a time. */
export class TypeReader {
  readonly #program: TypeProgram;

  constructor(program: TypeProgram) {
    this.#program = program;
  }

  /**
   * Reads a type. `written` is its source text, if known: only this has the alias names and the order of a
   * union.
   */
  read(type: ts.Type, written: ts.TypeNode | undefined): TypeFacts {
    this.#program.checkTimeout();
    const node = written && this.#stripped(written);
    if (node && this.#means(node, type)) return this.#readNode(node, type) ?? this.#readType(type, node);
    return this.#readType(type, undefined);
  }

  #stripped(node: ts.TypeNode): ts.TypeNode {
    const { ts } = this.#program;
    if (ts.isParenthesizedTypeNode(node)) return this.#stripped(node.type);
    const isReadonly = ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword;
    return isReadonly ? this.#stripped(node.type) : node;
  }

  /** True if the written type is the actual one, not a substitution for a type parameter. */
  #means(node: ts.TypeNode, type: ts.Type): boolean {
    const { checker } = this.#program;
    const named = checker.getTypeFromTypeNode(node);
    const there = this.#membersOf(type);
    const said = this.#membersOf(named);
    return said.size === there.size && [...said].every((one) => there.has(one));
  }

  #membersOf(type: ts.Type): ReadonlySet<ts.Type> {
    const { ts } = this.#program;
    const members = type.isUnion() ? type.types : [type];
    return new Set(members.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0));
  }

  /** Facts of the written form only: names of aliases, and the order of unions. */
  #readNode(node: ts.TypeNode, type: ts.Type): TypeFacts | undefined {
    const { ts, checker } = this.#program;
    if (ts.isUnionTypeNode(node)) {
      const members = node.types.map((one) => this.read(checker.getTypeFromTypeNode(one), one));
      return { kind: 'union', members };
    }
    const alias = this.#aliasIn(node);
    if (!alias) return undefined;
    const declaration = alias.declarations?.find(
      (one): one is ts.TypeAliasDeclaration | ts.JSDocTypedefTag =>
        ts.isTypeAliasDeclaration(one) || ts.isJSDocTypedefTag(one),
    );
    if (!declaration || isGeneric(declaration, ts)) return undefined;
    if (resultTypeNames.has(alias.name) && !this.#program.isOwn(declaration)) return { kind: 'finished' };
    const isInteger = alias.name === 'Int' && (type.flags & ts.TypeFlags.Number) !== 0;
    return {
      kind: 'named',
      name: alias.name,
      identity: alias,
      doc: readDocComment(declaration, this.#program),
      look: () =>
        isInteger
          ? { kind: 'integer' }
          : this.read(checker.getTypeFromTypeNode(node), aliasTypeNode(declaration, ts)),
    };
  }

  /** The type alias that a node names without arguments. */
  #aliasIn(node: ts.TypeNode): ts.Symbol | undefined {
    const { ts, checker } = this.#program;
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isImportTypeNode(node)
        ? node.qualifier
        : undefined;
    if (!name || (node as ts.TypeReferenceNode).typeArguments?.length) return undefined;
    const symbol = checker.getSymbolAtLocation(name);
    if (!symbol) return undefined;
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return meant.flags & ts.SymbolFlags.TypeAlias ? meant : undefined;
  }

  #readType(type: ts.Type, node: ts.TypeNode | undefined): TypeFacts {
    const { ts, checker } = this.#program;
    const { TypeFlags } = ts;
    const is = (flags: ts.TypeFlags) => (type.flags & flags) !== 0;
    if (is(TypeFlags.Any)) {
      const isUnknownName = (type as { intrinsicName?: string }).intrinsicName === 'error';
      return isUnknownName ? this.#unmappable(type, 'nothing of that name is found', node) : { kind: 'any' };
    }
    if (is(TypeFlags.Unknown)) return { kind: 'any' };
    if (is(TypeFlags.Never)) return { kind: 'never' };
    if (is(TypeFlags.Undefined | TypeFlags.Void)) return { kind: 'undefined' };
    if (is(TypeFlags.Null)) return { kind: 'null' };
    if (is(TypeFlags.BooleanLiteral))
      return { kind: 'literal', value: checker.typeToString(type) === 'true' };
    if (is(TypeFlags.Boolean)) return { kind: 'boolean' };
    if (type.isUnion()) return this.#readUnion(type);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { kind: 'literal', value: type.value };
    if (is(TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) return { kind: 'string' };
    if (is(TypeFlags.Number | TypeFlags.Enum)) return { kind: 'number' };
    if (is(TypeFlags.BigIntLike)) return this.#unmappable(type, 'JSON has no numbers of that size');
    if (is(TypeFlags.ESSymbolLike)) return this.#unmappable(type, 'a symbol is unique to its process');
    if (is(TypeFlags.NonPrimitive)) return { kind: 'object', properties: [], others: undefined };
    if (is(TypeFlags.Object)) return this.#readObject(type as ts.ObjectType, node);
    if (type.isIntersection()) return this.#readIntersection(type);
    return this.#unmappable(type, 'it is generic, so its values are unknown');
  }

  #readUnion(type: ts.UnionType): TypeFacts {
    const { ts } = this.#program;
    const symbol = type.aliasSymbol ?? type.symbol;
    const members = type.types.map((one) => this.read(one, undefined));
    const union: TypeFacts = { kind: 'union', members };
    const declaration = symbol?.declarations?.find(
      (one) => ts.isEnumDeclaration(one) || ts.isTypeAliasDeclaration(one),
    );
    if (!declaration || type.aliasTypeArguments) return union;
    const isEnum = ts.isEnumDeclaration(declaration);
    if (!isEnum && !type.aliasSymbol) return union;
    const doc = readDocComment(declaration, this.#program);
    const written = isEnum ? undefined : aliasTypeNode(declaration as ts.TypeAliasDeclaration, ts);
    const isSame = written && this.#means(written, type);
    const look = () => (isSame ? (this.#readNode(this.#stripped(written), type) ?? union) : union);
    return { kind: 'named', name: symbol!.name, identity: symbol, doc, look };
  }

  /**
   * A branded primitive is read as the primitive. Other intersections are objects with the members of all
   * types.
   */
  #readIntersection(type: ts.IntersectionType): TypeFacts {
    const { ts } = this.#program;
    const primitive = type.types.find(({ flags }) => (flags & ts.TypeFlags.Object) === 0);
    if (primitive) return this.read(primitive, undefined);
    return this.#named(type, type.aliasSymbol, () => this.#members(type));
  }

  #readObject(type: ts.ObjectType, node: ts.TypeNode | undefined): TypeFacts {
    const { ts, checker } = this.#program;
    if (checker.isTupleType(type)) return this.#readTuple(type as ts.TupleTypeReference, node);
    if (checker.isArrayType(type)) return { kind: 'array', items: this.#argument(type, node), isSet: false };
    const { symbol } = type;
    const declaration = symbol?.declarations?.[0];
    const isType = symbol && (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
    if (isType && declaration && this.#program.isStandard(declaration)) return this.#readStandard(type, node);
    if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) {
      return this.#unmappable(type, 'JSON has no functions', node);
    }
    const name = type.aliasSymbol ?? symbol;
    if (name && declaration && resultTypeNames.has(name.name) && !this.#program.isOwn(declaration))
      return { kind: 'finished' };
    if (declaration && hasHidden(type, this.#program)) {
      return this.#unmappable(type, 'it has private members, so a plain object cannot be one', node);
    }
    return this.#named(type, name, () => this.#members(type));
  }

  /** An object type with its name and identity, which detect recursion. */
  #named(type: ts.Type, symbol: ts.Symbol | undefined, look: () => TypeFacts): TypeFacts {
    const { ts } = this.#program;
    const declaration = symbol?.declarations?.[0];
    const isWritten =
      declaration &&
      !this.#program.isStandard(declaration) &&
      (ts.isInterfaceDeclaration(declaration) ||
        ts.isClassDeclaration(declaration) ||
        ts.isTypeAliasDeclaration(declaration) ||
        ts.isJSDocTypedefTag(declaration));
    const name = symbol && !symbol.name.startsWith('__') ? symbol.name : 'Type';
    const doc = isWritten ? readDocComment(declaration, this.#program) : noDoc;
    return { kind: 'named', name, identity: type, doc, look };
  }

  #readStandard(type: ts.ObjectType, node: ts.TypeNode | undefined): TypeFacts {
    const { name } = type.symbol;
    if (Object.hasOwn(casts, name)) return { kind: 'cast', to: casts[name as keyof typeof casts] };
    if (name === 'Set' || name === 'ReadonlySet') {
      return { kind: 'array', items: this.#argument(type, node), isSet: true };
    }
    const known: Readonly<Record<string, string>> = {
      Map: 'use a Record, or a list of pairs',
      ReadonlyMap: 'use a Record, or a list of pairs',
      Promise: 'it has no value yet',
      Function: 'JSON has no functions',
    };
    return this.#unmappable(type, known[name] ?? 'it is an object of the language, and not data', node);
  }

  /** The first argument of a generic, with its written form. */
  #argument(type: ts.ObjectType, node: ts.TypeNode | undefined): TypeFacts {
    const { ts, checker } = this.#program;
    const [argument] = checker.getTypeArguments(type as ts.TypeReference);
    const written =
      node && ts.isArrayTypeNode(node)
        ? node.elementType
        : node && ts.isTypeReferenceNode(node)
          ? node.typeArguments?.[0]
          : undefined;
    return argument ? this.read(argument, written) : { kind: 'any' };
  }

  #readTuple(type: ts.TupleTypeReference, node: ts.TypeNode | undefined): TypeFacts {
    const { ts, checker } = this.#program;
    const flags = type.target.elementFlags;
    const written =
      node && ts.isTupleTypeNode(node) && node.elements.length === flags.length ? node.elements : [];
    const read = checker
      .getTypeArguments(type)
      .map((one, index) => this.read(one, elementIn(written[index], ts)));
    const isFixed = (index: number) =>
      (flags[index]! & (ts.ElementFlags.Required | ts.ElementFlags.Optional)) !== 0;
    const rest = read.findIndex((_, index) => !isFixed(index));
    if (rest !== -1 && rest !== read.length - 1) {
      return this.#unmappable(type, 'only the last element of a list can be a rest element', node);
    }
    return {
      kind: 'tuple',
      items: read.slice(0, rest === -1 ? undefined : rest).map((one, index) => {
        const isOptional = (flags[index]! & ts.ElementFlags.Optional) !== 0;
        return { type: one, isOptional };
      }),
      rest: rest === -1 ? undefined : read[rest],
    };
  }

  #members(type: ts.Type): TypeFacts {
    const { checker } = this.#program;
    const indexes = checker.getIndexInfosOfType(type);
    const properties = checker.getPropertiesOfType(type).map((one) => this.#property(one));
    const others = indexes.map((one) => this.read(one.type, one.declaration?.type));
    return {
      kind: 'object',
      properties,
      others: others.length > 1 ? { kind: 'union', members: others } : others[0],
    };
  }

  #property(symbol: ts.Symbol): PropertyFacts {
    const { ts, checker, positionOf, isOwn } = this.#program;
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    const type = checker.getTypeOfSymbol(symbol);
    const isSymbol = symbol.name.startsWith('__@');
    return {
      name: isSymbol ? '[symbol]' : ts.unescapeLeadingUnderscores(symbol.escapedName),
      isOptional: (symbol.flags & ts.SymbolFlags.Optional) !== 0 || mayBeUndefined(type, ts),
      doc: readDocComment(declaration, this.#program),
      type: isSymbol
        ? this.#unmappable(type, 'a symbol cannot be a key in JSON')
        : this.read(type, declaredTypeNode(declaration, ts)),
      position: declaration && isOwn(declaration) ? positionOf(declaration) : undefined,
    };
  }

  #unmappable(type: ts.Type, reason: string, node?: ts.TypeNode): TypeFacts {
    const { checker } = this.#program;
    const isNamed = (type.flags & this.#program.ts.TypeFlags.Any) === 0;
    const text = isNamed || !node ? checker.typeToString(type) : node.getText();
    return { kind: 'unmappable', text, reason };
  }
}

/** True if the type includes undefined. */
export function mayBeUndefined(type: ts.Type, typescript: typeof ts): boolean {
  const members = type.isUnion() ? type.types : [type];
  return members.some(({ flags }) => (flags & typescript.TypeFlags.Undefined) !== 0);
}

/** The written type of a declaration; undefined if the type is inferred. */
export function declaredTypeNode(node: ts.Node | undefined, typescript: typeof ts): ts.TypeNode | undefined {
  if (!node) return undefined;
  if (typescript.isJSDocPropertyTag(node) || typescript.isJSDocParameterTag(node)) {
    const { typeExpression: expression } = node;
    return expression && typescript.isJSDocTypeExpression(expression) ? expression.type : undefined;
  }
  const own = (node as { type?: ts.Node }).type;
  if (own && typescript.isTypeNode(own)) return own;
  return typescript.isParameter(node) || typescript.isPropertyDeclaration(node)
    ? typescript.getJSDocType(node)
    : undefined;
}

function aliasTypeNode(
  declaration: ts.TypeAliasDeclaration | ts.JSDocTypedefTag,
  typescript: typeof ts,
): ts.TypeNode | undefined {
  if (typescript.isTypeAliasDeclaration(declaration)) return declaration.type;
  const { typeExpression: expression } = declaration;
  return expression && typescript.isJSDocTypeExpression(expression) ? expression.type : undefined;
}

function elementIn(node: ts.TypeNode | undefined, typescript: typeof ts): ts.TypeNode | undefined {
  if (!node) return undefined;
  if (typescript.isNamedTupleMember(node) || typescript.isOptionalTypeNode(node)) return node.type;
  if (!typescript.isRestTypeNode(node)) return node;
  return typescript.isArrayTypeNode(node.type) ? node.type.elementType : undefined;
}

function isGeneric(
  declaration: ts.TypeAliasDeclaration | ts.JSDocTypedefTag,
  typescript: typeof ts,
): boolean {
  return typescript.isTypeAliasDeclaration(declaration) && declaration.typeParameters !== undefined;
}

/** True if a class has private or protected members. */
function hasHidden(type: ts.ObjectType, { ts, checker }: TypeProgram): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return checker.getPropertiesOfType(type).some(({ name, declarations = [] }) => {
    if (name.startsWith('__#')) return true;
    return declarations.some((one) => (ts.getCombinedModifierFlags(one) & hidden) !== 0);
  });
}
