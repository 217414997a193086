import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import type { ServerSpec } from '../runtime/compose-server.js';
import type { ToolSpec } from '../runtime/specs.js';
import type { ToolOptionValues } from '../runtime/tool-options.js';

/**
 * Reads settings such as `forecast.units="metric"`: split at the first `=`, then at the last dot before it. A
 * value is parsed as JSON if possible, else it is text.
 * @throws AgentToolsError `usage` for a malformed setting; `not-found` for an unknown tool or option.
 */
export function readToolSettings(
  settings: readonly string[],
  { registry, qualifiedName }: ServerSpec,
): ToolOptionValues {
  const tools = registry.all('tools');
  const options: Record<string, Record<string, unknown>> = {};
  for (const setting of settings) {
    const { toolName, option, value } = split(setting);
    const tool = tools.find(({ item, name, definition }) => [item, name, definition.item].includes(toolName));
    if (!tool)
      throw unknownNameError(
        `${qualifiedName} has no tool "${toolName}"`,
        toolName,
        tools.map(({ name }) => name),
      );
    requireOption(tool, option);
    options[tool.item] = { ...options[tool.item], [option]: value };
  }
  return options;
}

function split(setting: string): {
  readonly toolName: string;
  readonly option: string;
  readonly value: unknown;
} {
  const equals = setting.indexOf('=');
  const dot = setting.lastIndexOf('.', equals);
  if (equals === -1 || dot < 1 || dot === equals - 1) {
    throw new AgentToolsError('usage', `"${setting}" is not a tool option. Expected tool.option=value.`);
  }
  return {
    toolName: setting.slice(0, dot),
    option: setting.slice(dot + 1, equals),
    value: parseSettingValue(setting.slice(equals + 1)),
  };
}

function parseSettingValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function requireOption({ name, options }: ToolSpec, option: string): void {
  if (!Object.hasOwn(options, option))
    throw unknownNameError(`The tool "${name}" has no option "${option}"`, option, Object.keys(options));
}

function unknownNameError(problem: string, name: string, known: readonly string[]): AgentToolsError {
  const meant = didYouMean(name, known);
  const hint = meant ? `Did you mean "${meant}"?` : `It has: ${known.join(', ') || 'none'}.`;
  return new AgentToolsError('not-found', `${problem}. ${hint}`);
}
