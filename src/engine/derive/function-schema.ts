import { didYouMean } from '../base/did-you-mean.js';
import type { Binding, DerivedFunction } from '../extension/derived.js';
import { toPointer } from '../schema/schema-issue.js';
import type { CastName } from '../schema/value-caster.js';
import { applyTags, matchesDraft, type SchemaDraft, suggestTag, valueTags } from './keywords.js';
import { functionTags, type ToolTags } from './mcp-tag.js';
import {
  below,
  flat,
  hasNoValue,
  type MappedType,
  objectSchema,
  type TypeFault,
  TypeMapper,
  withFallback,
} from './type-schema.js';
import type {
  FunctionFacts,
  ParameterFacts,
  PropertyFacts,
  SourcePosition,
  TypeFacts,
} from './type-source.js';
import { noDoc } from './type-source.js';

/** A problem with a function, for its author. */
interface FunctionRemark {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly position: SourcePosition;
}

interface FunctionSchemaOptions {
  readonly tags: ToolTags;
  /** True if the definition declares the output. */
  readonly skipsOutput: boolean;
  /** Receives the problems. */
  readonly remark: (remark: FunctionRemark) => void;
}

/** Derives a tool from the types and the doc comment of its function. */
export function deriveFunction(
  facts: FunctionFacts,
  { tags, skipsOutput, remark }: FunctionSchemaOptions,
): DerivedFunction {
  const { name, doc, position } = facts;
  for (const { message, position: at } of tags.faults) remark({ severity: 'error', message, position: at });
  if (facts.signatures > 1) {
    const message = `its function has ${facts.signatures} signatures; only the first is used.`;
    remark({ severity: 'warning', message, position });
  }
  warnOfStrayTags(facts, remark);
  warnOfStrayTexts(facts, remark);
  const input = deriveInput(facts, remark);
  const outputSchema = skipsOutput ? undefined : deriveOutput(facts, remark);
  const title = tags.title ?? name;
  const description = tags.description ?? doc.text;
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(tags.category !== undefined && { category: tags.category }),
    ...(tags.hidden !== undefined && { hidden: tags.hidden }),
    ...(tags.annotations && { annotations: tags.annotations }),
    inputSchema: input.schema,
    ...(outputSchema && { outputSchema }),
    ...(input.casts.length > 0 && { casts: Object.fromEntries(input.casts) }),
    parameters: input.parameters,
  };
}

/** Warns about tags that have no effect on a function. */
function warnOfStrayTags({ doc }: FunctionFacts, remark: FunctionSchemaOptions['remark']): void {
  for (const { name, position } of doc.tags) {
    if (!valueTags.includes(name)) {
      const meant = suggestTag(name, functionTags);
      const message = `"@${name}" is an unknown tag. Did you mean "@${meant}"?`;
      if (meant !== undefined) remark({ severity: 'warning', message, position });
      continue;
    }
    const message = `"@${name}" is on the function, where it constrains nothing. Put it into the line of a @param, on a property of an interface, or on a named type such as "type Days = number".`;
    remark({ severity: 'warning', message, position });
  }
}

/** Receives warnings about a parameter or a part of it. */
type Warn = (path: string, message: string, position: SourcePosition) => void;

/** Warns about `@param` texts for unknown parameters: no client sees them. */
function warnOfStrayTexts(
  { strayTexts, parameters }: FunctionFacts,
  remark: FunctionSchemaOptions['remark'],
): void {
  const names = parameters.flatMap(({ name }) => name ?? []);
  for (const { name, position } of strayTexts) {
    const meant = didYouMean(name, names);
    const message = `"@param ${name}" names no parameter.${meant ? ` Did you mean "${meant}"?` : ''} Parameters: ${names.join(', ') || 'none'}.`;
    remark({ severity: 'warning', message, position });
  }
}

interface DerivedInput {
  readonly schema: SchemaDraft;
  readonly casts: readonly (readonly [pointer: string, CastName])[];
  readonly parameters: readonly Binding[];
}

function deriveInput({ parameters }: FunctionFacts, remark: FunctionSchemaOptions['remark']): DerivedInput {
  const report = ({ path, message, position, severity = 'error' }: TypeFault) =>
    remark({ severity, message: `parameter "${path}" ${message}`.replace(/([^?])$/, '$1.'), position });
  const mapper = new TypeMapper('input', report);
  const warn: Warn = (path, message, position) =>
    remark({ severity: 'warning', message: `parameter "${path}" ${message}.`, position });
  for (const { name = '', position } of parameters.filter(({ isEarlyContext }) => isEarlyContext)) {
    report({ path: name, message: 'is the context, which has to be the last parameter', position });
  }
  const own = parameters.filter(({ isContext }) => !isContext);
  const isHandler = own.length === 1 && own[0] !== undefined && isArguments(own[0]);
  if (isHandler) {
    const mapped = mapWhole(own[0]!, mapper, warn);
    const bindings = parameters.map((one): Binding => (one.isContext ? { context: true } : { whole: true }));
    return withDefinitions({ ...mapped, parameters: bindings }, mapper);
  }
  const named = parameters.map((one, index) => {
    if (one.name !== undefined) return { ...one, name: one.name };
    const name = `arg${index + 1}`;
    const message = `its function destructures a list, or one of several parameters; clients see that parameter as "${name}". Give it a name.`;
    remark({ severity: 'warning', message, position: one.position });
    return { ...one, name };
  });
  const listed = named.filter(({ isContext }) => !isContext);
  const mapped = listed.map((one) => [one.name, mapParameter(one, mapper, warn)] as const);
  const required = listed.filter(({ isOptional, isRest }) => !isOptional && !isRest).map(({ name }) => name);
  return withDefinitions(
    {
      schema: objectSchema(
        mapped.map(([name, { schema }]) => [name, schema]),
        required,
      ),
      casts: mapped.flatMap(([name, one]) => below(`/properties${toPointer([name])}`, one)),
      parameters: named.map(({ name, isContext, isRest }): Binding => {
        if (isContext) return { context: true };
        return isRest ? { name, rest: true } : { name };
      }),
    },
    mapper,
  );
}

/** True if the parameter receives all arguments: it is destructured, or named `args` as in a handler. */
function isArguments({ name, isTakenApart, isRest, type }: ParameterFacts): boolean {
  return !isRest && (isTakenApart || name === 'args') && objectIn(type) !== undefined;
}

type ObjectFacts = Extract<TypeFacts, { kind: 'object' }>;

/** The object type behind aliases and optional unions; undefined for other types. */
function objectIn(type: TypeFacts): ObjectFacts | undefined {
  if (type.kind === 'object') return type;
  if (type.kind === 'named') return objectIn(type.look());
  if (type.kind !== 'union') return undefined;
  const [only, ...others] = flat(type.members).filter((member) => member.kind !== 'undefined');
  return only && others.length === 0 ? objectIn(only) : undefined;
}

/** The arguments as one object: its properties, with the defaults and texts of the destructured parts. */
function mapWhole(parameter: ParameterFacts, mapper: TypeMapper, warn: Warn): MappedType {
  const { type, position, partFallbacks, partTexts } = parameter;
  const whole = objectIn(type)!;
  const properties = whole.properties.map((property): PropertyFacts => {
    const { name, doc, isOptional } = property;
    const hasFallback = Object.hasOwn(partFallbacks, name);
    const text = Object.hasOwn(partTexts, name) ? partTexts[name]! : doc.text;
    return { ...property, doc: { ...doc, text }, isOptional: isOptional || hasFallback };
  });
  const mapped = mapper.part({ name: '', type: { ...whole, properties }, doc: noDoc, position });
  return withParts(mapped, parameter, warn);
}

function mapParameter(
  parameter: ParameterFacts & { readonly name: string },
  mapper: TypeMapper,
  warn: Warn,
): MappedType {
  const { name, type, text, tags, position, fallback } = parameter;
  const mapped = mapper.part({ name, type, doc: { text, tags }, position });
  const whole = withFallback(mapped, fallback, (message) => warn(name, message, position));
  return withParts(whole, parameter, warn);
}

/** Adds the texts and defaults of a parameter's parts to their schemas. */
function withParts(
  mapped: MappedType,
  { name: whole, partTexts, partTags, partFallbacks, position }: ParameterFacts,
  warn: Warn,
): MappedType {
  const schema = structuredClone(mapped.schema);
  for (const [name, tags] of Object.entries(partTags)) {
    const part = partIn(schema, name);
    for (const { tag, reason, position: at } of part ? applyTags(part, tags) : [])
      warn(name, `has "@${tag}", which ${reason}`, at);
  }
  for (const [name, description] of Object.entries(partTexts)) {
    const part = partIn(schema, name);
    if (part) part.description = description;
  }
  for (const [name, { value }] of Object.entries(partFallbacks)) {
    const part = partIn(schema, name);
    if (!part || value === undefined || 'default' in part) continue;
    if (matchesDraft(value, part)) part.default = value;
    else {
      const path = whole === undefined ? name : `${whole}.${name}`;
      warn(
        path,
        `has the default ${JSON.stringify(value)}, which is not of its type; clients do not see it`,
        position,
      );
    }
  }
  return { ...mapped, schema };
}

/** The schema of a part: `address.city` is a nested property, `towns[].name` a property of each entry. */
function partIn(schema: SchemaDraft, name: string): SchemaDraft | undefined {
  return name.split('.').reduce<SchemaDraft | undefined>((whole, step) => {
    const properties = whole?.properties as Readonly<Record<string, SchemaDraft>> | undefined;
    const key = step.replace(/\[\]$/, '');
    const found = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return step === key ? found : (found?.items as SchemaDraft | undefined);
  }, schema);
}

/** Adds recursive types as `$defs` of the input schema. */
function withDefinitions(input: DerivedInput, { definitions }: TypeMapper): DerivedInput {
  if (definitions.size === 0) return input;
  const entries = [...definitions];
  return {
    ...input,
    schema: {
      ...input.schema,
      $defs: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    },
    casts: [...input.casts, ...entries.flatMap(([name, one]) => below(`/$defs${toPointer([name])}`, one))],
  };
}

/** The output schema; undefined if the function returns nothing, anything, or only finished results. */
function deriveOutput(
  { result, doc, position }: FunctionFacts,
  remark: FunctionSchemaOptions['remark'],
): SchemaDraft | undefined {
  const all = flattenResultType(result);
  const members = all.filter(({ kind }) => kind !== 'finished');
  const isUnknown = members.length === 0 || members.some(({ kind }) => kind === 'any');
  if (isUnknown || members.every(hasNoValue)) return undefined;
  const mapper = new TypeMapper('output', ({ path, message, position: at, severity = 'error' }) => {
    const inner = path.replace(/^result\.?/, '');
    const what = inner === '' ? 'the result' : `"${inner}" of the result`;
    remark({ severity, message: `${what} ${message}`.replace(/([^?])$/, '$1.'), position: at });
  });
  const text = doc.tags.findLast(({ name }) => name === 'returns' || name === 'return')?.text ?? '';
  const type: TypeFacts = members.length === all.length ? result : { kind: 'union', members };
  const { schema } = mapper.part({ name: 'result', type, doc: { text, tags: [] }, position });
  if (mapper.definitions.size === 0) return schema;
  const definitions = [...mapper.definitions].map(([name, one]) => [name, one.schema]);
  return { ...schema, $defs: Object.fromEntries(definitions) };
}

/** The members of a result type, with aliases of unions resolved. */
function flattenResultType(type: TypeFacts): readonly TypeFacts[] {
  if (type.kind === 'union') return type.members.flatMap(flattenResultType);
  if (type.kind !== 'named') return [type];
  const inner = type.look();
  return inner.kind === 'union' || inner.kind === 'finished' || inner.kind === 'any'
    ? flattenResultType(inner)
    : [type];
}
