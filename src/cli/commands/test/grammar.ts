import { type Command, Option } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';
import { testReporters } from './reporters.js';

/** Adds `test`. */
export function defineTest(program: Command, { host, answer, command }: CommandContext): void {
  const test = program
    .command('test')
    .summary('run the test cases of an extension, and compare its surface')
    .description(
      'Runs the case files (*.case.json) of an extension against its servers, and compares everything that clients see with agenttools.surface.json.',
    )
    .argument(
      '[path...]',
      'package folders, patterns of them, or an existing MCP server: npm:name, https://…, -- <command…>; else this folder',
    )
    .option('--workspaces', 'test the extensions among the workspaces of npm, pnpm or Yarn')
    .option('-t, --filter <pattern>', 'run only cases whose name or file matches this regular expression')
    .option('-u, --update', 'write the snapshots instead of comparing with them')
    .addOption(
      new Option('--reporter <name>', 'how to report').choices(Object.keys(testReporters)).default('pretty'),
    )
    .addOption(new Option('--json', 'the same as --reporter json').conflicts('reporter'))
    .option('-w, --watch', 'run again after each change, until Ctrl+C')
    .option('--server <name>', 'test only this server of the package')
    .option(
      '--cases <folder>',
      'folder of the case files and the snapshot; default: the package, or this folder',
    )
    .option(
      '--against <version|file|none>',
      'compare with this published version or snapshot file; default: the last published version',
    );
  addInputOptions(test).action(async (paths: string[], { json, reporter, filter, ...flags }) => {
    const { testCommand } = await import('./run.js');
    const input = {
      paths,
      workspaces: flags.workspaces ?? false,
      command,
      filter,
      update: flags.update ?? false,
      reporter: json ? ('json' as const) : reporter,
      watch: flags.watch ?? false,
      server: flags.server,
      cases: flags.cases,
      against: flags.against,
      existing: serverInput(test),
    };
    answer(await testCommand(input, host));
  });
}
