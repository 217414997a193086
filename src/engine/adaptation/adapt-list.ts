import {
  checkServer,
  type ListedTool,
  plainName,
  type ServerFinding,
} from '../compatibility/surface-checks.js';
import { type AdaptedTool, adaptTool, breachesOf } from './adapt-tool.js';
import type { AdaptationTarget } from './adaptation-target.js';
import type { ValueMap } from './argument-map.js';
import { cutText } from './cut-text.js';
import { toolAlias } from './tool-alias.js';

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
  return tools.map((tool, index) => {
    const adapted = adaptOnce(tool, target);
    const codes = renamed.get(index);
    if (!codes) return { original: tool.name, ...adapted };
    const name = toolAlias(tool.name, maxNameLength(target));
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
  const names = tools.map(({ name }) => name);
  const codes = new Map<number, string[]>();
  const rename = (index: number, rule: string) => {
    codes.set(index, [...(codes.get(index) ?? []), rule]);
    names[index] = toolAlias(tools[index]!.name, maxNameLength(target));
  };
  if (target.limits.has('compat/tool-name-charset'))
    for (const [index, { name }] of tools.entries())
      if (plainName(name) !== name) rename(index, 'compat/tool-name-charset');
  // Names collide in the form that the client gets.
  const server = { key: target.serverKey, tools: [...names] };
  for (const finding of checkServer(server))
    if (finding.tool !== undefined && breachesOf([finding], target).size > 0)
      rename(worstOf(finding, server.tools), finding.code);
  return codes;
}

/** Of two names that collide, the one with other characters than clients accept gets the alias. */
function worstOf({ code, tool: index = 0 }: ServerFinding, names: readonly string[]): number {
  if (code !== 'compat/tool-name-collision') return index;
  const plain = (name: string) => plainName(name).toLowerCase();
  if (names[index] !== plain(names[index]!)) return index;
  const other = names.findIndex((name) => name !== names[index] && plain(name) === names[index]);
  return other === -1 ? index : other;
}

/** Most characters of a name that the client can use with the key of the server. */
function maxNameLength({ limits, serverKey }: AdaptationTarget): number {
  const rooms = (limits.get('compat/tool-name-length') ?? []).map(
    ({ limit = shortestLimit, scope }) => limit - Number(scope?.added ?? 0),
  );
  return Math.min(shortestLimit - longestPrefix, ...rooms) - serverKey.length;
}
