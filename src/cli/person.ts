import type { Person } from '../engine/call-once.js';
import { isRecord } from '../engine/extension/shapes.js';
import { visibleText } from '../engine/visible-text.js';
import type { Host } from '../host.js';
import { askLine, isSomebodyThere, isYes } from './question.js';

/** Whoever sits at the terminal, and why they have left. */
export interface PersonAtTerminal extends Person {
  /** What was thrown at Ctrl-C; nothing is asked from then on. */
  readonly interruption: unknown;
}

type Question = Parameters<Person['answer']>[0];

/** The person at the terminal, if stdin is one: questions are put on stderr, a line for each field. */
export function personAt(host: Host): PersonAtTerminal | undefined {
  if (!isSomebodyThere(host)) return undefined;
  let interruption: unknown;
  // Two handlers may ask at the same time, but there is one keyboard.
  let turn: Promise<unknown> = Promise.resolve();
  const answer = async (question: Question) => {
    if (interruption) throw interruption;
    return await (typeof question.url === 'string' ? visit(question, host) : fillIn(question, host)).catch(
      (error: unknown) => {
        interruption = error;
        throw error;
      },
    );
  };
  return {
    get interruption() {
      return interruption;
    },
    answer: (question) => {
      const answered = turn.then(() => answer(question));
      turn = answered.catch(() => {});
      return answered;
    },
  };
}

async function visit({ message, url }: Question, host: Host): Promise<{ action: string }> {
  host.stderr.write(`${visibleText(String(message))}\n${visibleText(String(url))}\n`);
  const line = await askLine('Done? [y/N] ', host);
  if (line === undefined) return { action: 'cancel' };
  return { action: isYes(line) ? 'accept' : 'decline' };
}

/** Ctrl-D puts the question away. */
async function fillIn(
  { message, requestedSchema }: Question,
  host: Host,
): Promise<{ action: string; content?: Readonly<Record<string, unknown>> }> {
  host.stderr.write(`${visibleText(String(message))}\n`);
  const fields =
    isRecord(requestedSchema) && isRecord(requestedSchema.properties) ? requestedSchema.properties : {};
  const content: [string, unknown][] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (!isRecord(field)) continue;
    const line = await askLine(labelOf(name, field), host);
    if (line === undefined) {
      host.stderr.write('\n');
      return { action: 'cancel' };
    }
    const value = line === '' ? field.default : valueOfLine(line, field);
    if (value !== undefined) content.push([name, value]);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

type Field = Readonly<Record<string, unknown>>;

/** `name, description (one, other) [default]: ` */
function labelOf(name: string, field: Field): string {
  const { title, description, default: initial } = field;
  const told = [title ?? name, description].filter((text) => typeof text === 'string').join(', ');
  const options = optionsOf(field).map(({ value, title }) =>
    title === value ? value : `${value} = ${title}`,
  );
  const choice =
    field.type === 'boolean' ? ' (yes, no)' : options.length > 0 ? ` (${options.join(', ')})` : '';
  const preset =
    initial === undefined ? '' : ` [${Array.isArray(initial) ? initial.join(', ') : sayOf(initial)}]`;
  return visibleText(`  ${told}${choice}${preset}: `);
}

function sayOf(value: unknown): string {
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}

/** What somebody meant by a line. What does not fit stays as it is, and is told to be wrong when it is checked. */
function valueOfLine(line: string, field: Field): unknown {
  if (field.type === 'array') return line.split(',').map((part) => chosen(part.trim(), field));
  if (field.type === 'boolean')
    return /^(?:y|yes|true)$/i.test(line) || (/^(?:n|no|false)$/i.test(line) ? false : line);
  if (field.type === 'number' || field.type === 'integer')
    return Number.isNaN(Number(line)) ? line : Number(line);
  return chosen(line, field);
}

/** An option by its value or its title. */
function chosen(text: string, field: Field): string {
  const option = optionsOf(field).find(({ value, title }) => value === text || title === text);
  return option?.value ?? text;
}

interface Option {
  readonly value: string;
  readonly title: string;
}

function optionsOf(field: Field): readonly Option[] {
  const { enum: values, enumNames: names, oneOf, anyOf, items } = field;
  if (isRecord(items)) return optionsOf(items);
  if (Array.isArray(values)) {
    return values.map((value, index) => ({
      value: String(value),
      title: String((Array.isArray(names) ? names[index] : undefined) ?? value),
    }));
  }
  const listed: readonly unknown[] = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return listed
    .filter(isRecord)
    .map(({ const: value, title }) => ({ value: String(value), title: String(title) }));
}
