/** The part of a JSON Schema that a form uses. */
interface Schema {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly default?: unknown;
  readonly examples?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
}

type Arguments = Record<string, unknown>;

/** The reason why the content of a form is not valid as arguments. */
export class ArgumentFault extends Error {}

interface FormField {
  readonly name: string;
  readonly control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  /** The value of the control; undefined if it is empty. */
  read(): unknown;
  write(value: unknown): void;
}

/**
 * A form for the arguments of a tool, with a field per property. Other values than plain ones are edited as
 * JSON.
 */
export class ArgumentsForm {
  readonly #fields: readonly FormField[];

  constructor(place: HTMLElement, inputSchema: unknown) {
    const { properties, required: listed } = asFormSchema(inputSchema);
    const required: readonly unknown[] = Array.isArray(listed) ? listed : [];
    const entries = Object.entries(asFormSchema(properties)).map(
      ([name, schema]) => [name, asFormSchema(schema)] as const,
    );
    this.#fields = entries.map(([name, schema]) => makeField(name, schema, required.includes(name)));
    place.replaceChildren(
      ...entries.map(([name, schema], index) =>
        createFieldRow(name, schema, { field: this.#fields[index]!, required: required.includes(name) }),
      ),
    );
    for (const [index, [, schema]] of entries.entries()) {
      const [example] = Array.isArray(schema.examples) ? schema.examples : [];
      const start = schema.default ?? example;
      if (start !== undefined) this.#fields[index]!.write(start);
    }
  }

  /** @throws ArgumentFault if the content of a field does not match its property. */
  read(): Arguments {
    const values = this.#fields.map((field) => [field.name, field.read()] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }

  write(args: Readonly<Arguments>): void {
    for (const field of this.#fields) field.write(args[field.name]);
  }
}

/**
 * A schema comes from a server and may be anything. A value that is not an object counts as an empty schema.
 */
function asFormSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function createFieldRow(
  name: string,
  { description, title }: Schema,
  { field, required }: { readonly field: FormField; readonly required: boolean },
): HTMLElement {
  const row = document.createElement('div');
  row.className = 'row';
  const label = document.createElement('label');
  label.htmlFor = field.control.id;
  label.textContent = `${typeof title === 'string' ? `${title} (${name})` : name}${required ? ' *' : ''}`;
  row.append(label, field.control);
  if (typeof description === 'string') {
    const note = document.createElement('p');
    note.className = 'note';
    note.id = `${field.control.id}-note`;
    note.textContent = description;
    field.control.setAttribute('aria-describedby', note.id);
    row.append(note);
  }
  return row;
}

let count = 0;

function makeField(name: string, schema: Schema, required: boolean): FormField {
  const field = createField(name, schema);
  count += 1;
  field.control.id = `argument-${count}`;
  field.control.name = name;
  if (required) field.control.setAttribute('aria-required', 'true');
  return field;
}

function createField(name: string, schema: Schema): FormField {
  if (Array.isArray(schema.enum)) return selectField(name, schema.enum);
  if (schema.type === 'boolean') return selectField(name, [true, false]);
  if (schema.type === 'string') return createTextField(name);
  if (schema.type === 'number' || schema.type === 'integer') return number(name);
  return createJsonField(name);
}

function selectField(name: string, values: readonly unknown[]): FormField {
  const control = document.createElement('select');
  const options = values.map((value, index) => new Option(showValue(value), `${index}`));
  control.append(new Option('', ''), ...options);
  return {
    name,
    control,
    read: () => (control.value === '' ? undefined : values[Number(control.value)]),
    write(value) {
      const index = values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
      control.value = index === -1 ? '' : `${index}`;
    },
  };
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An empty field means no value. An empty string has to be written as JSON. */
function createTextField(name: string): FormField {
  const control = document.createElement('textarea');
  control.rows = 1;
  return {
    name,
    control,
    read: () => (control.value === '' ? undefined : control.value),
    write: (value) => {
      control.value = value === undefined ? '' : showValue(value);
    },
  };
}

function number(name: string): FormField {
  const control = document.createElement('input');
  control.inputMode = 'decimal';
  return {
    name,
    control,
    read() {
      const written = control.value.trim();
      if (written === '') return undefined;
      const value = Number(written);
      if (Number.isNaN(value)) throw new ArgumentFault(`"${name}" is to be a number.`);
      return value;
    },
    write: (value) => {
      control.value = value === undefined ? '' : showValue(value);
    },
  };
}

function createJsonField(name: string): FormField {
  const control = document.createElement('textarea');
  control.rows = 2;
  control.spellcheck = false;
  control.placeholder = 'JSON';
  return {
    name,
    control,
    read: () => (control.value.trim() === '' ? undefined : parseFieldJson(control.value, `"${name}"`)),
    write: (value) => {
      control.value = value === undefined ? '' : JSON.stringify(value, undefined, 2);
    },
  };
}

/** Parses the arguments as a whole. @throws ArgumentFault if the text is not a JSON object. */
export function parseArguments(written: string): Arguments {
  const value = written.trim() === '' ? {} : parseFieldJson(written, 'The arguments');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
  throw new ArgumentFault('The arguments are to be a JSON object.');
}

function parseFieldJson(written: string, what: string): unknown {
  try {
    return JSON.parse(written);
  } catch (error) {
    throw new ArgumentFault(`${what}: ${(error as Error).message}`);
  }
}
