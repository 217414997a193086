import type { CastName } from '../schema/value-caster.js';

/**
 * What a compiler knows of the functions of a package, in no compiler's words: exports, their functions, parameters and
 * results, and types. Another compiler is another file that gives these.
 */
export interface TypeSource {
  /** A module by its canonical reference; one whose types are not to be found exports nothing. */
  moduleOf(reference: string): ModuleFacts;
  /** The files of the package that were read, relative to it, with `/`. */
  files(): readonly string[];
}

/** What a module exports, as far as it is functions. */
export interface ModuleFacts {
  /** Everything it exports, by name; `default` too. */
  readonly exports: readonly string[];
  /** The function that an export is; undefined if it is none. */
  functionOf(name: string): FunctionFacts | undefined;
  /** What is marked `@mcp` and cannot be a tool. */
  readonly misplaced: readonly MisplacedTag[];
}

/** An `@mcp` tag where none may be. */
export interface MisplacedTag {
  readonly name: string;
  readonly reason: 'not-exported' | 'no-function';
  readonly position: SourcePosition;
}

/** A place in a file of the package; line and column from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A doc comment: its text, and its tags in their order. */
export interface DocFacts {
  readonly text: string;
  readonly tags: readonly DocTag[];
}

export interface DocTag {
  readonly name: string;
  readonly text: string;
  readonly position: SourcePosition;
}

export interface FunctionFacts {
  /** Two exports of one function have one identity. */
  readonly identity: unknown;
  /** Its own name; empty for one that has none. */
  readonly name: string;
  readonly position: SourcePosition;
  readonly doc: DocFacts;
  /** How many signatures it has; only the first is told. */
  readonly signatures: number;
  readonly parameters: readonly ParameterFacts[];
  /** What `@param` tells of, and is no parameter. */
  readonly strayTexts: readonly { readonly name: string; readonly position: SourcePosition }[];
  /** What it gives, awaited. */
  readonly result: TypeFacts;
}

export interface ParameterFacts {
  /** Undefined for one that is taken apart. */
  readonly name: string | undefined;
  /** It is taken apart into named parts. */
  readonly isTakenApart: boolean;
  readonly isOptional: boolean;
  readonly isRest: boolean;
  /** It is what handlers get besides their arguments. */
  readonly isContext: boolean;
  /** It would be that, and is not the last one. */
  readonly isEarlyContext: boolean;
  /** The value it has when it is not given, if that is written down. */
  readonly fallback: DefaultValue | undefined;
  /** The same for its parts, by their names, as in `city` or `address.city`. */
  readonly partFallbacks: Readonly<Record<string, DefaultValue>>;
  /** What `@param` says of it. */
  readonly text: string;
  /** What `@param` says of its parts, by the same names. */
  readonly partTexts: Readonly<Record<string, string>>;
  readonly type: TypeFacts;
  readonly position: SourcePosition;
}

/** A default: the value if it is a literal with a JSON form. */
export interface DefaultValue {
  readonly value?: unknown;
}

export interface PropertyFacts {
  readonly name: string;
  readonly isOptional: boolean;
  readonly doc: DocFacts;
  readonly type: TypeFacts;
  /** Undefined for one that another package declares. */
  readonly position: SourcePosition | undefined;
}

export type Literal = string | number | boolean;

/** A type, one step deep: named types are looked into when asked. */
export type TypeFacts =
  | { readonly kind: 'any' | 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'undefined' | 'never' }
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'array'; readonly items: TypeFacts; readonly isSet: boolean }
  | {
      readonly kind: 'tuple';
      readonly items: readonly { readonly type: TypeFacts; readonly isOptional: boolean }[];
      readonly rest: TypeFacts | undefined;
    }
  | {
      readonly kind: 'object';
      readonly properties: readonly PropertyFacts[];
      /** What further properties hold, if there may be any. */
      readonly others: TypeFacts | undefined;
    }
  | { readonly kind: 'union'; readonly members: readonly TypeFacts[] }
  /** A value that JSON has as a string, and code has not. */
  | { readonly kind: 'cast'; readonly to: Exclude<CastName, 'Set'> }
  /** A finished result of this library, or a part of one: it says itself what it is. */
  | { readonly kind: 'finished' }
  | {
      readonly kind: 'named';
      readonly name: string;
      /** The same for the same type; how recursion is found. */
      readonly identity: unknown;
      readonly doc: DocFacts;
      look(): TypeFacts;
    }
  | {
      readonly kind: 'unmappable';
      /** As it is written. */
      readonly text: string;
      readonly reason: string;
    };

export const noDoc: DocFacts = { text: '', tags: [] };
