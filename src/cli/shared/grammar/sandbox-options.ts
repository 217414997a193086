import type { Command, OptionValues } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { checkSandbox } from '../../../engine/extension/check-sandbox.js';
import type { WrittenSandbox } from '../../../engine/extension/declared-sandbox.js';
import { isSandboxLevel, type SandboxLevel, sandboxLevels } from '../../../engine/sandbox/levels.js';
import { collectVerbatim } from './option-values.js';

/** The sandbox that the options choose. */
export interface SandboxInput {
  readonly use: 'always' | 'declared' | 'never';
  /** Default: the strongest one. */
  readonly level?: SandboxLevel | undefined;
  /** Permissions as given. */
  readonly allowed: WrittenSandbox;
}

/** Value of `--sandbox` without a level. */
export const strongest = 'strongest';

/** Adds the options that run a server in a sandbox. */
export function addSandboxOptions(command: Command): Command {
  return command
    .option(
      '--sandbox [level]',
      `run code of the server in a sandbox, which permits what the server declares and --allow-…; levels: ${sandboxLevels.join(', ')}`,
    )
    .option('--no-sandbox', 'run it without the sandbox that it declares')
    .option('--allow-read <path>', 'sandbox: a file or folder to read; repeatable', collectVerbatim, [])
    .option(
      '--allow-write <path>',
      'sandbox: a file or folder to read and write; repeatable',
      collectVerbatim,
      [],
    )
    .option('--allow-net <host>', 'sandbox: a host to reach; repeatable', collectVerbatim, [])
    .option('--allow-run <program>', 'sandbox: a program to start; repeatable', collectVerbatim, [])
    .option('--allow-env <name>', 'sandbox: a variable to read; repeatable', collectVerbatim, []);
}

/** Reads the options. A permission alone asks for a sandbox, too. @throws AgentToolsError `usage` */
export function sandboxInput(options: OptionValues): SandboxInput {
  const { sandbox, allowRead: read, allowWrite: write, allowNet, allowRun, allowEnv } = options;
  const allowed = { files: { read, write }, network: allowNet, run: allowRun, env: allowEnv };
  const isPermitted = [read, write, allowNet, allowRun, allowEnv].some((list) => list.length > 0);
  if (isPermitted && sandbox === false)
    throw new AgentToolsError(
      'usage',
      'Options such as --allow-read permit something to a sandbox, and --no-sandbox leaves it out.',
    );
  const [fault] = checkSandbox(allowed);
  if (fault) {
    const [key, index] = fault.path as [keyof typeof allowed, number];
    const given = JSON.stringify((allowed[key] as readonly string[])[index]);
    throw new AgentToolsError('usage', `${permissionFlags[key]} ${given} is not ${fault.expected}.`);
  }
  const isWanted = sandbox !== undefined || isPermitted;
  const use = sandbox === false ? 'never' : isWanted ? 'always' : 'declared';
  return { use, level: readLevel(sandbox), allowed };
}

const permissionFlags = {
  files: '--allow-read',
  network: '--allow-net',
  run: '--allow-run',
  env: '--allow-env',
} as const;

/** The level after `--sandbox=`. @throws AgentToolsError `usage` */
function readLevel(value: unknown): SandboxLevel | undefined {
  if (typeof value !== 'string' || value === strongest) return undefined;
  if (isSandboxLevel(value)) return value;
  throw new AgentToolsError('usage', `--sandbox is ${sandboxLevels.join(' or ')}, not "${value}".`);
}
