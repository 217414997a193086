import type { Host } from '../../../host.js';
import { listTopics, readTopic } from '../../shared/docs-pages.js';
import { ExitCode } from '../../shared/exit-code.js';
import type { Command } from '../../shared/grammar/command-context.js';
import { terminalWidth } from '../../shared/terminal-width.js';
import { renderMarkdown } from '../../shared/text/markdown.js';
import { renderTopics } from './text.js';

export interface HelpInput {
  /** Default: the list of topics. */
  readonly topic: string | undefined;
  readonly program: Command;
}

/** Shows a page of the documentation, or the commands and topics. */
export async function helpCommand({ topic, program }: HelpInput, host: Host): Promise<ExitCode> {
  const options = { color: host.color, width: terminalWidth(host.stdout) };
  if (topic === undefined) {
    const topics = (await listTopics()).filter(({ kind }) => kind === 'guide');
    host.stdout.write(`${program.helpInformation()}\n${renderTopics(topics, options)}`);
    return ExitCode.Ok;
  }
  const command = program.commands.find((one) => one.aliases().includes(topic));
  const { text } = await readTopic(command?.name() ?? topic);
  host.stdout.write(renderMarkdown(text, options));
  return ExitCode.Ok;
}
