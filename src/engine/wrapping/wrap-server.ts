import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { ExistingServer, RemoteTransport, ServerInput } from '../existing-servers/existing-server.js';
import type { GivenOptions } from '../existing-servers/given-inputs.js';
import { prepareLaunch } from '../existing-servers/prepare-launch.js';
import { makePortable, type NpmProgram, packageCommand } from './portable-template.js';
import { type EndpointVariable, writeEndpoint } from './upstream-definition.js';
import type { WrapSource } from './wrap-source.js';

export interface WrapOptions {
  readonly given: GivenOptions;
  readonly transport?: RemoteTransport | undefined;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command of the running Node. */
  readonly node: string;
}

/** A server of a new extension. */
export interface WrappedServer {
  /** Item name. */
  readonly item: string;
  readonly server: ExistingServer;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly dependency: NpmProgram | undefined;
  readonly variables: readonly EndpointVariable[];
  readonly omitted: readonly ServerInput[];
  readonly notes: readonly string[];
}

/** Writes the definition of a server. @throws AgentToolsError if a given value is invalid */
export async function wrapServer(
  server: ExistingServer,
  {
    item,
    folders,
    hasSkills,
  }: Pick<WrapSource, 'folders'> & { readonly item: string; readonly hasSkills: boolean },
  { given, transport, cwd, home, env, node }: WrapOptions,
): Promise<WrappedServer> {
  const { template, title, description } = server;
  const runner = template.kind === 'program' ? template.runner : undefined;
  const dependency = runner?.by === 'npm' ? runner : undefined;
  const written = await writeEndpoint(
    await makePortable(server, { env, node }),
    { given, transport },
    {
      base: { cwd, home },
      isPublished: true,
      prepare: async (open, free, answers) =>
        await prepareLaunch(open, {
          given: free,
          answers,
          base: { cwd, home },
          env,
          startNpm: () => {
            throw new AgentToolsError('failed', `${server.name} cannot be started as an npm package.`);
          },
          unpack: async () => {},
        }),
    },
  );
  const moved = moveInto(written.endpoint, folders);
  const { endpoint, notes } = settleFolder(moved, server);
  const upstream = { name: server.name, ...(dependency ? fromPackage(endpoint, dependency) : endpoint) };
  return {
    item,
    server,
    definition: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      tools: [{ upstream }],
      ...(hasSkills && { skills: '*' }),
    },
    dependency,
    variables: written.variables,
    omitted: written.omitted,
    notes: [...notes, ...ownPaths(upstream, server)],
  };
}

type Endpoint = Readonly<Record<string, unknown>>;

function fromPackage({ command, ...others }: Endpoint, { name, bin }: NpmProgram): Endpoint {
  if (command !== packageCommand) return { command, ...others };
  const { args, ...rest } = others;
  const hasArgs = Array.isArray(args) && args.length > 0;
  return { package: name, ...(bin !== undefined && { bin }), ...(hasArgs && { args }), ...rest };
}

/** Replaces folders by their copies in the extension, which is the working directory of its servers. */
function moveInto(endpoint: Endpoint, folders: WrapSource['folders']): Endpoint {
  const move = (value: unknown): unknown => {
    if (isString(value)) {
      let text = value;
      for (const [to, from] of Object.entries(folders)) {
        if (text === from) return `./${to}`;
        text = text.replaceAll(`${from}${path.sep}`, `./${to}/`).replaceAll(`${from}/`, `./${to}/`);
      }
      return text;
    }
    if (Array.isArray(value)) return value.map(move);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, move(one)]));
  };
  return fromWorkingFolder(move(endpoint) as Endpoint);
}

/** Makes paths of arguments and variables relative to the working directory. The command is relative to the package. */
function fromWorkingFolder({ command, cwd, ...others }: Endpoint): Endpoint {
  if (!isString(cwd) || !cwd.startsWith('./'))
    return { ...(command !== undefined && { command }), ...others, ...(cwd !== undefined && { cwd }) };
  const relate = (value: unknown): unknown => {
    if (isString(value)) return value.startsWith('./') ? relativePath(cwd, value) : value;
    if (Array.isArray(value)) return value.map(relate);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, relate(one)]));
  };
  return { command, ...(relate(others) as Endpoint), cwd };
}

function relativePath(from: string, to: string): string {
  const relative = path.posix.relative(from, to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** A folder of this machine becomes the default of a variable: other users set theirs. */
function settleFolder(
  endpoint: Endpoint,
  { name }: ExistingServer,
): { readonly endpoint: Endpoint; readonly notes: readonly string[] } {
  const { cwd, ...others } = endpoint;
  if (!isString(cwd) || !path.isAbsolute(cwd)) return { endpoint, notes: [] };
  const variable = `${name.toUpperCase().replace(/\W/g, '_').replace(/^\d/, '_$&')}_FOLDER`;
  return {
    endpoint: { ...others, cwd: `\${${variable}:-${cwd}}` },
    notes: [`The server "${name}" works in ${cwd}. On other machines, set ${variable}.`],
  };
}

/** Notes on files of this machine. */
function ownPaths(upstream: Endpoint, { name }: ExistingServer): readonly string[] {
  const { command, args } = upstream;
  const texts = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  const own = texts.filter((text) => isString(text) && path.isAbsolute(text));
  return own.map(
    (text) => `The server "${name}" uses ${String(text)}, which the extension does not contain.`,
  );
}
