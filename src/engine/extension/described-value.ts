import { type PlainData, type PlainFault, type PlainReplacement, plainData } from '../base/plain-data.js';
import { describeSchema, isSchemaValue, oldZodFault, unwrapSchema } from '../schema/index.js';
import { chatToolFault } from './foreign/foreign-export.js';

/** Returns further facts about a function for its description. */
export type DescribeFunction = (value: object) => Readonly<Record<string, unknown>>;

const describeNothing: DescribeFunction = () => ({});

/**
 * Converts a live definition to plain data that can be sent to another process. Functions become
 * `{ "@@": "function", name, length }` with the facts of `more`, schemas the data of {@link describeSchema}.
 * `file` is the definition file; companion packages of a schema library are resolved from there. Never
 * rejects.
 */
export async function describeValue(
  value: unknown,
  file: string,
  more: DescribeFunction = describeNothing,
): Promise<PlainData> {
  const schemas: Promise<readonly PlainFault[]>[] = [];
  const keepFunction: KeepFunction = (held, path) => describeFunction(held, path, more);
  const keep = (held: object, path: PlainFault['path']): PlainReplacement | undefined => {
    const schema = unwrapSchema(held);
    if (isSchemaValue(schema)) {
      const described = {};
      schemas.push(describeInto(described, schema as object, { file, path: [...path], keep: keepFunction }));
      return { value: described };
    }
    const fault = oldZodFault(held) ?? chatToolFault(held);
    return fault === undefined ? keepFunction(held, path) : { fault };
  };
  const described = plainData(value, { keep, inherits: true });
  const faults = (await Promise.all(schemas)).flat();
  return { value: described.value, faults: [...described.faults, ...faults] };
}

type KeepFunction = (value: object, path: PlainFault['path']) => PlainReplacement | undefined;

interface SchemaLocation {
  readonly file: string;
  readonly path: PlainFault['path'];
  readonly keep: KeepFunction;
}

async function describeInto(
  target: object,
  schema: object,
  { file, path, keep }: SchemaLocation,
): Promise<readonly PlainFault[]> {
  try {
    const { value, faults } = plainData(await describeSchema(schema, file), { keep });
    Object.assign(target, value);
    return faults.map((fault) => ({ ...fault, path: [...path, ...fault.path.slice(1)] }));
  } catch {
    return [{ path, what: 'a schema that cannot be read' }];
  }
}

function describeFunction(
  value: object,
  path: PlainFault['path'],
  more: DescribeFunction,
): PlainReplacement | undefined {
  if (typeof value !== 'function') return undefined;
  if (path.at(-1) === 'then') return { fault: 'a function, which makes a promise of the object' };
  const { name, length } = value;
  return { value: { '@@': 'function', name: String(name), length: Number(length), ...more(value) } };
}
