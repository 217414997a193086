/** Registered symbol: all copies of the package recognise each other's values. */
export const fieldsBrand: unique symbol = Symbol.for('agenttools/fields') as never;

/** A field spec with a mark that distinguishes it from a JSON Schema. */
export interface Fields<F extends FieldSpec = FieldSpec> {
  readonly [fieldsBrand]: F;
}

/** Marks an object or a list of `[name, field]` as field spec. A list keeps the order of names like `10`. */
export function fields<const F extends FieldSpec>(spec: F): Fields<F> {
  return { [fieldsBrand]: spec };
}

/** Parameters by name. Use the list form if the order of number-like names matters. */
export type FieldSpec = { readonly [name: string]: Field } | readonly (readonly [name: string, Field])[];

/** One parameter: a type name, or a type with options. */
export type Field = ScalarName | `${ScalarName}${ListSuffix}` | NestedList | FieldOptions;

/** Value of an enum. By default, the client sends its text and the handler gets the value. */
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
type ListSuffix = '[]' | '[][]' | '[][][]';

/** Another form of the types with `[]`. */
type NestedList = readonly ['array', ScalarName | NestedList];

interface FieldBase {
  readonly required?: boolean;
  readonly description?: string;
}

/** For numbers, bounds of the value. For arrays, bounds of the item count. */
interface BoundsOptions {
  readonly min?: number;
  readonly max?: number;
}

interface StringField extends FieldBase {
  readonly type: 'string';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: string | null;
}

interface NumberField extends FieldBase, BoundsOptions {
  readonly type: 'integer' | 'number';
  readonly default?: number | null;
}

interface BooleanField extends FieldBase {
  readonly type: 'boolean';
  readonly default?: boolean | null;
}

interface EnumOption {
  readonly values: readonly EnumValue[];
  /** `native` sends the values themselves instead of their text. Default: `string`. */
  readonly wire?: 'string' | 'native';
}

interface EnumField extends FieldBase, EnumOption {
  readonly type: 'enum';
  readonly default?: EnumValue | null;
}

interface ObjectField extends FieldBase {
  readonly type: 'object';
  readonly fields: FieldSpec;
  readonly default?: object | null;
}

interface ListFieldBase extends FieldBase, BoundsOptions {
  readonly default?: readonly unknown[] | null;
}

interface ArrayField extends ListFieldBase {
  readonly type: 'array';
  readonly items: Field;
}

interface ScalarListField extends ListFieldBase {
  readonly type: `${ScalarName}${ListSuffix}` | NestedList;
}

interface EnumListField extends ListFieldBase, EnumOption {
  readonly type: `enum${ListSuffix}` | readonly ['array', 'enum'];
}

interface ObjectListField extends ListFieldBase {
  readonly type: `object${ListSuffix}` | readonly ['array', 'object'];
  readonly fields: FieldSpec;
}
