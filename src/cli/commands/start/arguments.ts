import { AgentToolsError } from '../../../engine/base/errors.js';
import type { ItemChoices } from '../../../engine/bridge/existing-resolver.js';
import { type Adapt, readAdapt } from '../../../engine/runtime/adapt.js';
import type { FrozenExtent } from '../../../engine/surface/surface-gate.js';
import type { SandboxInput } from '../../shared/grammar/sandbox-options.js';

/** Options of `start`, for both its parser and its help. */
export const startOptions: readonly StartOption[] = [
  { flag: '--strict', description: 'refuse to start if an item has to be skipped' },
  {
    flag: '--project',
    description:
      'look in the project at the working directory first, also when MCP_SERVER_NAME names the same server',
  },
  {
    flag: '--no-auto-install',
    description: 'do not install missing packages; else they are installed on first use',
  },
  {
    flag: '--frozen',
    description:
      'serve nothing that has changed since it was recorded, and refuse changed packages; implies --no-auto-install',
  },
  {
    flag: '--frozen-server',
    description: 'like --frozen, but serve no item at all if one has changed',
  },
  {
    flag: '--adapt',
    value: '[mode]',
    description:
      'change tools so that the client can use them whole; --adapt=auto, the default, changes only tools that it would lose',
  },
  {
    flag: '--in-process',
    description:
      'run code of extensions in the process of the server, not in an extension host; for debugging',
  },
  { flag: '--verbose', description: 'show the stack of an internal error' },
];

interface StartOption {
  readonly flag: string;
  /** Name of its optional value, in brackets. */
  readonly value?: string;
  readonly description: string;
}

export interface StartInput {
  readonly server: string | undefined;
  readonly strict: boolean;
  readonly project: boolean;
  readonly autoInstall: boolean;
  /** Extent of a refusal if the surface differs from its record; undefined: nothing is refused. */
  readonly frozen: FrozenExtent | undefined;
  readonly inProcess: boolean;
  /** Default: the sandbox that the server declares. */
  readonly sandbox?: SandboxInput;
  /** Adaptation of tools to clients. Undefined: the choice of the server. */
  readonly adapt?: Adapt | undefined;
  /** Command of an existing server. */
  readonly command?: readonly string[];
  /** Options for existing servers. */
  readonly existing?: ExistingInput;
}

/** Options of `start` for existing servers. */
export interface ExistingInput {
  /** `NAME=value`, or `NAME` alone. */
  readonly env: readonly string[];
  /** `name=value` of an input, or an argument. */
  readonly args: readonly string[];
  /** `Name: value` */
  readonly headers: readonly string[];
  /** `name=VARIABLE`: inputs and arguments from the environment. */
  readonly argVariables: readonly string[];
  /** `Name=VARIABLE`: headers from the environment. */
  readonly headerVariables: readonly string[];
  readonly transport: 'http' | 'sse' | undefined;
  readonly mcpRegistry: string | undefined;
  readonly choices: ItemChoices;
  /** The given options that only existing servers take: `--env`. */
  readonly flags: readonly string[];
}

/** Options of `start` that only the full grammar reads. */
const fullGrammar =
  /^(?:-h|--(?:help|http|env|arg|arg-env|header|header-env|transport|mcp-registry|only|except|prefix|rename|catalog|sandbox|no-sandbox|allow-(?:read|write|net|run|env))(?:=.*)?)$/;

/**
 * Parses the words after `start`; undefined for `--help`, `--http` and the options of existing servers, which need the full
 * grammar. Clients
 * start servers often, and loading a command-line parser would take most of the start time.
 * @throws AgentToolsError `usage`
 */
export function parseStartArguments(words: readonly string[]): StartInput | undefined {
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  const after = end === -1 ? [] : words.slice(end + 1);
  const options = before.filter((word) => word.startsWith('-') && word !== '-');
  if (options.some((word) => fullGrammar.test(word))) return undefined;

  const unknown = options.find((word) => !isStartFlag(word));
  if (unknown !== undefined) throw new AgentToolsError('usage', unknownOption(unknown));
  const named = before.filter((word) => !options.includes(word));
  const command = named.length === 0 && after.length > 1 ? after : undefined;
  const [server, excess] = command ? [] : [...named, ...after];
  if (excess !== undefined) {
    const isMode = words[words.indexOf('--adapt') + 1] === excess && words.includes('--adapt');
    const hint = isMode ? ` For the mode of the adaptation, write --adapt=${excess}.` : '';
    throw new AgentToolsError('usage', `start serves one server, but "${excess}" is a second one.${hint}`);
  }
  return startInput({
    server,
    ...(command && { command }),
    strict: options.includes('--strict'),
    project: options.includes('--project'),
    autoInstall: !options.includes('--no-auto-install'),
    frozen: frozenExtent({
      frozen: options.includes('--frozen'),
      frozenServer: options.includes('--frozen-server'),
    }),
    inProcess: options.includes('--in-process'),
    adapt: readAdapt(options.findLast((word) => /^--adapt(?:=|$)/.test(word))?.replace(/^--adapt=?/, '')),
  });
}

/** The extent that `--frozen` and `--frozen-server` choose. */
export function frozenExtent({
  frozen,
  frozenServer,
}: {
  readonly frozen: boolean;
  readonly frozenServer: boolean;
}): FrozenExtent | undefined {
  if (frozenServer) return 'server';
  return frozen ? 'item' : undefined;
}

/** Checks the input of `start`. @throws AgentToolsError `usage` if the server is an empty string. */
export function startInput(input: StartInput): StartInput {
  if (input.server === '') throw new AgentToolsError('usage', 'The server of start is an empty word.');
  return input;
}

function isStartFlag(word: string): boolean {
  return startOptions.some(({ flag, value }) => flag === word || (value && word.startsWith(`${flag}=`)));
}

function unknownOption(word: string): string {
  const known = startOptions.map(({ flag }) => flag).join(', ');
  return `start has no option "${word}". Its options: ${known}. For the options with --http, see "agenttools start --help".`;
}
