import type { Host } from '../../../host.js';
import type { Argument, Command, Option } from '../../shared/grammar/command-context.js';
import { type Candidate, type Given, valuesOf } from './values.js';

/** A command line up to the cursor. */
export interface SuggestInput {
  readonly words: readonly string[];
  readonly word: string;
  readonly program: Command;
}

/** Candidates for a word. Empty: file names, which the shell completes. Runs no code of extensions. */
export async function suggest(
  { words, word, program }: SuggestInput,
  host: Host,
): Promise<readonly Candidate[]> {
  // The command of a server.
  if (words.includes('--')) return [];
  const { command, rest } = findCommand(program, words);
  const { positional, flags, open } = readWords(command, rest);
  const given = { command: command.name(), positional, flags, word };
  if (open) return await valuesFor(open, given, host);
  const [, flag, start] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  const assigned = flag === undefined ? undefined : findOption(command, flag);
  if (assigned && start !== undefined) {
    const values = await valuesFor(assigned, { ...given, word: start }, host);
    return values.map(({ value, about }) => ({ value: `${flag}=${value}`, about }));
  }
  if (word.startsWith('-')) return optionCandidates(command, flags).filter(startsWith(word));
  if (command.commands.length > 0)
    return command.commands
      .map((one) => ({ value: one.name(), about: one.summary() }))
      .filter(startsWith(word));
  const argument = argumentAt(command, given);
  return argument ? await valuesFor(argument, given, host) : [];
}

const startsWith =
  (word: string) =>
  ({ value }: Candidate): boolean =>
    value.startsWith(word);

/** The command that the words name, and the words after it. */
function findCommand(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const name = words[at];
  const command = program.commands.find((one) => one.name() === name || one.aliases().includes(name ?? ''));
  return command && at !== -1 ? findCommand(command, words.slice(at + 1)) : { command: program, rest: words };
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag);
}

/** Separates arguments from options. `open`: the option that the next word is a value of. */
function readWords(command: Command, words: readonly string[]) {
  const positional: string[] = [];
  const flags: string[] = [];
  let open: Option | undefined;
  for (const word of words) {
    if (open) open = undefined;
    else if (!word.startsWith('-') || word === '-') positional.push(word);
    else {
      const [flag = ''] = word.split('=');
      flags.push(flag);
      const option = findOption(command, flag);
      open = option?.required && !word.includes('=') ? option : undefined;
    }
  }
  return { positional, flags, open };
}

function optionCandidates(command: Command, given: readonly string[]): readonly Candidate[] {
  const open = command.options.filter(
    ({ long, hidden, defaultValue }) =>
      long && !hidden && (!given.includes(long) || Array.isArray(defaultValue)),
  );
  return [
    ...open.map(({ long, description }) => ({ value: long!, about: description })),
    { value: '--help', about: 'show help' },
  ];
}

/** The argument at the cursor. With --all and --config, the first one is the server. */
function argumentAt(command: Command, { positional, flags }: Given): Argument | undefined {
  const { registeredArguments: all } = command;
  const hasNoClient = all[0]?.name() === 'client' && flags.some((flag) => /^--(?:all|config)$/.test(flag));
  const index = positional.length + (hasNoClient ? 1 : 0);
  return all[index] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
}

/** Values of an argument or of the value of an option, in the last part of a list with commas. */
async function valuesFor(place: Argument | Option, given: Given, host: Host): Promise<readonly Candidate[]> {
  const choices: readonly Candidate[] | undefined = place.argChoices?.map((value) => ({ value }));
  const name = 'flags' in place ? (/[<[]([^>\].]+)/.exec(place.flags)?.[1] ?? '') : place.name();
  const candidates = choices ?? (await valuesOf(name, given, host));
  const [, before = '', last = ''] = /^(.*,)?(.*)$/s.exec(given.word) ?? [];
  return candidates
    .filter(({ value }) => value.toLowerCase().startsWith(last.toLowerCase()))
    .map(({ value, about }) => ({ value: before + value, about }));
}
