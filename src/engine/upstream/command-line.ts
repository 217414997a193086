import { accessSync } from 'node:fs';
import path from 'node:path';
import { ToolError } from '../runtime/result-builders.js';

/** Arguments of `spawn`. `isVerbatim`: true if the arguments are already quoted for Windows. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly isVerbatim: boolean;
}

export interface CommandLineOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns the command line that starts a program without a shell. On Windows, batch files such as `npx` need `cmd.exe`.
 * @throws ToolError if `cmd.exe` would change an argument
 */
export function commandLine(
  command: string,
  args: readonly string[],
  { env, platform }: CommandLineOptions,
): CommandLine {
  if (platform !== 'win32') return { command, args, isVerbatim: false };
  const file = findProgram(command, env) ?? command;
  if (!/\.(?:cmd|bat)$/i.test(file)) return { command: file, args, isVerbatim: false };
  const unsafe = [file, ...args].find((part) => /["%\r\n]/.test(part));
  if (unsafe !== undefined) {
    throw new ToolError(
      `The program "${command}" is a batch file, and cannot be given an argument with a quote, a percent sign or a line break. Name the program that it starts, such as "node" with its script.`,
    );
  }
  const quoted = [file, ...args].map((part) => `"${part}"`).join(' ');
  // With /s, `cmd.exe` removes the outer quotes and runs the rest unchanged.
  return {
    command: readVariable(env, 'COMSPEC') ?? 'cmd.exe',
    args: ['/d', '/v:off', '/s', '/c', `"${quoted}"`],
    isVerbatim: true,
  };
}

/** Finds the file of a command on the PATH. */
function findProgram(command: string, env: CommandLineOptions['env']): string | undefined {
  const endings = (readVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const folders = path.win32.isAbsolute(command) ? [''] : (readVariable(env, 'PATH') ?? '').split(';');
  const hasEnding = path.win32.extname(command) !== '';
  const names = hasEnding ? [command] : endings.map((ending) => command + ending);
  const files = folders.flatMap((folder) =>
    names.map((name) => (folder ? path.win32.join(folder, name) : name)),
  );
  return files.find(canAccess);
}

function canAccess(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}

/** Reads a variable. Its name is not case-sensitive on Windows. */
function readVariable(env: CommandLineOptions['env'], name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
