import type { Field, FieldOptions, FieldSpec, Fields } from './fields.js';
import type { JsonSchemaLike, StandardTyped } from './inferred-types.js';
import type { RawSchema } from './json-schema.js';

/** Type that an input must also match: a field spec may use existing types and options only. */
export type CheckedInput<S> = IsLoose<S> extends true ? unknown : CheckedSpec<S>;

/** The same for an output. An output with a `type` is a JSON Schema. */
export type CheckedOutput<S> = S extends { readonly type: string } ? unknown : CheckedInput<S>;

/** True if `S` is not a plain field spec, or its type does not name the fields. */
type IsLoose<S> = 0 extends 1 & S
  ? true
  : S extends Fields | StandardTyped | RawSchema | JsonSchemaLike | string | readonly unknown[] | undefined
    ? true
    : string extends keyof S
      ? true
      : false;

type CheckedSpec<S> = S extends readonly unknown[]
  ? FieldSpec
  : { readonly [K in keyof S]: string extends keyof S ? Field : CheckedField<S[K]> };

type CheckedField<F> = F extends { readonly type: infer T }
  ? string extends T
    ? unknown
    : T extends FieldOptions['type']
      ? CheckedOptions<OptionsOf<T>, F>
      : Field
  : string extends F
    ? unknown
    : Field;

type OptionsOf<T, O = FieldOptions> = O extends { readonly type: infer U }
  ? T extends U
    ? O
    : never
  : never;

/** Maps unknown options to `never`. Checks `fields` and `items` recursively. */
type CheckedOptions<O, F> = {
  readonly [K in keyof F]: K extends keyof O
    ? K extends 'fields'
      ? CheckedSpec<F[K]>
      : K extends 'items'
        ? CheckedField<F[K]>
        : O[K] | undefined
    : never;
} & { readonly [K in keyof O as undefined extends O[K] ? never : K]: unknown };
