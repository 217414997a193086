import { type Adapt, adaptVariable, isAdapt } from './adapt.js';
import type { ComposeOptions, ToolList } from './compose-server.js';

/** The choices of the user in variables: `AGENTTOOLS_TOOL_LIST` and `AGENTTOOLS_ADAPT`. */
export function readToolListVariables(
  env: Readonly<Record<string, string | undefined>>,
  report: (line: string) => void,
): ComposeOptions {
  const { AGENTTOOLS_TOOL_LIST: toolList, [adaptVariable]: adapt } = env;
  const ignore = (name: string, value: string, expected: string) => {
    report(`${name} is "${value}" and is ignored. Expected ${expected}.`);
    return undefined;
  };
  return {
    toolList: isToolList(toolList)
      ? toolList
      : toolList && ignore('AGENTTOOLS_TOOL_LIST', toolList, '"all" or "catalog"'),
    adapt: isAdapt(adapt) ? adapt : adapt && ignore(adaptVariable, adapt, '"auto", "on" or "off"'),
  } as { toolList: ToolList | undefined; adapt: Adapt | undefined };
}

function isToolList(value: unknown): value is ToolList {
  return value === 'all' || value === 'catalog';
}
