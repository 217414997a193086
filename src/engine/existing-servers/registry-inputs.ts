import { isRecord, isString } from '../base/value-checks.js';
import type { ArgumentTemplate, ServerInput, TextTemplate } from './existing-server.js';

/** Reads a key of a document, in camel case or in the snake case of schema 2025-07-09. */
export function readKey(held: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(held, key)) return held[key];
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(held, snake) ? held[snake] : undefined;
}

/** Text of a key; undefined if it is missing, blank or no text. */
export function readText(held: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = readKey(held, key);
  return isString(value) && value.trim() !== '' ? value : undefined;
}

/** Collects the inputs of one server while its templates are read. */
export class InputCollector {
  readonly #inputs = new Map<string, ServerInput>();

  get inputs(): readonly ServerInput[] {
    return [...this.#inputs.values()];
  }

  /** Adds an input and returns its id. Inputs with the same option and name are one input: the first. */
  add(input: Omit<ServerInput, 'id'>): string {
    const id = input.givenBy === 'arg' ? input.name : `${input.givenBy}:${input.name}`;
    if (!this.#inputs.has(id)) this.#inputs.set(id, { id, ...input });
    return id;
  }

  /**
   * Template of a registry input: its fixed `value` with `{variables}`, or the value that the user gives.
   * @see https://github.com/modelcontextprotocol/registry docs/reference/server-json, "Input"
   */
  read(input: Readonly<Record<string, unknown>>, given: Pick<ServerInput, 'givenBy' | 'name'>): TextTemplate {
    const value = readKey(input, 'value');
    if (isString(value)) return this.readVariables(value, readKey(input, 'variables'));
    return [{ input: this.add({ ...given, ...describeInput(input) }) }];
  }

  /** Template of a text with `{variables}`. Braces around other names stay text. */
  readVariables(text: string, variables: unknown): TextTemplate {
    if (!isRecord(variables)) return [text];
    const parts = text.split(/\{([^{}]*)\}/);
    return parts.flatMap((part, index): TextTemplate => {
      if (index % 2 === 0) return part === '' ? [] : [part];
      const variable = Object.hasOwn(variables, part) ? variables[part] : undefined;
      return isRecord(variable) ? this.read(variable, { givenBy: 'arg', name: part }) : [`{${part}}`];
    });
  }

  /** Templates of `packageArguments` or `runtimeArguments`. Malformed arguments are skipped. */
  readArguments(listed: unknown): readonly ArgumentTemplate[] {
    if (!Array.isArray(listed)) return [];
    return listed.flatMap((argument, index) =>
      isRecord(argument) ? this.#readArgument(argument, index) : [],
    );
  }

  #readArgument(argument: Readonly<Record<string, unknown>>, index: number): readonly ArgumentTemplate[] {
    const flag = readText(argument, 'name');
    if (argument.type === 'named' && flag === undefined) return [];
    const isNamed = argument.type === 'named' && flag !== undefined;
    const name = isNamed ? flag : (readText(argument, 'valueHint') ?? `argument${index + 1}`);
    if (isNamed && isPlainFlag(argument)) return [{ words: [[flag]] }];
    const value = this.read(argument, { givenBy: 'arg', name });
    const [first] = value;
    const isOneInput = value.length === 1 && typeof first === 'object';
    if (isNamed && isOneInput && describeInput(argument).format === 'boolean')
      return [{ words: [[flag]], when: first.input }];
    const words = isNamed ? [[flag], value] : [value];
    const isRepeated = isOneInput && readKey(argument, 'isRepeated') === true;
    return [{ words, ...(isRepeated && { repeats: first.input }) }];
  }

  /** Templates of `environmentVariables` or `headers`, by name. */
  readPairs(listed: unknown, givenBy: 'env' | 'header'): Readonly<Record<string, TextTemplate>> {
    if (!Array.isArray(listed)) return {};
    const pairs = listed.flatMap((one): readonly (readonly [string, TextTemplate])[] => {
      const name = isRecord(one) ? readText(one, 'name') : undefined;
      return name === undefined ? [] : [[name, this.read(one as Record<string, unknown>, { givenBy, name })]];
    });
    return Object.fromEntries(pairs);
  }
}

/** Keys that make a named argument take a value from the user. */
const valueKeys = [
  'value',
  'default',
  'placeholder',
  'choices',
  'valueHint',
  'variables',
  'format',
  'isRequired',
];

/** True for a named argument without a value, such as `--rm`. */
function isPlainFlag(argument: Readonly<Record<string, unknown>>): boolean {
  return valueKeys.every((key) => readKey(argument, key) === undefined);
}

const formats: Readonly<Record<string, ServerInput['format']>> = {
  number: 'number',
  boolean: 'boolean',
  filepath: 'file',
};

function describeInput(
  input: Readonly<Record<string, unknown>>,
): Omit<ServerInput, 'id' | 'givenBy' | 'name'> {
  const description = readText(input, 'description');
  const placeholder = readText(input, 'placeholder');
  const format = readKey(input, 'format');
  const choices = readKey(input, 'choices');
  const preset = readKey(input, 'default');
  const named = isString(format) && Object.hasOwn(formats, format) ? formats[format] : undefined;
  return {
    isRequired: readKey(input, 'isRequired') === true,
    isSecret: readKey(input, 'isSecret') === true,
    isRepeated: readKey(input, 'isRepeated') === true,
    format: named ?? 'string',
    ...(description !== undefined && { description }),
    ...(placeholder !== undefined && { placeholder }),
    ...(isPlain(preset) && { default: String(preset) }),
    ...(Array.isArray(choices) && choices.length > 0 && { choices: choices.filter(isPlain).map(String) }),
  };
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
