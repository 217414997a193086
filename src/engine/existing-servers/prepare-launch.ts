import { AgentToolsError } from '../base/errors.js';
import { findProgram } from '../base/find-program.js';
import { looksSecret } from '../base/looks-secret.js';
import { parseUrl } from '../base/parse-url.js';
import type {
  ArgumentTemplate,
  BundleContent,
  ExistingServer,
  InputValues,
  ProgramRunner,
  ProgramTemplate,
  RemoteTemplate,
  RemoteTransport,
  TextTemplate,
} from './existing-server.js';
import {
  assignInputs,
  completeInputs,
  type GivenOptions,
  isSecretHeader,
  type PathBase,
} from './given-inputs.js';
import { shownUrl } from './hide-secrets.js';
import { runnerArguments } from './runner-arguments.js';

/** A server with all its inputs, ready for a client to start or reach. */
export type PreparedLaunch = PreparedProgram | PreparedRemote;

export interface PreparedProgram {
  readonly kind: 'program';
  /** Absolute path, except for a program that is looked up on the PATH of the client. */
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments, with places such as `{arg:token}` for secrets of the user. */
  readonly shownArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables with secrets. */
  readonly secretNames: readonly string[];
  /** Names of declared secrets in the arguments. */
  readonly secretArguments: readonly string[];
  readonly cwd?: string;
}

export interface PreparedRemote {
  readonly kind: 'remote';
  readonly url: string;
  /** Absent: unknown until the server is asked. */
  readonly transport?: RemoteTransport;
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers with secrets. */
  readonly secretNames: readonly string[];
  /** Names of declared secrets in the URL. */
  readonly secretArguments: readonly string[];
}

/** Command line of a program, and the arguments before the server's arguments. */
interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
}

export interface PrepareOptions {
  readonly given: GivenOptions;
  /** Values of inputs that were not given by options, by input id. */
  readonly answers?: InputValues;
  readonly base: PathBase;
  /** Environment for the lookup of runners. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Installs an npm package and returns its start. */
  readonly startNpm: (runner: Extract<ProgramRunner, { by: 'npm' }>) => Promise<ProgramStart>;
  /** Unpacks a bundle, unless it is unpacked. */
  readonly unpack: (content: BundleContent) => Promise<void>;
}

/**
 * Fills the templates of a server with given values and defaults.
 * @throws AgentToolsError if inputs are missing or invalid, or a runner is missing
 */
export async function prepareLaunch(
  server: ExistingServer,
  options: PrepareOptions,
): Promise<PreparedLaunch> {
  const { template, inputs } = server;
  if (template.kind === 'bundle') throw new Error('A bundle must be unpacked before it is prepared.');
  const { values: given, extra } = assignInputs(server, options.given, options.base);
  const values = completeInputs(server, { ...options.answers, ...given });
  const secretInputs = new Set(inputs.filter(({ isSecret }) => isSecret).map(({ id }) => id));
  // A default is published, so it is no secret.
  const ownSecrets = new Set(
    inputs
      .filter((input) => secretInputs.has(input.id) && values[input.id] !== input.default)
      .map(({ id }) => id),
  );
  const filled = { values, extra, secretInputs, ownSecrets };
  if (server.content) await options.unpack(server.content);
  return template.kind === 'remote'
    ? prepareRemote(template, filled)
    : await prepareProgram(template, filled, options);
}

interface FilledInputs {
  readonly values: InputValues;
  readonly extra: GivenOptions;
  readonly secretInputs: ReadonlySet<string>;
  /** Secrets with a value of the user. */
  readonly ownSecrets: ReadonlySet<string>;
}

function prepareRemote(
  template: RemoteTemplate,
  { values, extra, secretInputs, ownSecrets }: FilledInputs,
): PreparedRemote {
  const { transport } = template;
  const url = fillText(template.url, values) ?? '';
  if (!/^https?:$/.test(parseUrl(url)?.protocol ?? ''))
    throw new AgentToolsError(
      'refused',
      `The address of the server is not a valid URL with these inputs: ${shownUrl(url)}`,
    );
  const headers = fillTexts(template.headers, values);
  const secret = Object.entries(template.headers).filter(
    ([name, text]) => isSecretHeader(name) || holds(text, secretInputs),
  );
  return {
    kind: 'remote',
    url,
    ...(transport !== undefined && { transport }),
    headers: { ...headers, ...pairs(extra.headers) },
    secretNames: namesOf(headers, secret, extra.headers),
    secretArguments: usedSecrets([template.url], ownSecrets),
  };
}

async function prepareProgram(
  template: ProgramTemplate,
  { values, extra, secretInputs, ownSecrets }: FilledInputs,
  options: PrepareOptions,
): Promise<PreparedProgram> {
  const { runner, cwd } = template;
  const env = { ...fillTexts(template.env, values), ...pairs(extra.env) };
  const places = Object.fromEntries([...ownSecrets].map((id) => [id, `{arg:${id}}`]));
  const start = await startOf(runner, { values, env, options });
  const secret = Object.entries(template.env).filter(
    ([name, text]) => holds(text, secretInputs) || looksSecret(name, env[name] ?? ''),
  );
  return {
    kind: 'program',
    command: start.command,
    args: [...start.args, ...fillArguments(template.args, values), ...extra.args],
    shownArgs: [...start.args, ...fillArguments(template.args, { ...values, ...places }), ...extra.args],
    env,
    secretNames: namesOf(env, secret, extra.env),
    secretArguments: usedSecrets(textsOfArguments(template), ownSecrets),
    ...(cwd !== undefined && { cwd }),
  };
}

function pairs(
  given: readonly { readonly name: string; readonly value: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

function namesOf(
  used: Readonly<Record<string, string>>,
  secret: readonly (readonly [string, unknown])[],
  extra: GivenOptions['env'],
): readonly string[] {
  const names = [
    ...secret.map(([name]) => name),
    ...extra.filter(({ isSecret }) => isSecret).map(({ name }) => name),
  ];
  return [...new Set(names)].filter(
    (name) => Object.hasOwn(used, name) || extra.some((one) => one.name === name),
  );
}

/** Texts that become words of the command line. */
function textsOfArguments({ runner, args }: ProgramTemplate): readonly TextTemplate[] {
  const options = 'options' in runner ? runner.options : [];
  return [...options, ...args].flatMap(({ words }) => words);
}

/** Secrets that texts contain. */
function usedSecrets(texts: readonly TextTemplate[], secrets: ReadonlySet<string>): readonly string[] {
  const ids = texts.flat().flatMap((part) => (typeof part === 'object' ? [part.input] : []));
  return [...new Set(ids)].filter((id) => secrets.has(id));
}

function holds(text: TextTemplate, secretInputs: ReadonlySet<string>): boolean {
  return text.some((part) => typeof part === 'object' && secretInputs.has(part.input));
}

/** The text with its inputs; undefined if one has no value. */
function fillText(text: TextTemplate, values: InputValues): string | undefined {
  const parts = text.map((part) => {
    if (typeof part === 'string') return part;
    const value = Object.hasOwn(values, part.input) ? values[part.input] : undefined;
    return value === undefined ? undefined : [value].flat().join(',');
  });
  return parts.includes(undefined) ? undefined : parts.join('');
}

function fillTexts(
  texts: Readonly<Record<string, TextTemplate>>,
  values: InputValues,
): Readonly<Record<string, string>> {
  const filled = Object.entries(texts).map(([name, text]) => [name, fillText(text, values)] as const);
  return Object.fromEntries(
    filled.filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
  );
}

/** Arguments that have all their values. */
function fillArguments(templates: readonly ArgumentTemplate[], values: InputValues): readonly string[] {
  return templates.flatMap(({ words, repeats, when, needs }) => {
    if (when !== undefined && values[when] !== 'true') return [];
    if (needs !== undefined && values[needs] === undefined) return [];
    const rounds =
      repeats === undefined
        ? [values]
        : [values[repeats] ?? []].flat().map((value) => ({ ...values, [repeats]: value }));
    return rounds.flatMap((round) => {
      const filled = words.map((word) => fillText(word, round));
      return filled.includes(undefined) ? [] : (filled as string[]);
    });
  });
}

interface StartContext {
  readonly values: InputValues;
  readonly env: Readonly<Record<string, string>>;
  readonly options: PrepareOptions;
}

/** Command line of a runner. */
async function startOf(runner: ProgramRunner, { values, env, options }: StartContext): Promise<ProgramStart> {
  switch (runner.by) {
    case 'npm':
      return await options.startNpm(runner);
    case 'uvx':
    case 'docker':
    case 'dnx': {
      const args = fillArguments(runnerArguments(runner, Object.keys(env)), values);
      return { command: await findFirst([runner.by], options), args };
    }
    case 'command':
      return { command: runner.command, args: [] };
    case 'path':
      return { command: await findFirst(runner.names, options), args: [] };
  }
}

/** Ways to get programs. */
const sources: Readonly<Record<string, string>> = {
  uv: 'Install it: https://docs.astral.sh/uv/',
  python3: 'Install Python: https://www.python.org/downloads/',
  uvx: 'uvx is part of uv: https://docs.astral.sh/uv/',
  docker: 'It is part of Docker: https://docs.docker.com/get-started/get-docker/',
  dnx: 'dnx is part of the .NET SDK, version 10 or later: https://dotnet.microsoft.com/download',
};

async function findFirst(
  names: readonly [string, ...string[]],
  { env }: Pick<PrepareOptions, 'env'>,
): Promise<string> {
  for (const name of names) {
    const file = await findProgram(name, env);
    if (file !== undefined) return file;
  }
  const [first] = names;
  const hint = Object.hasOwn(sources, first) ? sources[first] : 'Install it, or add its folder to the PATH.';
  throw new AgentToolsError('not-found', `The server runs by ${first}, which is not on the PATH. ${hint}`);
}
