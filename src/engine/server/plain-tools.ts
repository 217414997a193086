import { isRecord } from '../base/value-checks.js';

type ListEntry = Readonly<Record<string, unknown>> & { readonly name: string };

/** Longest name that all clients accept with a short key of the server. */
const maxName = 26;

const plainName = /^[A-Za-z][A-Za-z0-9_-]*$/;
const plainParameter = /^(?!items$)[A-Za-z_]\w{0,63}$/;

/** Keywords of schemas that some client or API refuses. */
const refused = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'prefixItems', '$defs', 'definitions'];

const plain = new WeakSet<object>();

/**
 * True if all clients can use all tools, by their names and schemas. False only means that the limits of the client have to be
 * looked at. A server of plain tools starts without the code that does so.
 */
export function arePlainTools(tools: readonly ListEntry[]): boolean {
  const names = new Set(tools.map(({ name }) => name.toLowerCase()));
  return names.size === tools.length && tools.every(isPlainTool);
}

function isPlainTool(tool: ListEntry): boolean {
  if (plain.has(tool)) return true;
  const { name, inputSchema, outputSchema } = tool;
  const isPlain =
    name.length <= maxName &&
    plainName.test(name) &&
    Object.values(tool).every((value) => value !== null) &&
    isPlainRoot(inputSchema) &&
    (outputSchema === undefined || isPlainRoot(outputSchema));
  if (isPlain) plain.add(tool);
  return isPlain;
}

function isPlainRoot(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'object' && isPlainSchema(schema);
}

function isPlainSchema(schema: unknown): boolean {
  if (!isRecord(schema) || typeof schema.type !== 'string') return false;
  if (refused.some((keyword) => schema[keyword] !== undefined)) return false;
  if (schema.type === 'array') return isPlainSchema(schema.items) && schema.default !== null;
  const { enum: choices, const: fixed, default: preset, properties = {}, required = [] } = schema;
  if (Array.isArray(choices) && !choices.every((one) => typeof one === 'string')) return false;
  if ((fixed !== undefined && typeof fixed !== 'string') || preset === null) return false;
  return (
    Array.isArray(required) &&
    isRecord(properties) &&
    Object.entries(properties).every(([name, child]) => plainParameter.test(name) && isPlainSchema(child))
  );
}
