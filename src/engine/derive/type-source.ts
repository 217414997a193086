import type { CastName } from '../schema/value-caster.js';

/**
 * Compiler-independent facts about the functions of a package: exports, functions, parameters, results and
 * types. Another compiler needs only another implementation.
 */
export interface TypeSource {
  /** Facts of a module by its canonical reference. A module without types exports nothing. */
  moduleOf(reference: string): ModuleFacts;
  /** Tools in the default export of a module with definitions. */
  definitionsIn(file: string): readonly DefinitionFacts[];
  /** The files of the package that were read, relative to it, with `/`. */
  files(): readonly string[];
}

/** A tool that code defines without a schema of its arguments. */
export interface DefinitionFacts {
  /** Its own name, or its key in an object of tools. */
  readonly name: string | undefined;
  /** A module reference, or a function with typed parameters. */
  readonly handler: string | FunctionFacts;
  readonly hasOutput: boolean;
  readonly position: SourcePosition;
}

/** Functions among the exports of a module. */
export interface ModuleFacts {
  /** Names of all exports, `default` included. */
  readonly exports: readonly string[];
  /** The function of an export; undefined if the export is not a function. */
  functionOf(name: string): FunctionFacts | undefined;
  /** Declarations that are marked `@mcp` and cannot be tools. */
  readonly misplaced: readonly MisplacedTag[];
}

/** An `@mcp` tag on a declaration that cannot be a tool. */
export interface MisplacedTag {
  readonly name: string;
  readonly reason: 'not-exported' | 'no-function';
  readonly position: SourcePosition;
}

/** A position in a file of the package; line and column from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A doc comment: its text, and its tags in order. */
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
  /** The same for two exports of one function. */
  readonly identity: unknown;
  /** Declared name; empty for an anonymous function. */
  readonly name: string;
  readonly position: SourcePosition;
  readonly doc: DocFacts;
  /** Number of signatures; only the first is read. */
  readonly signatures: number;
  readonly parameters: readonly ParameterFacts[];
  /** `@param` names that match no parameter. */
  readonly strayTexts: readonly { readonly name: string; readonly position: SourcePosition }[];
  /** Return type, awaited. */
  readonly result: TypeFacts;
}

export interface ParameterFacts {
  /** Undefined for a destructured parameter. */
  readonly name: string | undefined;
  /** True if the parameter is destructured by an object pattern. */
  readonly isTakenApart: boolean;
  readonly isOptional: boolean;
  readonly isRest: boolean;
  /** True for the context, which handlers get after the arguments. */
  readonly isContext: boolean;
  /** True for a context that is not the last parameter. */
  readonly isEarlyContext: boolean;
  /** Default value; undefined for a parameter without one. */
  readonly fallback: DefaultValue | undefined;
  /** Default values of the parts by name, as in `city` or `address.city`. */
  readonly partFallbacks: Readonly<Record<string, DefaultValue>>;
  /** Text of its `@param`. */
  readonly text: string;
  /** Tags in the line of its `@param`. */
  readonly tags: readonly DocTag[];
  /** The same for its parts, by the same names. */
  readonly partTags: Readonly<Record<string, readonly DocTag[]>>;
  /** `@param` texts of the parts, by the same names. */
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
  /** Undefined for a property that another package declares. */
  readonly position: SourcePosition | undefined;
}

export type Literal = string | number | boolean;

/** A type, one step deep: `look` reads a named type on demand. */
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
      /** Type of further properties; undefined if none are allowed. */
      readonly others: TypeFacts | undefined;
    }
  | { readonly kind: 'union'; readonly members: readonly TypeFacts[] }
  /** A value that is a string in JSON and an object in code. */
  | { readonly kind: 'cast'; readonly to: Exclude<CastName, 'Set'> }
  /** A finished result of AgentTools, or a content block. It needs no schema. */
  | { readonly kind: 'finished' }
  | {
      readonly kind: 'named';
      readonly name: string;
      /** The same for the same type; detects recursion. */
      readonly identity: unknown;
      readonly doc: DocFacts;
      look(): TypeFacts;
    }
  | {
      readonly kind: 'unmappable';
      /** Text of the type. */
      readonly text: string;
      readonly reason: string;
    };

export const noDoc: DocFacts = { text: '', tags: [] };
