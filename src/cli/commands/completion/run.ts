import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import type { Command } from '../../shared/grammar/command-context.js';
import { scripts } from './scripts.js';
import type { shells } from './shells.js';
import { suggest } from './suggest.js';

export interface CompletionInput {
  readonly shell: (typeof shells)[number];
  /** Words before the one to complete, without the name of the program. */
  readonly words: readonly string[];
  /** The typed part of the word to complete. */
  readonly word: string;
  /** All commands. */
  readonly program: Command;
}

/** Prints the script of a shell, or candidates with their descriptions, one per line. */
export async function completionCommand(
  { shell, words, word, program }: CompletionInput,
  host: Host,
): Promise<ExitCode> {
  if (shell !== 'suggest') {
    host.stdout.write(scripts[shell]);
    return ExitCode.Ok;
  }
  // A shell shows no error while the user types.
  const found = await suggest({ words, word, program }, host).catch(() => []);
  const lines = found.filter(({ value }) => !/[\s\p{Cc}]/u.test(value));
  for (const { value, about = '' } of lines)
    host.stdout.write(`${value}\t${about.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, 80)}\n`);
  return ExitCode.Ok;
}
