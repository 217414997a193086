import { type PlainData, type PlainFault, plainData, type StandIn } from '../plain-data.js';
import { describeSchema, isSchemaValue } from '../schema/index.js';
import { contextMembersIn } from './context-members.js';

/**
 * A live definition as plain data, fit to leave its process. Functions become
 * `{ "@@": "function", name, length, contextMembers? }`, schemas the data that {@link describeSchema} makes of them.
 * `file` is the author's: other packages of a schema library are looked for from there. Never rejects.
 */
export async function describeValue(value: unknown, file: string): Promise<PlainData> {
  const schemas: Promise<readonly PlainFault[]>[] = [];
  const keep = (held: object, path: PlainFault['path']): StandIn | undefined => {
    if (isSchemaValue(held)) {
      const described = {};
      schemas.push(describeInto(described, held, { file, path: [...path], keep: keepFunction }));
      return { value: described };
    }
    return keepFunction(held, path);
  };
  const described = plainData(value, { keep, inherits: true });
  const faults = (await Promise.all(schemas)).flat();
  return { value: described.value, faults: [...described.faults, ...faults] };
}

interface SchemaPlace {
  readonly file: string;
  readonly path: PlainFault['path'];
  readonly keep: typeof keepFunction;
}

async function describeInto(
  target: object,
  schema: object,
  { file, path, keep }: SchemaPlace,
): Promise<readonly PlainFault[]> {
  try {
    const { value, faults } = plainData(await describeSchema(schema, file), { keep });
    Object.assign(target, value);
    return faults.map((fault) => ({ ...fault, path: [...path, ...fault.path.slice(1)] }));
  } catch {
    return [{ path, what: 'a schema that cannot be read' }];
  }
}

function keepFunction(value: object, path: PlainFault['path']): StandIn | undefined {
  if (typeof value !== 'function') return undefined;
  if (path.at(-1) === 'then') return { fault: 'a function, which makes a promise of the object' };
  const contextMembers = contextMembersIn(value);
  return {
    value: {
      '@@': 'function',
      name: String(value.name),
      length: Number(value.length),
      ...(contextMembers.length > 0 && { contextMembers }),
    },
  };
}
