import { all, decoded, either, many, maybe, type Pattern, reader, type Takes, text } from './uri-pattern.js';

/** A template of addresses that can be read backwards: which values an address was made of. */
export interface UriTemplate {
  /** The names of its variables, each once, in order. */
  readonly variables: readonly string[];
  /**
   * The decoded values that an address has for the variables: lists for exploded ones, nothing for absent ones.
   * Undefined if it is no address of this template.
   */
  match(uri: string): UriValues | undefined;
}

type UriValues = Readonly<Record<string, string | string[]>>;

/** A text that is no template, or one whose addresses do not tell their values. The message says what is wrong with it. */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';
}

/**
 * Reads a template. RFC 6570 says how addresses are made of values and leaves the way back open (1.4). Ours takes time
 * that grows with the address alone, whoever sends it, and templates that leave a choice are refused.
 * @throws UriTemplateError
 */
export function readUriTemplate(text: string): UriTemplate {
  const parts = joinQueries(parse(text));
  requireTellable(parts);
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables));
  const takeApart = reader(all(...parts.map((part, index) => patternOf(part, parts[index + 1]))));
  if (!takeApart) throw new UriTemplateError('it is too long');
  return {
    variables: [...new Set(variables.map(({ name }) => name))],
    match: (uri) => valuesOf(takeApart(uri)),
  };
}

interface Variable {
  readonly name: string;
  readonly isExploded: boolean;
  /** Most characters of its value that an address has. */
  readonly most: number;
}

interface Expression {
  readonly text: string;
  readonly operator: string;
  readonly variables: readonly Variable[];
}

type TemplatePart = string | Expression;

/** RFC 6570, 2.2 */
const expressionPattern = /^\{([+#./;?&]?)([^{}]*)\}$/;
/** RFC 6570, 2.3 and 2.4 */
const variablePattern = /^((?:\w|%[\dA-Fa-f]{2})+(?:\.(?:\w|%[\dA-Fa-f]{2})+)*)(?:(\*)|:([1-9]\d{0,3}))?$/;

function parse(text: string): readonly TemplatePart[] {
  const pieces = text.split(/(\{[^{}]*\})/).filter((piece) => piece !== '');
  return pieces.map((piece) => {
    const [, operator, list] = expressionPattern.exec(piece) ?? [];
    if (operator !== undefined) {
      return { text: piece, operator, variables: list!.split(',').map((one) => variableOf(one, piece)) };
    }
    if (/[{}]/.test(piece)) throw new UriTemplateError(`it has a brace without its other one at "${piece}"`);
    return piece;
  });
}

function variableOf(text: string, expression: string): Variable {
  const [, name, star, most] = variablePattern.exec(text) ?? [];
  if (name === undefined)
    throw new UriTemplateError(`${expression} does not name variables as RFC 6570 does`);
  return { name, isExploded: star !== undefined, most: most === undefined ? Infinity : Number(most) };
}

function isQuery({ operator }: Expression): boolean {
  return operator === '?' || operator === '&';
}

/** Queries that follow each other are one: what is in them comes in any order. */
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

/** Makes sure that an address shows where each value ends. */
function requireTellable(parts: readonly TemplatePart[]): void {
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
      `nothing tells where ${part.text} ends and ${next.text} begins; put something between them`,
    );
  }
}

/** What a value is of: a variable, or the variables of a query. */
type Value = Variable | { readonly query: readonly Variable[] };

type MakePattern = (of: Value, least?: number) => Pattern<Value>;

function patternOf(part: TemplatePart, next: TemplatePart | undefined): Pattern<Value> {
  if (typeof part === 'string') return text(part);
  const { operator, variables } = part;
  const takes = unitsFor(part, next);
  const value: MakePattern = (of, least = 1) => {
    const most = 'query' in of ? Infinity : of.most;
    return { is: 'value', of, takes, least, most };
  };
  switch (operator) {
    case '?':
    case '&':
      return maybe(all(text(operator), value({ query: variables }, 0)));
    case '.':
    case '/':
      return all(...variables.map((one) => separate(one, all(text(operator), value(one)))));
    case ';':
      return all(...variables.map((one) => separate(one, all(text(`;${one.name}`), assigned(one, value)))));
    case '#':
      return maybe(all(text('#'), listed(variables, value)));
    default:
      return listed(variables, value);
  }
}

/** A variable with a mark of its own in front is not there when it has no value. */
function separate({ isExploded }: Variable, of: Pattern<Value>): Pattern<Value> {
  return maybe(isExploded ? many(of) : of);
}

/** Nothing follows the name of an empty value. @see RFC 6570, 3.2.7 */
function assigned(variable: Variable, value: MakePattern): Pattern<Value> {
  const nothing: Pattern<Value> = { is: 'value', of: variable, takes: () => false, least: 0, most: 0 };
  return either(all(text('='), value(variable, 0)), nothing);
}

/** Values with commas between them; the last ones may be missing. */
function listed([first, ...others]: readonly Variable[], value: MakePattern): Pattern<Value> {
  if (!first) return all();
  const more = first.isExploded ? [maybe(many(all(text(','), value(first))))] : [];
  const rest = others.length > 0 ? [maybe(all(text(','), listed(others, value)))] : [];
  return all(value(first), ...more, ...rest);
}

/** Of which units values are made. Clients do not encode all that they should, so whatever ends no value is taken. */
function unitsFor({ operator, variables }: Expression, next: TemplatePart | undefined): Takes {
  const isSeveral = variables.length > 1 || variables.some(({ isExploded }) => isExploded);
  const separator = { '.': '.', '/': '/', ';': ';', '?': '', '&': '' }[operator] ?? ',';
  const ends = new Set(isSeveral ? [separator] : []);
  if (operator === '?' || operator === '&') ends.add('#');
  else if (operator !== '+' && operator !== '#') for (const end of '/?#') ends.add(end);
  if (operator === ';') ends.add(';');
  if (typeof next === 'object') for (const end of next.operator === '&' ? '&' : next.operator) ends.add(end);
  return (unit) => !ends.has(unit);
}

function valuesOf(noted: readonly (readonly [Value, string])[] | undefined): UriValues | undefined {
  const values = new Values();
  const fits = noted?.every(([of, text]) =>
    'query' in of ? values.noteQuery(of.query, text) : values.note(of, decoded(text)),
  );
  return fits ? values.all : undefined;
}

/** The values of one address. */
class Values {
  readonly #values = new Map<string, { readonly value: string | string[]; readonly most: number }>();

  get all(): UriValues {
    return Object.fromEntries([...this.#values].map(([name, { value }]) => [name, value]));
  }

  /** Whether all of a query is known, and goes with what is noted already. */
  noteQuery(variables: readonly Variable[], query: string): boolean {
    const seen = new Set<string>();
    const pairs = query === '' ? [] : query.split('&');
    return pairs.every((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const variable = variables.find((one) => decoded(one.name) === decoded(name));
      const value = decoded(rest.join('='));
      if (!variable || [...value].length > variable.most) return false;
      if (!variable.isExploded && seen.has(variable.name)) return false;
      seen.add(variable.name);
      return this.note(variable, value);
    });
  }

  /** A variable may stand in several places: with the same value, or with the beginning of it. */
  note({ name, isExploded, most }: Variable, value: string): boolean {
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
