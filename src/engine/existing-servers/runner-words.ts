import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { readServerReference, type ServerReference } from './server-reference.js';

type Words = readonly [string, ...string[]];

/** A program that fetches a package and runs it. */
interface PackageRunner {
  /** First words of its command. */
  readonly start: readonly string[];
  /** Prefix of references to its packages. */
  readonly scheme: 'npm' | 'pypi' | 'nuget';
  /** Options without a meaning for a package that is installed. */
  readonly ignored: readonly string[];
  /** Options that name the package. The next word is then the program. */
  readonly packageOptions: readonly string[];
  /** True if options after the package still belong to the runner, up to `--`. Default: false. */
  readonly readsOn?: boolean;
}

const npxOptions = {
  scheme: 'npm',
  ignored: ['-y', '--yes', '-q', '--quiet'],
  packageOptions: ['-p', '--package'],
} as const;

/**
 * Runners of packages.
 * @see https://docs.npmjs.com/cli/commands/npx, https://pnpm.io/cli/dlx, https://yarnpkg.com/cli/dlx,
 * https://bun.com/docs/pm/bunx, https://docs.astral.sh/uv/reference/cli/#uv-tool-run,
 * https://learn.microsoft.com/dotnet/core/tools/dotnet-tool-exec
 */
const packageRunners: readonly PackageRunner[] = [
  { start: ['npx'], ...npxOptions },
  { start: ['npm', 'exec'], ...npxOptions, readsOn: true },
  { start: ['npm', 'x'], ...npxOptions, readsOn: true },
  { start: ['pnpx'], ...npxOptions },
  { start: ['pnpm', 'dlx'], ...npxOptions },
  { start: ['yarn', 'dlx'], ...npxOptions },
  { start: ['bunx'], ...npxOptions },
  { start: ['uvx'], scheme: 'pypi', ignored: [], packageOptions: ['--from'] },
  { start: ['uv', 'tool', 'run'], scheme: 'pypi', ignored: [], packageOptions: ['--from'] },
  { start: ['dnx'], scheme: 'nuget', ignored: ['-y', '--yes'], packageOptions: [], readsOn: true },
];

/** A package that a command would fetch. */
interface FetchedPackage {
  readonly reference: ServerReference;
  /** Arguments of its program. */
  readonly args: readonly string[];
}

/** Result of reading a command line. */
interface RunnerWords {
  /** Name of the runner: `npx`. */
  readonly runner: string;
  /** Undefined if the command line has options that are not understood. */
  readonly fetched: FetchedPackage | undefined;
}

/** Reads the command line of a runner of packages; undefined for other commands. */
export function readPackageRunner([command, ...words]: Words): RunnerWords | undefined {
  const all = [programName(command), ...words];
  const runner = packageRunners.find(({ start }) => start.every((word, index) => all[index] === word));
  return runner && { runner: runner.start.join(' '), fetched: readFetched(runner, all) };
}

function readFetched(runner: PackageRunner, all: readonly string[]): FetchedPackage | undefined {
  const named = readOwnOptions(all.slice(runner.start.length), runner);
  if (!named) return undefined;
  const [first, ...rest] = named.rest;
  const args = runner.readsOn ? readTail(rest, runner) : rest;
  if (first === undefined || !args) return undefined;
  const text = named.name === undefined ? first : `${named.name}#${first}`;
  try {
    return { reference: readServerReference(`${runner.scheme}:${text}`), args };
  } catch (error) {
    // Runners also accept folders, URLs and repositories.
    if (error instanceof AgentToolsError) return undefined;
    throw error;
  }
}

interface OwnOptions {
  /** Package that an option names. */
  readonly name: string | undefined;
  readonly rest: readonly string[];
}

/** Options of the runner before the package; undefined if one is not understood. */
function readOwnOptions(
  words: readonly string[],
  { ignored, packageOptions }: PackageRunner,
): OwnOptions | undefined {
  const names: string[] = [];
  let index = 0;
  for (; words[index]?.startsWith('-'); index++) {
    const word = words[index]!;
    const [, option = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (word === '--') {
      index++;
      break;
    }
    if (ignored.includes(word)) continue;
    if (!packageOptions.includes(option)) return undefined;
    if (value === undefined) index++;
    names.push(value ?? words[index] ?? '');
  }
  return names.length > 1 ? undefined : { name: names[0], rest: words.slice(index) };
}

/** Words after the package without options of the runner; undefined if one is not understood. */
function readTail(words: readonly string[], { ignored }: PackageRunner): readonly string[] | undefined {
  const end = words.indexOf('--');
  const own = (end === -1 ? words : words.slice(0, end)).filter((word) => !ignored.includes(word));
  if (own.some((word) => word.startsWith('-'))) return undefined;
  return end === -1 ? own : [...own, ...words.slice(end + 1)];
}

/** Options of `docker run` without a value. All others have one. */
const switches: ReadonlySet<string> = new Set([
  '--detach',
  '--disable-content-trust',
  '--help',
  '--init',
  '--interactive',
  '--no-healthcheck',
  '--oom-kill-disable',
  '--privileged',
  '--publish-all',
  '--quiet',
  '--read-only',
  '--replace',
  '--rm',
  '--sig-proxy',
  '--tty',
]);

/**
 * Image of a `docker run` or `podman run`; undefined for other commands.
 * @see https://docs.docker.com/reference/cli/docker/container/run/
 */
export function readContainerImage([command, ...words]: Words): string | undefined {
  if (!/^(?:docker|podman)$/.test(programName(command))) return undefined;
  const start = words[0] === 'container' ? 1 : 0;
  if (words[start] !== 'run') return undefined;
  for (let index = start + 1; index < words.length; index++) {
    const word = words[index]!;
    if (!word.startsWith('-')) return word;
    if (word === '--') return words[index + 1];
    const isWhole = switches.has(word) || /^--[^=]+=/.test(word) || /^-[itdPq]+$/.test(word);
    // `-eNAME` holds its value, too.
    if (!isWhole && !/^-[^-]./.test(word)) index++;
  }
  return undefined;
}

/** Name of a program without folder and ending. */
export function programName(command: string): string {
  return path
    .basename(command.replaceAll('\\', '/'))
    .replace(/\.(?:cmd|exe|bat|ps1)$/i, '')
    .toLowerCase();
}
