import { type Command, Option } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';
import { collect, positiveSeconds } from '../../shared/grammar/option-values.js';
import type { FixMode } from './fixing.js';
import { validateFormats } from './formats.js';

/** Adds `validate`. */
export function defineValidate(program: Command, { host, answer, command }: CommandContext): void {
  const validate = program
    .command('validate')
    .alias('validate-extension')
    .summary('check extension packages and MCP servers')
    .description(
      'Checks extension packages, and existing MCP servers in any language, and reports each problem with its location.',
    )
    .argument(
      '[path...]',
      'package folders, patterns of them, or existing MCP servers: npm:name, https://…, -- <command…>; else this folder',
    )
    .addOption(
      new Option('--format <format>', 'how to report')
        .choices(Object.keys(validateFormats))
        .default('pretty'),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--strict', 'warnings fail too')
    .option('--workspaces', 'check the extensions among the workspaces of npm, pnpm or Yarn')
    .option('--no-load', 'never run code of the extension')
    .option('--boot', 'start each server and speak MCP to it')
    .option('--no-initialize', 'with --boot: do not run initialize hooks')
    .option('--release', 'the version must have the step that the changes since the last release need')
    .option('--resolve', 'references to other packages must resolve')
    .option(
      '--clients <ids>',
      'check for these clients: ids, all, or installed; repeatable, comma-separated',
      collect,
      [],
    )
    .option('--budget [tokens]', 'count the tokens that tools need; fail over this number', tokenBudget)
    .option(
      '--rule <code=level>',
      'set a rule to off, warn or error; repeatable, comma-separated',
      collect,
      [],
    )
    .option(
      '--baseline <file>',
      'report only what is not in this file; a missing file is written and the run passes',
    )
    .option('--update-baseline', 'write the baseline again')
    .option('--fix', 'change data files where a problem has one right answer')
    .option('--dry-run', 'print the changes of --fix as a diff instead of making them')
    .option(
      '--timeout <seconds>',
      'longest time a module may take to load, and an existing server to answer',
      positiveSeconds,
      10,
    );
  addInputOptions(validate).action(
    async (paths: string[], { json, format, rule, timeout, clients, budget, ...flags }) => {
      const input = {
        paths,
        format: json ? 'json' : format,
        strict: flags.strict ?? false,
        load: flags.load,
        boot: flags.boot ?? false,
        initialize: flags.initialize,
        release: flags.release ?? false,
        resolve: flags.resolve ?? false,
        ruleSettings: rule,
        clientWords: clients,
        workspaces: flags.workspaces ?? false,
        baseline: flags.baseline,
        updateBaseline: flags.updateBaseline ?? false,
        fix: fixMode(flags),
        budget: budget === undefined ? undefined : { tokens: budget === true ? undefined : budget },
        timeoutMs: timeout * 1000,
        command,
        existing: serverInput(validate),
      };
      requireConsent(input);
      const { validateCommand } = await import('./run.js');
      answer(await validateCommand(input, host));
    },
  );
}

/** @throws AgentToolsError `usage` */
function tokenBudget(text: string): number {
  const tokens = Number(text.replaceAll(/[,_]/g, ''));
  if (Number.isInteger(tokens) && tokens > 0) return tokens;
  throw new AgentToolsError(
    'usage',
    `--budget ${text} is not a number of tokens. Give a number such as 8000.`,
  );
}

/** @throws AgentToolsError `usage` for `--dry-run` without `--fix`, or with an option that writes */
function fixMode({
  fix = false,
  dryRun = false,
  updateBaseline = false,
}: {
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly updateBaseline?: boolean;
}): FixMode | undefined {
  if (dryRun && updateBaseline)
    throw new AgentToolsError('usage', '--dry-run and --update-baseline cannot be combined.');
  if (dryRun && !fix)
    throw new AgentToolsError('usage', '--dry-run shows the changes of --fix. Add --fix, or leave it out.');
  return fix ? (dryRun ? 'propose' : 'write') : undefined;
}

/** Rejects `--no-load` together with `--boot`, which runs code. @throws AgentToolsError `usage` */
function requireConsent({ load, boot }: { readonly load: boolean; readonly boot: boolean }): void {
  if (load || !boot) return;
  const message = '--boot runs code of the extension, and --no-load forbids that. Leave one of them out.';
  throw new AgentToolsError('usage', message);
}
