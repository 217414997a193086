import type { Field, FieldSpec, Fields } from './fields.js';
import type { RawSchema } from './json-schema.js';

/** Type of the arguments that a handler gets if `S` is its input. */
export type InferInput<S> =
  IsAny<S> extends true
    ? AnyArguments
    : S extends Fields<infer F>
      ? InferFields<F>
      : S extends StandardTyped
        ? StandardSideType<S, 'output'>
        : S extends RawSchema | string | JsonSchemaLike
          ? AnyArguments
          : S extends FieldSpec
            ? InferFields<S>
            : AnyArguments;

/** Type of the structured result that a handler may return if `S` is its output. */
export type InferOutput<S> =
  IsAny<S> extends true
    ? unknown
    : S extends Fields<infer F>
      ? InferUndefaulted<F>
      : S extends StandardTyped
        ? StandardSideType<S, 'input'>
        : S extends RawSchema | string | JsonSchemaLike | { readonly type: string }
          ? unknown
          : S extends FieldSpec
            ? InferUndefaulted<S>
            : unknown;

/** Cast arguments of a field spec. Required and defaulted fields are present. */
export type InferFields<F extends FieldSpec> = InferredObject<
  FieldsByName<F>,
  RequiredOption | WithDefault,
  'read'
>;

/** Value of a field spec before defaults. Only required fields are present. */
type InferUndefaulted<F extends FieldSpec> = InferredObject<FieldsByName<F>, RequiredOption, 'written'>;

type AnyArguments = Record<string, unknown>;
type IsAny<T> = 0 extends 1 & T ? true : false;

type RequiredOption = { readonly required: true };
// biome-ignore lint/complexity/noBannedTypes: a default is present unless it is null or undefined
type WithDefault = { readonly default: {} };

type FieldsByName<F extends FieldSpec> = F extends readonly (readonly [string, Field])[]
  ? { [P in F[number] as P[0]]: P[1] }
  : F;

type InferredObject<N, Present, Mode> = Flatten<
  { -readonly [K in keyof N as N[K] extends Present ? K : never]: InferField<N[K], Mode> } & {
    -readonly [K in keyof N as N[K] extends Present ? never : K]?: InferField<N[K], Mode>;
  }
>;

type Flatten<T> = { [K in keyof T]: T[K] } & {};

type InferField<F, Mode> = F extends { readonly type: infer T }
  ? InferByType<T, F, Mode>
  : InferByType<F, unknown, Mode>;

type InferByType<T, Options, Mode> = T extends `${infer Item}[]` | readonly ['array', infer Item]
  ? InferByType<Item, Options, Mode>[]
  : T extends keyof Scalars
    ? Scalars[T]
    : T extends 'enum'
      ? Options extends { readonly values: readonly (infer V)[] }
        ? V
        : never
      : T extends 'object'
        ? Options extends { readonly fields: infer F extends FieldSpec }
          ? Mode extends 'read'
            ? InferFields<F>
            : InferUndefaulted<F>
          : never
        : T extends 'array'
          ? Options extends { readonly items: infer I }
            ? InferField<I, Mode>[]
            : never
          : unknown;

interface Scalars {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
}

export type StandardTyped = { readonly '~standard': { readonly types?: unknown } };

type StandardSideType<S, K extends 'input' | 'output'> = S extends {
  readonly '~standard': { readonly types?: infer T };
}
  ? NonNullable<T> extends { readonly [P in K]: infer V }
    ? V
    : unknown
  : unknown;

export type JsonSchemaLike =
  | { readonly type: 'object' }
  | { readonly $schema: string }
  | { readonly $ref: string }
  | { readonly oneOf: readonly unknown[] }
  | { readonly anyOf: readonly unknown[] }
  | { readonly allOf: readonly unknown[] }
  | { readonly not: object }
  | { readonly if: object }
  | { readonly patternProperties: object }
  | { readonly properties: { readonly [name: string]: object } };
