import { checkServer, ignoresCase, type ListedTool } from '../compatibility/surface-checks.js';
import { plainName, toolAlias } from '../extension/tool-alias.js';
import { type AdaptedTool, adaptTool, breachesOf } from './adapt-tool.js';
import type { AdaptationTarget } from './adaptation-target.js';
import type { ValueMap } from './argument-map.js';
import { cutText } from './cut-text.js';

/** A tool in the list of one client, and the way back from its calls. */
export interface ListedAdaptation {
  /** Name of the tool at the server. */
  readonly original: string;
  readonly tool: ListedTool;
  /** Absent if arguments fit as they are. */
  readonly map?: ValueMap;
  /** Codes of the rules that the tool was changed for. */
  readonly changes: readonly string[];
}

/** Longest name that all clients accept, with key and prefix. */
const shortestLimit = 63;

/** Characters of the longest prefix that clients put before key and name: `mcp__` and `__`. */
const longestPrefix = 7;

/** Adapts the tools of a server to a client, in their order. Tools that fit are the same objects. */
export function adaptTools(
  tools: readonly ListedTool[],
  target: AdaptationTarget,
): readonly ListedAdaptation[] {
  const renamed = toolsToRename(tools, target);
  const taken = new Set(tools.map(({ name }) => name));
  return tools.map((tool, index) => {
    const adapted = adaptOnce(tool, target);
    const codes = renamed.get(index);
    if (!codes) return { original: tool.name, ...adapted };
    const name = freeAlias(tool.name, maxNameLength(target), taken);
    taken.add(name);
    return {
      original: tool.name,
      ...adapted,
      tool: { ...adapted.tool, name, ...(adapted.tool.title === undefined && { title: tool.name }) },
      changes: [...codes, ...adapted.changes],
    };
  });
}

/** The instructions of a server, as long as the client reads them. */
export function adaptInstructions(instructions: string, target: AdaptationTarget): string {
  const server = { key: target.serverKey, instructions, tools: [] };
  const max = breachesOf(checkServer(server), target).get('compat/instructions-length');
  return max === undefined || max === 0 ? instructions : cutText(instructions, max);
}

const adaptedTools = new WeakMap<ListedTool, Map<string, AdaptedTool>>();

/** A tool is adapted once for each kind of client. */
export function adaptOnce(tool: ListedTool, target: AdaptationTarget): AdaptedTool {
  const ofTool = adaptedTools.get(tool) ?? new Map<string, AdaptedTool>();
  adaptedTools.set(tool, ofTool);
  const adapted = ofTool.get(target.id) ?? adaptTool(tool, target);
  ofTool.set(target.id, adapted);
  return adapted;
}

/** Codes of the rules that names breach, by the index of the tool. */
function toolsToRename(
  tools: readonly ListedTool[],
  target: AdaptationTarget,
): ReadonlyMap<number, readonly string[]> {
  const { limits, serverKey } = target;
  const names = tools.map(({ name }) => name);
  const codes = new Map<number, string[]>();
  const rename = (index: number, code: string) => codes.set(index, [...(codes.get(index) ?? []), code]);
  if (limits.has('compat/tool-name-charset'))
    for (const [index, name] of names.entries())
      if (plainName(name) !== name) rename(index, 'compat/tool-name-charset');
  for (const finding of checkServer({ key: serverKey, tools: names }))
    if (finding.code === 'compat/tool-name-length' && breachesOf([finding], target).size > 0)
      rename(finding.tool!, finding.code);
  const collision = limits.get('compat/tool-name-collision');
  const kept = names.flatMap((name, index) => (codes.has(index) ? [] : [{ name, index }]));
  if (collision)
    for (const { index } of othersOfGroups(kept, collision.some(ignoresCase)))
      rename(index, 'compat/tool-name-collision');
  return codes;
}

interface IndexedName {
  readonly name: string;
  readonly index: number;
}

/** Of names that a client takes for one, all but one: a plain name stays, or else the first one by its characters. */
function othersOfGroups(names: readonly IndexedName[], ignoresCase: boolean): readonly IndexedName[] {
  const plain = (name: string) => (ignoresCase ? plainName(name).toLowerCase() : plainName(name));
  const isOdd = ({ name }: IndexedName) => Number(name !== plain(name));
  const sorted = [...names].sort((a, b) => isOdd(a) - isOdd(b) || (a.name < b.name ? -1 : 1));
  const seen = new Set<string>();
  return sorted.filter(({ name }) => seen.has(plain(name)) || !seen.add(plain(name)));
}

/** An alias that no tool of the list has. */
function freeAlias(name: string, maxLength: number, taken: ReadonlySet<string>): string {
  let digits = 8;
  while (taken.has(toolAlias(name, maxLength, digits))) digits += 4;
  return toolAlias(name, maxLength, digits);
}

/** Most characters of a name that the client can use with the key of the server. */
function maxNameLength({ limits, serverKey }: AdaptationTarget): number {
  const rooms = (limits.get('compat/tool-name-length') ?? []).map(
    ({ limit = shortestLimit, scope }) => limit - Number(scope?.added ?? 0),
  );
  return Math.min(shortestLimit - longestPrefix, ...rooms) - serverKey.length;
}
