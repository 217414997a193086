import { isRecord } from '../base/value-checks.js';
import type { CheckResult, CompiledSchema } from './compiled-schema.js';
import type { JsonSchema } from './json-schema.js';
import { formatPathName, fromPointer, toPointer } from './schema-issue.js';
import { checkLazily } from './validator.js';

/** Types that a JSON value can be converted to before delivery. */
export const castNames = ['Date', 'URL', 'Uint8Array', 'Buffer', 'Set'] as const;

export type CastName = (typeof castNames)[number];

/** Target types by JSON pointer into the schema. */
export type CastsByPointer = Readonly<Record<string, CastName>>;

const makers = {
  Date: (value) => (typeof value === 'string' ? new Date(value) : value),
  URL: (value) => (typeof value === 'string' ? new URL(value) : value),
  Uint8Array: (value) => (typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value),
  Buffer: (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : value),
  Set: (value) => (Array.isArray(value) ? new Set(value) : value),
} as const satisfies Record<CastName, (value: unknown) => unknown>;

/** Returns a schema that delivers checked values as types that JSON lacks: dates, URLs, bytes, sets. */
export function withCasts(schema: CompiledSchema, casts: CastsByPointer): CompiledSchema {
  if (Object.keys(casts).length === 0) return schema;
  const caster = new ValueCaster(schema.wire, casts);
  return {
    ...schema,
    async check(value): Promise<CheckResult> {
      const checked = await schema.check(value);
      if (!checked.ok) return checked;
      try {
        return { ok: true, value: await caster.cast(checked.value, schema.wire, '') };
      } catch (error) {
        // A string can match a format and still be invalid, such as February 30 or a host of spaces.
        if (!(error instanceof CastError)) throw error;
        const { path, message } = error;
        return { ok: false, issues: [{ path, message }] };
      }
    },
  };
}

/** A string that passed its schema but cannot be converted. */
class CastError extends Error {
  constructor(
    readonly path: string,
    to: CastName,
  ) {
    super(`${formatPathName(fromPointer(path), 'The arguments')} must be what a ${to} can be made of`);
  }
}

class ValueCaster {
  readonly #checks = new Map<string, ReturnType<typeof checkLazily>>();
  readonly #places: readonly string[];

  constructor(
    readonly root: JsonSchema,
    readonly casts: CastsByPointer,
  ) {
    this.#places = Object.keys(casts);
  }

  async cast(value: unknown, schema: unknown, at: string, path = ''): Promise<unknown> {
    if (!isRecord(schema)) return value;
    const inner = await this.#inner(value, schema, at, path);
    const to = Object.hasOwn(this.casts, at) ? this.casts[at] : undefined;
    return to === undefined ? inner : castValue(inner, to, path);
  }

  async #inner(value: unknown, schema: JsonSchema, at: string, path: string): Promise<unknown> {
    if (typeof schema.$ref === 'string' && schema.$ref.startsWith('#/$defs/')) {
      const name = schema.$ref.slice('#/$defs/'.length);
      const defs = isRecord(this.root.$defs) ? this.root.$defs : {};
      return await this.cast(value, defs[name], `/$defs/${name}`, path);
    }
    if (!this.#isAbove(at)) return value;
    if (Array.isArray(schema.anyOf)) return await this.#member(value, schema.anyOf, `${at}/anyOf`, path);
    if (Array.isArray(value)) return await this.#items(value, schema, at, path);
    return isRecord(value) ? await this.#properties(value, schema, at, path) : value;
  }

  /** True if a subschema below the pointer, or a definition that it may refer to, is cast. */
  #isAbove(at: string): boolean {
    return this.#places.some((place) => place.startsWith(`${at}/`) || place.startsWith('/$defs/'));
  }

  /** Casts by the first member that the value fits. */
  async #member(value: unknown, members: readonly unknown[], at: string, path: string): Promise<unknown> {
    for (const [index, member] of members.entries()) {
      const place = `${at}/${index}`;
      const check =
        this.#checks.get(place) ?? checkLazily({ ...(member as JsonSchema), ...this.#defs() }, 'output');
      this.#checks.set(place, check);
      if ((await check(value)).ok) return await this.cast(value, member, place, path);
    }
    return value;
  }

  #defs(): JsonSchema {
    return isRecord(this.root.$defs) ? { $defs: this.root.$defs } : {};
  }

  async #items(values: readonly unknown[], schema: JsonSchema, at: string, path: string): Promise<unknown[]> {
    const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const cast: unknown[] = [];
    for (const [index, value] of values.entries()) {
      const [one, place] =
        index < prefix.length ? [prefix[index], `${at}/prefixItems/${index}`] : [schema.items, `${at}/items`];
      cast.push(await this.cast(value, one, place, `${path}/${index}`));
    }
    return cast;
  }

  async #properties(
    value: Readonly<Record<string, unknown>>,
    schema: JsonSchema,
    at: string,
    path: string,
  ): Promise<Record<string, unknown>> {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const entries: [string, unknown][] = [];
    for (const [key, held] of Object.entries(value)) {
      const step = toPointer([key]);
      const [one, place] = Object.hasOwn(properties, key)
        ? [properties[key], `${at}/properties${step}`]
        : [schema.additionalProperties, `${at}/additionalProperties`];
      entries.push([key, await this.cast(held, one, place, `${path}${step}`)]);
    }
    return Object.fromEntries(entries);
  }
}

function castValue(value: unknown, to: CastName, path: string): unknown {
  try {
    const one = makers[to](value);
    if (one instanceof Date && Number.isNaN(one.getTime())) throw new CastError(path, to);
    return one;
  } catch {
    throw new CastError(path, to);
  }
}
