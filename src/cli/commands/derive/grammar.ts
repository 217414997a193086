import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { positiveSeconds } from '../../shared/grammar/option-values.js';

/** Adds `derive`. */
export function defineDerive(program: Command, { host, answer }: CommandContext): void {
  program
    .command('derive')
    .summary('derive schemas from types')
    .description(
      'Derives schemas, titles, descriptions and hints of tools from the types and doc comments of their functions, with a TypeScript compiler.',
    )
    .argument('[path]', 'the folder of a package', '.')
    .option('--check', 'write nothing, and fail if what is written is stale')
    .option('--fetch-compiler', 'fetch a TypeScript compiler if the package has none that can be used')
    .option('--timeout <seconds>', 'longest time for reading types', positiveSeconds, 60)
    .option('--json', 'print what was derived as JSON')
    .action(async (directory: string, { check = false, fetchCompiler = false, timeout, json = false }) => {
      const { deriveCommand } = await import('./run.js');
      answer(await deriveCommand({ directory, check, fetchCompiler, timeoutMs: timeout * 1000, json }, host));
    });
}
