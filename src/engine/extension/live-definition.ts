import { types } from 'node:util';
import { type PlainData, type PlainFault, type PlainReplacement, plainData } from '../base/plain-data.js';
import { isLiveSchema, oldZodFault, schemaMarks, wrapSchema } from '../schema/index.js';
import { chatToolFault } from './foreign/foreign-export.js';

/** Marks of values that the authoring API returns: finished results and messages. */
const brandSymbols = [...schemaMarks, Symbol.for('agenttools/result'), Symbol.for('agenttools/message')];

const copies = new WeakMap<object, PlainData>();

/** The copy of the default export of a module. Made once, since getters may return other values later. Never throws. */
export function copyOfExport(value: unknown): PlainData {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return liveDefinition(value);
  const copy = copies.get(value) ?? liveDefinition(value);
  copies.set(value, copy);
  return copy;
}

/** Converts a definition from code to plain data, and keeps its functions and live schemas. Never throws. */
export function liveDefinition(value: unknown): PlainData {
  return plainData(value, { marks: brandSymbols, keep: keepBranded, inherits: true });
}

function keepBranded(value: object, path: PlainFault['path']): PlainReplacement | undefined {
  if (isLiveSchema(value)) return { value: wrapSchema(value) };
  const fault = oldZodFault(value) ?? chatToolFault(value);
  if (fault !== undefined) return { fault };
  if (typeof value !== 'function') return undefined;
  if (path.at(-1) === 'then') return { fault: 'a function, which makes a promise of the object' };
  // `JSON.stringify` would call it when the definition is sent.
  if (path.at(-1) === 'toJSON') return { value: undefined };
  return { value: isInert(value) ? value : inert(value as (...args: unknown[]) => unknown) };
}

/** True if `JSON.stringify` drops the function: it has no `toJSON`. */
function isInert(value: object): boolean {
  return !types.isProxy(value) && !('toJSON' in value);
}

function inert(value: (...args: unknown[]) => unknown): unknown {
  return (...args: unknown[]) => Reflect.apply(value, undefined, args);
}
