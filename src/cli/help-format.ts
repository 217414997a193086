import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { packageRoot } from '../engine/base/folders.js';
import type { Host } from '../host.js';
import { hyperlink, showsHyperlinks } from './shared/text/hyperlink.js';
import { styleFor } from './shared/text/style.js';

const standardHelp = new Help();

/** Layout and colours of the help. Commander removes the colours where the output takes none. */
export const helpFormat: HelpConfiguration = {
  showGlobalOptions: true,
  subcommandTerm: (command) => withAliases(standardHelp.subcommandTerm(command), command),
  commandUsage: (command) => withAliases(standardHelp.commandUsage(command), command),
  optionDescription,
  styleTitle: (text) => styleFor({ color: true }).bold(text),
  styleCommandText: (text) => styleFor({ color: true }).cyan(text),
  styleSubcommandText: (text) => styleFor({ color: true }).cyan(text),
  styleOptionText: (text) => styleFor({ color: true }).green(text),
  styleArgumentText: (text) => styleFor({ color: true }).yellow(text),
};

/** Shows all aliases of a command; Commander shows only the first. */
function withAliases(text: string, command: Command): string {
  const names = command.aliases();
  return names.length > 1 ? text.replace(`|${names[0]}`, `|${names.join('|')}`) : text;
}

/** Omits the default of repeatable options, an empty list. */
function optionDescription(option: Option): string {
  return Array.isArray(option.defaultValue) ? option.description : standardHelp.optionDescription(option);
}

const maxExamples = 3;

/** Adds the examples of its page, and a link to the page, to the help of a command and its subcommands. */
export function addPageHelp(command: Command, host: Host, page = command.name()): void {
  command.addHelpText('after', () => {
    const file = pageFile(page);
    const examples = examplesOf(command, page);
    const title = styleFor(host).bold;
    const docs = `agenttools help ${page}`;
    const link = showsHyperlinks(host) ? hyperlink(docs, pathToFileURL(file).href) : docs;
    const shown = examples.map((line) => `  ${line}\n`).join('');
    return `${shown && `\n${title('Examples:')}\n${shown}`}\n${title('Docs:')} ${link}`;
  });
  for (const subcommand of command.commands) addPageHelp(subcommand, host, page);
}

function pageFile(page: string): string {
  return path.join(packageRoot(), 'docs', 'commands', `${page}.md`);
}

/** Example command lines of a command from its docs page. */
export function examplesOf(command: Command, page: string): readonly string[] {
  const start = `agenttools ${command.parent?.parent ? `${page} ` : ''}${command.name()}`;
  return findExamples(readPage(pageFile(page)), start);
}

function readPage(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Command lines of the first block below "Examples". */
function findExamples(page: string, start: string): readonly string[] {
  const [, block = ''] = /^## Examples\n+(?:(?!```|## ).*\n)*```\w*\n(.*?)^```$/ms.exec(page) ?? [];
  const lines = block.split('\n').filter((line) => line !== '');
  const own = lines.filter((line) => line.includes(start));
  return (own.length > 0 ? own : lines).slice(0, maxExamples);
}
