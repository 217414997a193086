import type { Field, FieldOptions, FieldSpec, Fields } from './fields.js';
import type { JsonSchemaLike, StandardTyped } from './inferred-types.js';
import type { RawSchema } from './json-schema.js';

/**
 * Type of an `input`: `S` itself, and for a plain field spec the fields that it may have. Errors then name the types and
 * options that exist. In an intersection with `S`, which accepts every option, `X` is `'exact'`.
 */
export type CheckedInput<S, X = 'fresh'> = IsLoose<S> extends true ? S : CheckedSpec<S, X>;

/** The same for an `output`. An output with a `type` is a JSON Schema. */
export type CheckedOutput<S, X = 'fresh'> = S extends { readonly type: string } ? S : CheckedInput<S, X>;

/** True if `S` is not a plain field spec, or its type does not name the fields. */
type IsLoose<S> = 0 extends 1 & S
  ? true
  : S extends Fields | StandardTyped | RawSchema | JsonSchemaLike | string | readonly unknown[] | undefined
    ? true
    : string extends keyof S
      ? true
      : false;

type CheckedSpec<S, X> = S extends readonly unknown[]
  ? FieldSpec
  : { readonly [K in keyof S]: string extends keyof S ? Field : CheckedField<S[K], X> };

type CheckedField<F, X> = F extends { readonly type: infer T }
  ? string extends T
    ? F
    : T extends FieldOptions['type']
      ? CheckedOptions<OptionsOf<T>, F, X>
      : { readonly [K in keyof F]: K extends 'type' ? FieldOptions['type'] : F[K] }
  : F extends string
    ? string extends F
      ? F
      : Extract<Field, string>
    : Field;

type OptionsOf<T, O = FieldOptions> = O extends { readonly type: infer U }
  ? T extends U
    ? O
    : never
  : never;

/** Checks `fields` and `items` recursively. */
type CheckedOptions<O, F, X> = {
  readonly [K in keyof O]: K extends 'fields'
    ? K extends keyof F
      ? CheckedSpec<F[K], X>
      : O[K]
    : K extends 'items'
      ? K extends keyof F
        ? CheckedField<F[K], X>
        : O[K]
      : O[K];
} & (X extends 'exact' ? { readonly [K in Exclude<keyof F, keyof O>]?: never } : unknown);
