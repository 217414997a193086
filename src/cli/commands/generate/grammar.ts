import { Argument, type Command, Option } from 'commander';
import { kinds, singular } from '../../../engine/extension/item-kinds.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `generate`. */
export function defineGenerate(program: Command, { host, answer }: CommandContext): void {
  program
    .command('generate')
    .summary('add an item to an extension')
    .description(
      'Adds an item to an extension: its definition, its declaration and a test case. All of it validates.',
    )
    .addArgument(new Argument('<kind>', 'kind of item').choices(kinds.map((kind) => singular[kind])))
    .argument('<name>', 'name of the item')
    .option('--path <folder>', 'folder of the package; default: the current folder')
    .addOption(
      new Option(
        '--ts',
        'a source of TypeScript; default if tsconfig.json compiles to the definitions',
      ).conflicts('js'),
    )
    .option('--js', 'data, with the handler in JavaScript; the default otherwise')
    .option('--json', 'print what was written as JSON')
    .action(async (kind, name, { path = '.', ts, js, json = false }) => {
      const { generateCommand } = await import('./run.js');
      const language = ts ? 'typescript' : js && 'javascript';
      answer(await generateCommand({ kind, name, path, language, json }, host));
    });
}
