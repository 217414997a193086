import { isRecord } from '../../../engine/base/value-checks.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { compileSchema, formatIssues } from '../../../engine/schema/index.js';
import type { InputUser } from '../../../engine/serve/call-once.js';
import type { Host } from '../../../host.js';
import { askLine, isInteractive } from '../../shared/ask-question.js';

/** The user at the terminal. */
export interface TerminalUser extends InputUser {
  /** Aborts at Ctrl-C with the error to throw. No input is requested afterwards. */
  readonly left: AbortSignal;
}

type TerminalQuestion = Parameters<InputUser['answer']>[0];

/** Asks for one line; undefined at Ctrl-D. */
type AskLine = (label: string) => Promise<string | undefined>;

interface Prompter {
  readonly ask: AskLine;
  readonly stderr: Host['stderr'];
}

/**
 * The user at the terminal; undefined if stdin is not a terminal. Input requests go to stderr, one line per
 * field.
 */
export function createTerminalUser(host: Host): TerminalUser | undefined {
  if (!isInteractive(host)) return undefined;
  const leaving = new AbortController();
  // Two handlers can request input at the same time, but there is only one keyboard.
  let turn: Promise<unknown> = Promise.resolve();
  const answer = async (question: TerminalQuestion, signal: AbortSignal) => {
    leaving.signal.throwIfAborted();
    const ask: AskLine = async (label) => {
      const line = await askLine(label, host, signal);
      if (line === undefined) host.stderr.write('\n');
      return line;
    };
    try {
      return await askTerminal(question, { ask, stderr: host.stderr });
    } catch (error) {
      leaving.abort(error);
      throw error;
    }
  };
  return {
    left: leaving.signal,
    answer: (question, signal) => {
      const answered = turn.then(() => answer(question, signal));
      turn = answered.catch(() => {});
      return answered;
    },
  };
}

/** Ctrl-D cancels the request. */
async function askTerminal(
  { message, url, requestedSchema }: TerminalQuestion,
  prompter: Prompter,
): Promise<{ action: string; content?: Readonly<Record<string, unknown>> }> {
  const { ask, stderr } = prompter;
  stderr.write(`${visibleText(String(message))}\n`);
  if (typeof url === 'string') {
    stderr.write(`${visibleText(url)}\n`);
    return { action: await askAction('Go there?', prompter, agreement) };
  }
  const form = isRecord(requestedSchema) ? requestedSchema : {};
  const fields = Object.entries(isRecord(form.properties) ? form.properties : {});
  const action =
    fields.length > 0
      ? await askAction('What will you do?', prompter, formChoice)
      : await askAction('Agree?', prompter, agreement);
  if (action !== 'accept') return { action };
  const content: [string, unknown][] = [];
  for (const [name, field] of fields) {
    if (!isRecord(field)) continue;
    const isRequired = Array.isArray(form.required) && form.required.includes(name);
    const answered = await askField({ name, field, isRequired }, ask, stderr);
    if (!answered) return { action: 'cancel' };
    if (answered.value !== undefined) content.push([name, answered.value]);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** Possible actions on an input request, by word. */
interface TerminalChoice {
  readonly actions: Readonly<Record<string, string>>;
  /** Word for an empty line. */
  readonly preset?: string;
}

const agreement: TerminalChoice = { actions: { yes: 'accept', no: 'decline', cancel: 'cancel' } };

/** Avoids yes and no, which users could enter as the answer itself. */
const formChoice: TerminalChoice = {
  actions: { answer: 'accept', decline: 'decline', cancel: 'cancel' },
  preset: 'answer',
};

/** Asks until the user enters a word, its first letter, or an action of MCP. */
async function askAction(
  label: string,
  { ask, stderr }: Prompter,
  { actions, preset }: TerminalChoice,
): Promise<string> {
  const words = Object.keys(actions);
  const standard = preset === undefined ? '' : ` [${preset}]`;
  for (;;) {
    const line = await ask(`${label} (${words.join(', ')})${standard}: `);
    if (line === undefined) return 'cancel';
    const typed = (line || (preset ?? '')).toLowerCase();
    const word = words.find((one) => [one, one[0], actions[one]].includes(typed));
    if (word !== undefined) return actions[word]!;
    stderr.write(
      visibleText(`  ${JSON.stringify(line)} is not an answer. Write one of: ${words.join(', ')}.\n`),
    );
  }
}

interface TerminalField {
  readonly name: string;
  readonly field: InputFieldSchema;
  readonly isRequired: boolean;
}

/** Asks until the value is valid; undefined at Ctrl-D. */
async function askField(
  { name, field, isRequired }: TerminalField,
  ask: AskLine,
  stderr: Host['stderr'],
): Promise<{ readonly value: unknown } | undefined> {
  const required = isRequired ? [name] : [];
  const schema = await compileSchema(
    { type: 'object', properties: { [name]: field }, required },
    { side: 'input' },
  );
  for (;;) {
    const line = await ask(formatFieldLabel(name, field));
    if (line === undefined) return undefined;
    const value = line === '' ? field.default : valueOfLine(line, field);
    const checked = await schema.check(value === undefined ? {} : { [name]: value });
    if (checked.ok) return { value };
    const issues = checked.issues.map(({ message }) => ({ path: '', message }));
    stderr.write(`  ${visibleText(formatIssues(issues))}\n`);
  }
}

type InputFieldSchema = Readonly<Record<string, unknown>>;

/** `name, description (one, other) [default]: ` */
function formatFieldLabel(name: string, field: InputFieldSchema): string {
  const { title, description, default: initial } = field;
  const told = [title ?? name, description].filter((text) => typeof text === 'string').join(', ');
  const options = listTerminalOptions(field).map(({ value, title }) =>
    title === value ? value : `${value} = ${title}`,
  );
  const choice =
    field.type === 'boolean' ? ' (yes, no)' : options.length > 0 ? ` (${options.join(', ')})` : '';
  const preset =
    initial === undefined ? '' : ` [${Array.isArray(initial) ? initial.join(', ') : formatDefault(initial)}]`;
  return visibleText(`  ${told}${choice}${preset}: `);
}

function formatDefault(value: unknown): string {
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}

/**
 * Converts a line to a value of the field's type. Invalid text stays unchanged, and validation rejects it.
 */
function valueOfLine(line: string, field: InputFieldSchema): unknown {
  if (field.type === 'array') return line.split(',').map((part) => matchOption(part.trim(), field));
  if (field.type === 'boolean')
    return /^(?:y|yes|true)$/i.test(line) || (/^(?:n|no|false)$/i.test(line) ? false : line);
  if (field.type === 'number' || field.type === 'integer')
    return Number.isNaN(Number(line)) ? line : Number(line);
  return matchOption(line, field);
}

/** Finds an option by its value or its title; otherwise returns the text. */
function matchOption(text: string, field: InputFieldSchema): string {
  const option = listTerminalOptions(field).find(({ value, title }) => value === text || title === text);
  return option?.value ?? text;
}

interface TerminalOption {
  readonly value: string;
  readonly title: string;
}

function listTerminalOptions(field: InputFieldSchema): readonly TerminalOption[] {
  const { enum: values, enumNames: names, oneOf, anyOf, items } = field;
  if (isRecord(items)) return listTerminalOptions(items);
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
