import { didYouMean } from '../base/did-you-mean.js';
import { parseJsonOrUndefined } from '../base/text-codecs.js';
import { isRecord } from '../base/value-checks.js';
import type { ToolSpec } from './specs.js';

/** Options that the user set: tool name to option to value. */
export type ToolOptionValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Reads `MCP_TOOL_OPTIONS`: JSON of tool name to option to value. Reports and ignores anything else. */
export function parseToolOptions(text: string | undefined, report: (line: string) => void): ToolOptionValues {
  if (text === undefined || text.trim() === '') return {};
  const value = parseJsonOrUndefined(text);
  if (!isRecord(value)) {
    report(
      'MCP_TOOL_OPTIONS is not a JSON object of tool names and is ignored. Expected {"tool":{"option":value}}.',
    );
    return {};
  }
  const entries = Object.entries(value).filter((entry): entry is [string, Record<string, unknown>] => {
    if (isRecord(entry[1])) return true;
    report(`MCP_TOOL_OPTIONS["${entry[0]}"] is not an object of options and is ignored.`);
    return false;
  });
  return Object.fromEntries(entries);
}

/** Reports options for tools that a server does not have. */
export function reportUnknownTools(
  set: ToolOptionValues,
  tools: readonly ToolSpec[],
  report: (line: string) => void,
): void {
  const known = tools.flatMap(optionLookupNames);
  for (const name of Object.keys(set)) {
    if (known.includes(name)) continue;
    const meant = didYouMean(name, known);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    report(
      `MCP_TOOL_OPTIONS["${name}"] is for a tool that this server does not have, and is ignored.${hint}`,
    );
  }
}

/** Reports options that tools do not declare. They are passed on, but are probably misspelt. */
export function reportUnknownOptions(
  set: ToolOptionValues,
  tools: readonly ToolSpec[],
  report: (line: string) => void,
): void {
  for (const [key, options] of Object.entries(set)) {
    const meant = tools.filter((tool) => keyFor(tool, set) === key);
    const declared = meant.map((tool) => Object.keys(tool.options));
    // A tool that declares no options may still accept some.
    if (declared.some((names) => names.length === 0)) continue;
    const known = new Set(declared.flat());
    if (known.size === 0) continue;
    for (const option of Object.keys(options)) {
      if (known.has(option)) continue;
      const close = didYouMean(option, known);
      const hint = close ? `Did you mean "${close}"?` : `It declares: ${[...known].join(', ')}.`;
      report(`MCP_TOOL_OPTIONS["${key}"] sets "${option}", which the tool does not declare. ${hint}`);
    }
  }
}

/** Names that a tool's options are looked up by; the first existing name wins. */
function optionLookupNames({ item, name, definition }: ToolSpec): readonly string[] {
  return [item, name, definition.item];
}

/** The name that the user set a tool's options by; undefined without options. */
function keyFor(tool: ToolSpec, set: ToolOptionValues): string | undefined {
  return optionLookupNames(tool).find((name) => Object.hasOwn(set, name));
}

/** A tool's options: the user's values over its defaults, by its qualified, wire or item name. */
export function findToolOptions(tool: ToolSpec, set: ToolOptionValues): Readonly<Record<string, unknown>> {
  const key = keyFor(tool, set);
  return key === undefined ? tool.options : { ...tool.options, ...set[key] };
}
