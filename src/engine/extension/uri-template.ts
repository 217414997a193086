import { decodeUriText } from '../base/text-codecs.js';
import {
  type AcceptsUnit,
  compileMatcher,
  eitherPattern,
  literalPattern,
  many,
  maybe,
  sequencePattern,
  type UriPattern,
} from './uri-pattern.js';

/** A URI template that can extract its values from a URI. */
export interface UriTemplate {
  /** Names of its variables, without duplicates, in order. */
  readonly variables: readonly string[];
  /**
   * Returns the decoded values of the variables: a list for an exploded one, no key for an absent one.
   * Undefined if the URI does not match the template.
   */
  match(uri: string): UriValues | undefined;
}

type UriValues = Readonly<Record<string, string | string[]>>;

/** A text that is not a template, or a template with ambiguous values. The message is the reason. */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';
}

/**
 * Parses a template. RFC 6570 defines expansion and leaves extraction open (1.4). This implementation takes
 * time linear in the length of the URI, so no client can stall it, and rejects ambiguous templates.
 * @throws UriTemplateError
 */
export function readUriTemplate(text: string): UriTemplate {
  const parts = joinQueries(parseTemplate(text));
  requireUnambiguous(parts);
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables));
  const takeApart = compileMatcher(
    sequencePattern(...parts.map((part, index) => toUriPattern(part, parts[index + 1]))),
  );
  if (!takeApart) throw new UriTemplateError('it is too long');
  return {
    variables: [...new Set(variables.map(({ name }) => name))],
    match: (uri) => collectUriValues(takeApart(uri)),
  };
}

interface TemplateVariable {
  readonly name: string;
  readonly isExploded: boolean;
  /** Greatest length of its value in a URI, in characters. */
  readonly most: number;
}

interface Expression {
  readonly text: string;
  readonly operator: string;
  readonly variables: readonly TemplateVariable[];
}

type TemplatePart = string | Expression;

/** RFC 6570, 2.2 */
const expressionPattern = /^\{([+#./;?&]?)([^{}]*)\}$/;
/** RFC 6570, 2.3 and 2.4 */
const variablePattern = /^((?:\w|%[\dA-Fa-f]{2})+(?:\.(?:\w|%[\dA-Fa-f]{2})+)*)(?:(\*)|:([1-9]\d{0,3}))?$/;

function parseTemplate(text: string): readonly TemplatePart[] {
  const pieces = text.split(/(\{[^{}]*\})/).filter((piece) => piece !== '');
  return pieces.map((piece) => {
    const [, operator, list] = expressionPattern.exec(piece) ?? [];
    if (operator !== undefined) {
      return {
        text: piece,
        operator,
        variables: list!.split(',').map((one) => parseTemplateVariable(one, piece)),
      };
    }
    if (/[{}]/.test(piece)) throw new UriTemplateError(`it has an unmatched brace at "${piece}"`);
    return piece;
  });
}

function parseTemplateVariable(text: string, expression: string): TemplateVariable {
  const [, name, star, most] = variablePattern.exec(text) ?? [];
  if (name === undefined) throw new UriTemplateError(`${expression} is not a valid expression of RFC 6570`);
  return { name, isExploded: star !== undefined, most: most === undefined ? Infinity : Number(most) };
}

function isQuery({ operator }: Expression): boolean {
  return operator === '?' || operator === '&';
}

/** Joins adjacent queries into one, because parameters may come in any order. */
function joinQueries(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  const joined: TemplatePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const areOne = typeof last === 'object' && isQuery(last) && typeof part === 'object' && isQuery(part);
    if (!areOne) joined.push(part);
    else joined.splice(-1, 1, { ...last, variables: [...last.variables, ...part.variables] });
  }
  return joined;
}

/** Checks that the end of each value can be recognised in a URI. */
function requireUnambiguous(parts: readonly TemplatePart[]): void {
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    if (typeof part === 'string' || next === undefined) continue;
    const begins = typeof next === 'string' ? next.charAt(0) : next.operator;
    if (isQuery(part) && begins !== '#')
      throw new UriTemplateError(`something follows ${part.text}, and only a fragment comes after a query`);
    if (typeof next === 'string' || isQuery(part)) continue;
    const takesAll = part.operator === '+' || part.operator === '#';
    if (!['', '+'].includes(begins) && !(takesAll && './;'.includes(begins))) continue;
    throw new UriTemplateError(
      `it is ambiguous where ${part.text} ends and ${next.text} begins; put a literal between them`,
    );
  }
}

/** Owner of a value: a variable, or all variables of a query. */
type VariableSlot = TemplateVariable | { readonly query: readonly TemplateVariable[] };

type MakePattern = (of: VariableSlot, least?: number) => UriPattern<VariableSlot>;

function toUriPattern(part: TemplatePart, next: TemplatePart | undefined): UriPattern<VariableSlot> {
  if (typeof part === 'string') return literalPattern(part);
  const { operator, variables } = part;
  const takes = unitsFor(part, next);
  const value: MakePattern = (of, least = 1) => {
    const most = 'query' in of ? Infinity : of.most;
    return { is: 'value', of, takes, least, most };
  };
  switch (operator) {
    case '?':
    case '&':
      return maybe(sequencePattern(literalPattern(operator), value({ query: variables }, 0)));
    case '.':
    case '/':
      return sequencePattern(
        ...variables.map((one) => separate(one, sequencePattern(literalPattern(operator), value(one)))),
      );
    case ';':
      return sequencePattern(
        ...variables.map((one) =>
          separate(one, sequencePattern(literalPattern(`;${one.name}`), namedValuePattern(one, value))),
        ),
      );
    case '#':
      return maybe(sequencePattern(literalPattern('#'), commaPattern(variables, value)));
    default:
      return commaPattern(variables, value);
  }
}

/** A variable with an operator before it is absent if it has no value. */
function separate({ isExploded }: TemplateVariable, of: UriPattern<VariableSlot>): UriPattern<VariableSlot> {
  return maybe(isExploded ? many(of) : of);
}

/** Only the name is present for an empty value. @see RFC 6570, 3.2.7 */
function namedValuePattern(variable: TemplateVariable, value: MakePattern): UriPattern<VariableSlot> {
  const nothing: UriPattern<VariableSlot> = {
    is: 'value',
    of: variable,
    takes: () => false,
    least: 0,
    most: 0,
  };
  return eitherPattern(sequencePattern(literalPattern('='), value(variable, 0)), nothing);
}

/** Values separated by commas. Trailing ones may be absent. */
function commaPattern(
  [first, ...others]: readonly TemplateVariable[],
  value: MakePattern,
): UriPattern<VariableSlot> {
  if (!first) return sequencePattern();
  const more = first.isExploded ? [maybe(many(sequencePattern(literalPattern(','), value(first))))] : [];
  const rest =
    others.length > 0 ? [maybe(sequencePattern(literalPattern(','), commaPattern(others, value)))] : [];
  return sequencePattern(value(first), ...more, ...rest);
}

/**
 * Returns a check for the units of a value. Clients do not encode every character they should, so all units
 * are accepted except those that end the value.
 */
function unitsFor({ operator, variables }: Expression, next: TemplatePart | undefined): AcceptsUnit {
  const isSeveral = variables.length > 1 || variables.some(({ isExploded }) => isExploded);
  const separator = { '.': '.', '/': '/', ';': ';', '?': '', '&': '' }[operator] ?? ',';
  const ends = new Set(isSeveral ? [separator] : []);
  if (operator === '?' || operator === '&') ends.add('#');
  else if (operator !== '+' && operator !== '#') for (const end of '/?#') ends.add(end);
  if (operator === ';') ends.add(';');
  if (typeof next === 'object') for (const end of next.operator === '&' ? '&' : next.operator) ends.add(end);
  return (unit) => !ends.has(unit);
}

function collectUriValues(
  noted: readonly (readonly [VariableSlot, string])[] | undefined,
): UriValues | undefined {
  const values = new UriValueCollector();
  const fits = noted?.every(([of, text]) =>
    'query' in of ? values.noteQuery(of.query, text) : values.note(of, decodeUriText(text)),
  );
  return fits ? values.all : undefined;
}

/** The values of one URI. */
class UriValueCollector {
  readonly #values = new Map<string, { readonly value: string | string[]; readonly most: number }>();

  get all(): UriValues {
    return Object.fromEntries([...this.#values].map(([name, { value }]) => [name, value]));
  }

  /** True if all parameters of a query are known and agree with the values recorded so far. */
  noteQuery(variables: readonly TemplateVariable[], query: string): boolean {
    const seen = new Set<string>();
    const pairs = query === '' ? [] : query.split('&');
    return pairs.every((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const variable = variables.find((one) => decodeUriText(one.name) === decodeUriText(name));
      const value = decodeUriText(rest.join('='));
      if (!variable || [...value].length > variable.most) return false;
      if (!variable.isExploded && seen.has(variable.name)) return false;
      seen.add(variable.name);
      return this.note(variable, value);
    });
  }

  /**
   * Records a value. True if a variable that occurs several times has the same value, or the beginning of it.
   */
  note({ name, isExploded, most }: TemplateVariable, value: string): boolean {
    const known = this.#values.get(name);
    if (known && Array.isArray(known.value) !== isExploded) return false;
    if (Array.isArray(known?.value)) {
      known.value.push(value);
      return true;
    }
    if (isExploded) {
      this.#values.set(name, { value: [value], most });
      return true;
    }
    const both = [{ value, most }, ...(known ? [known as { value: string; most: number }] : [])];
    const [longer, shorter = longer] = both.toSorted((one, other) => other.most - one.most);
    this.#values.set(name, longer!);
    return [...longer!.value].slice(0, shorter!.most).join('') === shorter!.value;
  }
}
