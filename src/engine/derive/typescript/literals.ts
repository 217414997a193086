import type ts from '@typescript/typescript6';
import type { DefaultValue } from '../type-source.js';
import type { TypeScript } from './compiler.js';

/** The defaults of a destructured parameter, by the names of the parts. */
export function fallbacksIn(pattern: ts.BindingName, typescript: TypeScript): Record<string, DefaultValue> {
  if (!typescript.isObjectBindingPattern(pattern)) return {};
  const found = pattern.elements.flatMap(({ initializer, propertyName, name }) => {
    const key = propertyName ?? name;
    const isNamed = typescript.isIdentifier(key) || typescript.isStringLiteral(key);
    return initializer && isNamed ? [[key.text, readDefaultValue(initializer, typescript)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Reads the default after `=`; the value is absent unless it is a literal with a JSON form. */
export function readDefaultValue(initializer: ts.Expression, typescript: TypeScript): DefaultValue {
  const value = readLiteral(initializer, typescript);
  return value === undefined ? {} : { value };
}

function readLiteral(node: ts.Expression, typescript: TypeScript): unknown {
  if (
    typescript.isParenthesizedExpression(node) ||
    typescript.isAsExpression(node) ||
    typescript.isSatisfiesExpression(node)
  ) {
    return readLiteral(node.expression, typescript);
  }
  if (typescript.isStringLiteralLike(node)) return node.text;
  if (typescript.isNumericLiteral(node)) return Number(node.text);
  if (typescript.isPrefixUnaryExpression(node)) {
    const value = readLiteral(node.operand, typescript);
    const isMinus = node.operator === typescript.SyntaxKind.MinusToken;
    return isMinus && typeof value === 'number' ? -value : undefined;
  }
  if (node.kind === typescript.SyntaxKind.TrueKeyword) return true;
  if (node.kind === typescript.SyntaxKind.FalseKeyword) return false;
  if (node.kind === typescript.SyntaxKind.NullKeyword) return null;
  if (typescript.isArrayLiteralExpression(node)) {
    const values = node.elements.map((one) => readLiteral(one, typescript));
    return values.includes(undefined) ? undefined : values;
  }
  if (!typescript.isObjectLiteralExpression(node)) return undefined;
  const entries = node.properties.map((one) => {
    const isPlain = typescript.isPropertyAssignment(one) && !typescript.isComputedPropertyName(one.name);
    return isPlain
      ? ([one.name.getText().replace(/^['"]|['"]$/g, ''), readLiteral(one.initializer, typescript)] as const)
      : undefined;
  });
  return entries.every((one) => one !== undefined && one[1] !== undefined)
    ? Object.fromEntries(entries as [string, unknown][])
    : undefined;
}
