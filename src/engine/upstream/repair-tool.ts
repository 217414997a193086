import { isRecord, isString } from '../base/value-checks.js';
import type { WireItem } from '../runtime/wire-item.js';

/**
 * Puts a tool of an upstream server right where its meaning is clear: null and empty lists in place of absent fields, and schemas
 * without a type. Clients with the TypeScript SDK would refuse the whole list. A tool without such faults is the same object.
 */
export function repairTool(tool: WireItem): WireItem {
  const { inputSchema, icons } = tool;
  const input =
    inputSchema === undefined || inputSchema === null ? { type: 'object' } : repairInput(inputSchema);
  const isWhole =
    input === inputSchema &&
    Object.values(tool).every((value) => value !== null) &&
    (!Array.isArray(icons) || icons.every(isIcon));
  if (isWhole) return tool;
  const present = Object.entries(tool).filter(([, value]) => value !== null);
  return {
    ...(Object.fromEntries(present) as WireItem),
    inputSchema: input,
    ...(Array.isArray(icons) && { icons: icons.filter(isIcon) }),
  };
}

function isIcon(icon: unknown): boolean {
  return isRecord(icon) && isString(icon.src);
}

function repairInput(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { type, properties, required } = schema;
  const isTyped = type === 'object' || (type !== undefined && !isListWithObject(type));
  const wrong = [
    ...(properties === null || isEmptyList(properties) ? ['properties'] : []),
    ...(required === null || isEmptyObject(required) ? ['required'] : []),
  ];
  if (isTyped && wrong.length === 0) return schema;
  const kept = Object.entries(schema).filter(([key]) => !wrong.includes(key));
  return { ...Object.fromEntries(kept), ...(!isTyped && { type: 'object' }) };
}

function isListWithObject(type: unknown): boolean {
  return Array.isArray(type) && type.includes('object');
}

/** PHP writes empty objects as lists. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** PHP and Go write empty lists as objects. */
function isEmptyObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
