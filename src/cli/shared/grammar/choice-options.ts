import type { Command, OptionValues } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { ItemChoices } from '../../../engine/bridge/existing-resolver.js';
import { isWireName } from '../../../engine/extension/names.js';
import { existingOption, repeatableExistingOption } from './existing-options.js';
import { collect } from './option-values.js';

/** Adds the options that choose and name the tools of an existing server. */
export function addChoiceOptions(command: Command): Command {
  return command
    .addOption(repeatableExistingOption('--only <tools>', 'serve these tools alone').argParser(collect))
    .addOption(repeatableExistingOption('--except <tools>', 'omit these tools').argParser(collect))
    .addOption(existingOption('--prefix <text>', 'put this before each tool name'))
    .addOption(repeatableExistingOption('--rename <tool=name>', 'serve a tool by another name'))
    .addOption(existingOption('--catalog', 'list three tools that find, describe and call the others'));
}

const expected = 'Expected letters, digits, "_", "." and "-", at most 128.';

/** Reads the options. @throws AgentToolsError `usage` */
export function choiceInput({ only, except, prefix, rename, catalog }: OptionValues): ItemChoices {
  const renamed = (rename as readonly string[]).map((word) => {
    const [, theirs, ours] = /^([^=]+)=([^=]+)$/.exec(word) ?? [];
    if (theirs === undefined || ours === undefined)
      throw new AgentToolsError('usage', `"${word}" renames no tool. Expected: --rename search=find_letters`);
    if (!isWireName(ours))
      throw new AgentToolsError('usage', `Clients refuse the name "${ours}" of --rename. ${expected}`);
    return [theirs, ours] as const;
  });
  for (const [option, names] of Object.entries({ only, except })) {
    if (names.includes('')) throw new AgentToolsError('usage', `--${option} has an empty name of a tool.`);
  }
  if (prefix !== undefined && !isWireName(prefix))
    throw new AgentToolsError('usage', `Clients refuse names that begin with "${prefix}". ${expected}`);
  return {
    ...(only.length > 0 && { only }),
    ...(except.length > 0 && { except }),
    ...(prefix !== undefined && { prefix }),
    ...(renamed.length > 0 && { rename: Object.fromEntries(renamed) }),
    ...(catalog === true && { toolList: 'catalog' as const }),
  };
}
