import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { statFile } from '../base/files/disk.js';
import { findProgram, isExecutable } from '../base/find-program.js';
import type { ArgumentTemplate, ExistingServer, ServerInput } from './existing-server.js';
import { inputsOfPlaces, readPlaces, shownWords } from './hide-secrets.js';
import { readNpmFolder } from './npm-folder-words.js';
import { programName, readContainerImage, readPackageRunner } from './runner-words.js';
import { imageName, shortServerName } from './server-name.js';
import { formatReference, type ServerReference } from './server-reference.js';
import { isPinnedImage, unpinnedImage } from './unpinned.js';

export interface CommandLookup {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves a package that a runner names. */
  readonly resolve: (reference: ServerReference) => Promise<ExistingServer>;
  /** True if absolute paths need no note. Default: false. */
  readonly hasOwnPaths?: boolean;
}

type Words = readonly [string, ...string[]];

/**
 * Resolves a command. A package that `npx` or `uvx` would fetch becomes that package, so that nothing is fetched at the
 * start. Paths become absolute, since clients start programs in other folders.
 * @throws AgentToolsError if the program is missing
 */
export async function resolveCommand(words: Words, lookup: CommandLookup): Promise<ExistingServer> {
  const read = readPackageRunner(words);
  const fetched = read ? read.fetched : await readNpmFolder(words);
  if (fetched) {
    const server = await lookup.resolve(fetched.reference);
    return withArguments(server, readArguments(fetched.args, lookup));
  }
  const [command, ...rest] = words;
  const file = await locateProgram(command, lookup);
  const { args, inputs, notes } = readArguments(rest, lookup);
  return {
    source: 'command',
    reference: words.join(' '),
    name: nameOfCommand(words),
    inputs,
    template: { kind: 'program', runner: { by: 'command', command: file }, args, env: {} },
    notes: [...notes, ...(read ? [fetchingNote(read.runner)] : []), ...imageNotes(words)],
  };
}

/** Reference of the server that {@link resolveCommand} makes of a command, without a version that it finds out. */
export function referenceOfCommand(words: readonly string[]): string {
  const [command, ...args] = words;
  const read = command === undefined ? undefined : readPackageRunner([command, ...args]);
  const fetched = read?.fetched && formatReference(read.fetched.reference);
  return fetched ?? shownWords(words);
}

function fetchingNote(runner: string): string {
  return `${runner} may fetch packages at each start, since its options are not understood.`;
}

function imageNotes(words: Words): readonly string[] {
  const image = readContainerImage(words);
  return image === undefined || isPinnedImage(image) ? [] : [unpinnedImage(image)];
}

interface CommandArguments {
  readonly args: readonly ArgumentTemplate[];
  /** Inputs that the arguments have places for. */
  readonly inputs: readonly ServerInput[];
  readonly notes: readonly string[];
}

/** Arguments of a command, with absolute paths. */
function readArguments(
  words: readonly string[],
  { cwd, hasOwnPaths = false }: Pick<CommandLookup, 'cwd' | 'hasOwnPaths'>,
): CommandArguments {
  const absolute = words.map((word) => absolutePath(word, cwd));
  const changed = words.filter((word, index) => !hasOwnPaths && word !== absolute[index]);
  return {
    args: absolute.map((word) => ({ words: [readPlaces(word)] })),
    inputs: inputsOfPlaces(words),
    notes: changed.map(
      (word) =>
        `${word} is written as ${path.resolve(cwd, word)}, since clients start servers in other folders.`,
    ),
  };
}

/** Adds arguments to a program. */
function withArguments(server: ExistingServer, { args, inputs, notes }: CommandArguments): ExistingServer {
  const { template } = server;
  if (template.kind !== 'program' || args.length === 0) return server;
  return {
    ...server,
    inputs: [...server.inputs, ...inputs],
    template: { ...template, args: [...template.args, ...args] },
    notes: [...server.notes, ...notes],
  };
}

async function locateProgram(command: string, { cwd, env }: CommandLookup): Promise<string> {
  const isPath = /[\\/]/.test(command);
  const file = isPath ? path.resolve(cwd, command) : await findProgram(command, env);
  if (file !== undefined && (!isPath || (await isExecutable(file)))) return file;
  const why = isPath
    ? statFile(file!) === undefined
      ? 'does not exist'
      : 'is not executable'
    : 'is not on the PATH';
  throw new AgentToolsError('not-found', `The program ${command} ${why}. Give the path of the program.`);
}

/** An argument that names a file or folder in the current folder becomes absolute. */
function absolutePath(word: string, cwd: string): string {
  const looksLikePath = !word.startsWith('-') && /[./\\]/.test(word) && !path.isAbsolute(word);
  return looksLikePath && !/^[a-z]+:\/\//i.test(word) && statFile(path.resolve(cwd, word)) !== undefined
    ? path.resolve(cwd, word)
    : word;
}

/** The script of an interpreter, the image of a container, else the program. */
function nameOfCommand([command, ...args]: Words): string {
  const image = readContainerImage([command, ...args]);
  if (image !== undefined) return imageName(image);
  const plain = args.filter((word) => !word.startsWith('-'));
  const script = plain.find((word) => /\.(?:[cm]?[jt]s|py|rb|sh|php|jar|dll)$/.test(word));
  if (script === undefined) return shortServerName(programName(command));
  const base = path.basename(script).replace(/\.\w+$/, '');
  const isGeneral = /^(?:index|main|server|cli|start|mcp)$/.test(base);
  return shortServerName(
    isGeneral ? path.basename(path.dirname(path.resolve('/server', script))) || base : base,
  );
}
