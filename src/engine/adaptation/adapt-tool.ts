import { isRecord, isString } from '../base/value-checks.js';
import type { ClientLimit } from '../compatibility/client-limits.js';
import type { CompatibilityFinding } from '../compatibility/compatibility-finding.js';
import { isBreached } from '../compatibility/judge-findings.js';
import { checkTool, type ListedTool } from '../compatibility/surface-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { adaptParts } from './adapt-schema.js';
import type { AdaptationTarget } from './adaptation-target.js';
import type { ValueMap } from './argument-map.js';
import { cutText } from './cut-text.js';
import { describeConstraints } from './describe-constraints.js';
import { inlineReferences } from './inline-references.js';
import { mergeRoot } from './merge-root.js';
import { shrinkSchema } from './shrink-schema.js';

/** A tool for one client. */
export interface AdaptedTool {
  readonly tool: ListedTool;
  /** Way back for its arguments. Absent if they fit as they are. */
  readonly map?: ValueMap;
  /** Codes of the rules that it was changed for. */
  readonly changes: readonly string[];
}

/** Limits that a tool breaches: the lowest number for each code, or undefined if the rule has no number. */
export type Breaches = ReadonlyMap<string, number | undefined>;

/** Returns the limits that findings breach. */
export function breachesOf(
  findings: Iterable<CompatibilityFinding>,
  { limits }: Pick<AdaptationTarget, 'limits'>,
): Breaches {
  const breaches = new Map<string, number | undefined>();
  for (const finding of findings) {
    for (const limit of limits.get(finding.code) ?? []) {
      if (!isBreached(limit, finding)) continue;
      const key = breachKey(limit);
      const known = breaches.get(key) ?? Number.POSITIVE_INFINITY;
      breaches.set(key, limit.limit === undefined ? breaches.get(key) : Math.min(known, limit.limit));
    }
  }
  return breaches;
}

/** Descriptions of tools and of parameters have separate limits. */
function breachKey({ code, scope }: ClientLimit): string {
  return code === 'compat/description-length' && scope?.of === 'parameter' ? `${code}/parameter` : code;
}

/** Brings the schema and texts of a tool into the form that a client can use. Its name stays. */
export function adaptTool(tool: ListedTool, target: AdaptationTarget): AdaptedTool {
  const breaches = breachesOf(checkTool(tool), target);
  if (![...breaches.keys()].some((code) => adaptable.has(code))) return { tool, changes: [] };
  const plain = withoutNullFields(tool, breaches);
  const { inputSchema } = plain;
  const input = isRecord(inputSchema) ? adaptInput(inputSchema, breaches, target) : undefined;
  const adapted = withDescription(
    { ...plain, ...(input && { inputSchema: input.schema }) },
    breaches,
    input?.words,
  );
  return {
    tool: adapted,
    ...(input?.map && { map: input.map }),
    changes: [...breaches.keys()]
      .filter((code) => adaptable.has(code))
      .map((code) => code.replace('/parameter', '')),
  };
}

/** Codes of the rules that {@link adaptTool} knows a change for. */
const adaptable = new Set(
  [
    ...['tool-list-rejected', 'root-union', 'nested-union', 'schema-ref', 'schema-size', 'schema-tuple'],
    ...['array-without-items', 'untyped-property', 'type-array', 'enum-non-string', 'keyword-lost'],
    ...['null-in-schema', 'description-length', 'description-length/parameter', 'param-name-charset'],
  ].map((code) => `compat/${code}`),
);

/** Changes that need schemas without references. */
const needInlined = [
  'root-union',
  'schema-ref',
  'enum-non-string',
  'type-array',
  'param-name-charset',
  'schema-tuple',
];

interface AdaptedInput {
  readonly schema: JsonSchema;
  readonly map?: ValueMap;
  /** Sentence for the description of the tool. */
  readonly words: string;
}

/** Share of the limit that a schema may have: clients change it before they measure it. */
const shareOfSize = 0.9;

function adaptInput(schema: JsonSchema, breaches: Breaches, { limits }: AdaptationTarget): AdaptedInput {
  const codes = new Set(breaches.keys());
  const needs = (code: string) => codes.has(`compat/${code}`);
  let adapted = needInlined.some(needs) ? inlineReferences(schema) : schema;
  let words = '';
  if (needs('root-union')) ({ schema: adapted, words } = mergeRoot(adapted));
  if (needs('tool-list-rejected') && adapted.type !== 'object') adapted = { ...adapted, type: 'object' };
  const readsTypeLists = !limits.has('compat/type-array');
  const parts = adaptParts(adapted, { needs: codes, readsTypeLists });
  adapted = needs('keyword-lost') ? describeConstraints(parts.schema) : parts.schema;
  const longest = breaches.get('compat/description-length/parameter');
  if (longest !== undefined) adapted = withCutDescriptions(adapted, longest);
  const size = breaches.get('compat/schema-size');
  if (size !== undefined) adapted = shrinkSchema(adapted, size * shareOfSize);
  return { schema: adapted, words, ...(parts.map && { map: parts.map }) };
}

function withCutDescriptions(schema: JsonSchema, max: number): JsonSchema {
  if (!isRecord(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    if (!isRecord(property)) return [name, property];
    const nested = withCutDescriptions(property, max);
    const { description } = nested;
    return [name, isString(description) ? { ...nested, description: cutText(description, max) } : nested];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

function withoutNullFields(tool: ListedTool, breaches: Breaches): ListedTool {
  if (!breaches.has('compat/tool-list-rejected')) return tool;
  const kept = Object.entries(tool).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as unknown as ListedTool;
}

function withDescription(tool: ListedTool, breaches: Breaches, words = ''): ListedTool {
  const max = breaches.get('compat/description-length');
  const own = isString(tool.description) ? tool.description : '';
  if (max === undefined)
    return words === '' ? tool : { ...tool, description: [own, words].filter(Boolean).join('\n\n') };
  const room = words === '' ? max : max - words.length - 2;
  return { ...tool, description: [cutText(own, room), words].filter(Boolean).join('\n\n') };
}
