import { isCount, isRecord, isString } from '../base/value-checks.js';
import { brands } from '../runtime/authoring-symbols.js';
import type { JsonSchema } from '../schema/index.js';

/** An invalid input request. The message is shown to the model. */
export class InputRequestError extends TypeError {
  override readonly name = 'InputRequestError';
  readonly [brands.toolError] = true;
}

/** First revision with titled choices, multiple choice, and defaults of every type in forms. */
const richForms = '2025-11-25';

/**
 * Builds the form of a schema: one level of fields, limited to the keywords of the revision. Other keywords, such as
 * `pattern`, are checked in the answer.
 * @see MCP 2025-06-18 and later, client/elicitation, Requested Schema
 * @throws InputRequestError with the name of a field that a form cannot represent
 */
export function buildForm({ properties, required }: JsonSchema, version: string): JsonSchema {
  if (!isRecord(properties))
    throw new InputRequestError('A question asks for fields, and its schema has none.');
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    toFormField(name, schema, version),
  ]);
  const asked = Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties, name)) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(asked.length > 0 && { required: asked }),
  };
}

/** Form keywords by field type, each with the check that its value must pass. */
const formKeywords: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  string: { minLength: isCount, maxLength: isCount, format: isFormat },
  number: { minimum: isNumber, maximum: isNumber },
  integer: { minimum: isNumber, maximum: isNumber },
  boolean: {},
};

/** Checks of default values, by field type. */
const isDefault: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isString,
  number: isNumber,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
};

function toFormField(name: string, schema: unknown, version: string): JsonSchema {
  if (!isRecord(schema)) throw invalidFieldError(name, 'must have a type');
  const { type } = schema;
  const told = { ...pick(schema, { title: isString, description: isString }) };
  const options = listFormOptions(schema);
  if (options) {
    const initial = options.some(({ value }) => value === schema.default) ? schema.default : undefined;
    return {
      ...told,
      type: 'string',
      ...singleChoiceField(options, schema, version),
      ...defaultField(initial, version),
    };
  }
  if (schema.enum !== undefined || schema.const !== undefined)
    throw invalidFieldError(name, 'may only list texts');
  if (type === 'array') return { ...told, ...choices(name, schema, version) };
  if (typeof type !== 'string' || !Object.hasOwn(formKeywords, type)) {
    const known = 'a text, a number, a boolean, a choice, or an array of choices';
    throw invalidFieldError(name, `must be ${known}, which fit a form`);
  }
  const initial = isDefault[type]!(schema.default) ? schema.default : undefined;
  return { ...told, type, ...pick(schema, formKeywords[type]!), ...defaultField(initial, version) };
}

interface FormOption {
  readonly value: string;
  readonly title: string | undefined;
}

/** Options of a schema: strings in `const`, `enum`, `oneOf` or `anyOf`; undefined if it has none. */
function listFormOptions(schema: JsonSchema): readonly FormOption[] | undefined {
  const { enum: values, enumNames: names, const: only } = schema;
  if (typeof only === 'string') return [{ value: only, title: undefined }];
  if (isFilledTextList(values)) {
    return values.map((value, index) => ({
      value,
      title: isFilledTextList(names) ? names[index] : undefined,
    }));
  }
  const listed = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const options = listed.map((one: unknown) => {
    if (!isRecord(one) || typeof one.const !== 'string') return undefined;
    return { value: one.const, title: isString(one.title) ? (one.title as string) : undefined };
  });
  return options.every((one) => one !== undefined) ? options : undefined;
}

/** Returns a single-choice field. `enumNames` is the older form of titles; a schema with it keeps it. */
function singleChoiceField(
  options: readonly FormOption[],
  { enumNames }: JsonSchema,
  version: string,
): JsonSchema {
  const values = options.map(({ value }) => value);
  const isTitled = options.some(({ title }) => title !== undefined);
  if (!isTitled) return { enum: values };
  if (version >= richForms && enumNames === undefined) return { oneOf: options.map(titledOption) };
  return { enum: values, enumNames: options.map(({ value, title }) => title ?? value) };
}

/** Returns a multiple-choice field. */
function choices(name: string, schema: JsonSchema, version: string): JsonSchema {
  const options = isRecord(schema.items) ? listFormOptions(schema.items) : undefined;
  if (!options) throw invalidFieldError(name, 'may only be an array of choices: texts that are listed');
  if (version < richForms) {
    throw invalidFieldError(
      name,
      `asks to choose several, which MCP ${version}, spoken by this client, does not have`,
    );
  }
  const isTitled = options.some(({ title }) => title !== undefined);
  const { default: initial } = schema;
  const isFit =
    isFilledTextList(initial) && initial.every((one) => options.some(({ value }) => value === one));
  return {
    type: 'array',
    ...pick(schema, { minItems: isCount, maxItems: isCount }),
    items: isTitled
      ? { anyOf: options.map(titledOption) }
      : { type: 'string', enum: options.map(({ value }) => value) },
    ...defaultField(isFit ? initial : undefined, version),
  };
}

function titledOption({ value, title }: FormOption): JsonSchema {
  return { const: value, title: title ?? value };
}

/** Before 2025-11-25 only booleans could have a default. */
function defaultField(value: unknown, version: string): JsonSchema {
  return value === undefined || (version < richForms && typeof value !== 'boolean') ? {} : { default: value };
}

function pick(schema: JsonSchema, wanted: Readonly<Record<string, (value: unknown) => boolean>>): JsonSchema {
  const kept = Object.entries(wanted).filter(([key, isFit]) => isFit(schema[key]));
  return Object.fromEntries(kept.map(([key]) => [key, schema[key]]));
}

function invalidFieldError(name: string, problem: string): InputRequestError {
  return new InputRequestError(`The field "${name}" of a question ${problem}.`);
}

function isFilledTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isString);
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

function isFormat(value: unknown): boolean {
  return ['date', 'date-time', 'email', 'uri'].includes(value as string);
}
