import { findCopyFaults } from '../base/plain-data.js';
import { isRecord, isString } from '../base/value-checks.js';
import { isAnnotations, isIcons } from '../extension/content-block.js';
import type { ResourceSpec } from './specs.js';
import { toResultError } from './tool-result.js';

type ListedInstance = Readonly<Record<string, unknown>> & { readonly uri: string };

/** Checks of the keys of a list entry. Clients refuse a whole list for one invalid key. @see MCP, schema, Resource */
const instanceKeyChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isString,
  title: isString,
  description: isString,
  mimeType: isString,
  size: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  icons: isIcons,
  annotations: isAnnotations,
  _meta: isRecord,
};

/**
 * One resource of a template as a list entry. Missing and invalid keys come from the template. Undefined if it has no
 * URI of the template.
 * @throws ResultError if it contains a value without JSON form
 */
export function toListedInstance(
  { wire, template }: ResourceSpec,
  told: unknown,
): ListedInstance | undefined {
  const faults = findCopyFaults(told);
  if (faults.length > 0) throw toResultError(faults);
  if (!isRecord(told) || typeof told.uri !== 'string' || !template?.match(told.uri)) return undefined;
  const { uriTemplate: _, _meta: common, ...shared } = wire;
  const { uri, meta, category, ...entry } = told;
  const { name = uri, title = name, _meta, ...rest } = dropInvalidKeys({ _meta: meta, ...entry });
  const merged = {
    ...(isRecord(common) && common),
    ...(isRecord(_meta) && _meta),
    ...(typeof category === 'string' && { category }),
  };
  return {
    ...shared,
    ...rest,
    uri,
    name: String(name),
    title,
    ...(Object.keys(merged).length > 0 && { _meta: merged }),
  };
}

function dropInvalidKeys(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(entry).filter(([key, value]) => instanceKeyChecks[key]?.(value) ?? false),
  );
}
