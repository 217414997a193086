/** Checks the value of an option. Returns `undefined` if it is valid, else a description of valid values. */
type OptionCheck = (value: unknown) => string | undefined;

/** Value checks of all options, of all types. */
export const optionChecks: Readonly<Record<string, OptionCheck>> = {
  required: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  description: expectText,
  minLength: expectCount,
  maxLength: expectCount,
  pattern: (value) => expectText(value) ?? (isPattern(String(value)) ? undefined : 'a regular expression'),
  format: expectText,
  min: isNumber,
  max: isNumber,
  wire: (value) => (value === 'string' || value === 'native' ? undefined : '"string" or "native"'),
};

/** Options of every type. */
export const commonOptions: readonly string[] = ['type', 'required', 'description', 'default'];

/** Option names of JSON Schema and of other types, mapped to the equivalent option of each type. */
export const optionsInstead: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  string: {
    min: 'minLength',
    max: 'maxLength',
    enum: 'values" of type "enum',
    values: 'values" of type "enum',
  },
  integer: { minimum: 'min', maximum: 'max', minLength: 'min', maxLength: 'max' },
  number: { minimum: 'min', maximum: 'max', minLength: 'min', maxLength: 'max' },
  boolean: {},
  enum: { enum: 'values', options: 'values', choices: 'values' },
  object: { properties: 'fields' },
  array: { minItems: 'min', maxItems: 'max', minLength: 'min', maxLength: 'max', item: 'items' },
};

/** True if a text is a regular expression as JSON Schema requires. */
export function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

function expectText(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'a string';
}

function isNumber(value: unknown): string | undefined {
  return Number.isFinite(value) ? undefined : 'a number';
}

function expectCount(value: unknown): string | undefined {
  return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'a whole number from 0';
}
