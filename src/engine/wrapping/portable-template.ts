import path from 'node:path';
import { findProgram } from '../base/find-program.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  ProgramRunner,
  ProgramTemplate,
} from '../existing-servers/existing-server.js';
import { runnerArguments } from '../existing-servers/runner-arguments.js';

/** An npm package that an extension depends on. */
export type NpmProgram = Extract<ProgramRunner, { readonly by: 'npm' }>;

/** Command of a program that a dependency has. */
export const packageCommand = 'package';

interface PortableOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command of the running Node. */
  readonly node: string;
  /** Names of further variables that the server gets. */
  readonly names: readonly string[];
}

/** A server with a program that other machines find by its name, too. Looks nothing up that a start looks up. */
export async function makePortable(
  server: ExistingServer,
  options: PortableOptions,
): Promise<ExistingServer> {
  const { template } = server;
  if (template.kind !== 'program') return server;
  const { command, args } = await portableCommand(template, options);
  return {
    ...server,
    template: { ...template, runner: { by: 'command', command }, args: [...args, ...template.args] },
  };
}

type Command = { readonly command: string; readonly args: readonly ArgumentTemplate[] };

async function portableCommand({ runner, env }: ProgramTemplate, options: PortableOptions): Promise<Command> {
  switch (runner.by) {
    case 'npm':
      return { command: packageCommand, args: [] };
    case 'uvx':
    case 'docker':
    case 'dnx': {
      const names = new Set([...Object.keys(env), ...options.names]);
      return { command: runner.by, args: runnerArguments(runner, [...names]) };
    }
    case 'path':
      return { command: runner.names[0], args: [] };
    case 'command':
      return { command: await portableProgram(runner.command, options), args: [] };
  }
}

/** The name of a program on the PATH; other programs as they are. */
async function portableProgram(command: string, { env, node }: PortableOptions): Promise<string> {
  if (command === node) return 'node';
  if (!path.isAbsolute(command)) return command;
  const name = path.basename(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  if ((await findProgram(name, env)) !== command) return command;
  return name;
}
