/** Shared by every copy of the package, so that they recognise each other's values. */
export const fieldsBrand: unique symbol = Symbol.for('agenttools/fields') as never;

/** A field spec that cannot be mistaken for a JSON Schema. */
export interface Fields<F extends FieldSpec = FieldSpec> {
  readonly [fieldsBrand]: F;
}

/** Marks an object or a list of `[name, field]` as field spec. A list keeps the order of names like `10`. */
export function fields<const F extends FieldSpec>(spec: F): Fields<F> {
  return { [fieldsBrand]: spec };
}

/** Parameters by name, or as a list where the order of number-like names matters. */
export type FieldSpec = { readonly [name: string]: Field } | readonly (readonly [name: string, Field])[];

/** One parameter: a type alone, or a type with options. */
export type Field = ScalarName | `${ScalarName}${Brackets}` | FieldOptions;

/** What an enum may list. The wire carries its text, the handler gets the value. */
export type EnumValue = string | number | boolean;

/** A type with its options. */
export type FieldOptions =
  | StringField
  | NumberField
  | BooleanField
  | EnumField
  | ObjectField
  | ArrayField
  | ScalarListField
  | EnumListField
  | ObjectListField;

type ScalarName = 'string' | 'integer' | 'number' | 'boolean';
type Brackets = '[]' | '[][]' | '[][][]';

interface Described {
  readonly required?: boolean;
  readonly description?: string;
}

/** For numbers the bounds of the value, for arrays those of the item count. */
interface Bounded {
  readonly min?: number;
  readonly max?: number;
}

interface StringField extends Described {
  readonly type: 'string';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: string | null;
}

interface NumberField extends Described, Bounded {
  readonly type: 'integer' | 'number';
  readonly default?: number | null;
}

interface BooleanField extends Described {
  readonly type: 'boolean';
  readonly default?: boolean | null;
}

interface EnumOption {
  readonly values: readonly EnumValue[];
  /** `native` sends the values themselves instead of their text. */
  readonly wire?: 'string' | 'native';
}

interface EnumField extends Described, EnumOption {
  readonly type: 'enum';
  readonly default?: EnumValue | null;
}

interface ObjectField extends Described {
  readonly type: 'object';
  readonly fields: FieldSpec;
  readonly default?: object | null;
}

interface List extends Described, Bounded {
  readonly default?: readonly unknown[] | null;
}

interface ArrayField extends List {
  readonly type: 'array';
  readonly items: Field;
}

interface ScalarListField extends List {
  readonly type: `${ScalarName}${Brackets}`;
}

interface EnumListField extends List, EnumOption {
  readonly type: `enum${Brackets}`;
}

interface ObjectListField extends List {
  readonly type: `object${Brackets}`;
  readonly fields: FieldSpec;
}
