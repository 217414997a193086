import type { ChalkInstance } from 'chalk';
import { isRecord } from '../../../engine/base/value-checks.js';
import { visibleLine } from '../../../engine/base/visible-text.js';
import type { DeclarationFacts } from '../../../engine/discovery/facts.js';

type DescribedDeclaration = Pick<DeclarationFacts, 'name' | 'description'> & { readonly hidden?: boolean };

/** Name and description of an item. */
export function declarationRow(
  { name, description, hidden }: DescribedDeclaration,
  style: ChalkInstance,
): string {
  const mark = hidden ? ' (hidden)' : '';
  const [first, ...others] = (description ?? '').trim().split('\n');
  const rest = others.length > 0 ? indentText(others.join('\n'), 4) : '';
  return `  ${style.cyan(visibleLine(name))}${mark}${first ? `  ${first}` : ''}\n${rest}`;
}

/** Parameters of an input schema, one per line. */
export function parameterRows(schema: unknown): string {
  const { properties, required } = isRecord(schema) ? schema : {};
  if (!isRecord(properties)) return '';
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return Object.entries(properties)
    .map(([name, property]) => {
      const { description } = isRecord(property) ? property : {};
      const facts = [typeName(property), ...(isRequired(name) ? ['required'] : [])].join(', ');
      return `    ${visibleLine(name)} (${facts})${typeof description === 'string' ? `  ${collapseLines(description)}` : ''}\n`;
    })
    .join('');
}

/** Type of a schema, for people. */
export function typeName(schema: unknown): string {
  const { type, enum: values, items } = isRecord(schema) ? schema : {};
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array' && isRecord(items)) return `list of ${typeName(items)}`;
  if (Array.isArray(type)) return visibleLine(type.join(' | '));
  return typeof type === 'string' ? visibleLine(type) : 'any';
}

/** Joins the lines of a text. */
export function collapseLines(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

/** Indents the lines of a text. */
export function indentText(text: string, spaces: number): string {
  return text
    .trimEnd()
    .replace(/^(?=.)/gm, ' '.repeat(spaces))
    .concat('\n');
}
