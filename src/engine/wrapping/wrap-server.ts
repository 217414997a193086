import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { isString, type UnknownRecord } from '../base/value-checks.js';
import { toVariableName } from '../base/variable-name.js';
import type { ExistingServer, RemoteTransport, ServerInput } from '../existing-servers/existing-server.js';
import type { GivenOptions, PathBase } from '../existing-servers/given-inputs.js';
import { prepareLaunch } from '../existing-servers/prepare-launch.js';
import { textsIn } from '../extension/check-upstream.js';
import { isPath } from './literal-secrets.js';
import { machinePaths, movePaths } from './move-paths.js';
import { makePortable, type NpmProgram, packageCommand } from './portable-template.js';
import { type EndpointVariable, writeEndpoint } from './upstream-definition.js';
import type { VariableNames } from './variable-names.js';
import type { WrapSource } from './wrap-source.js';

interface WrapPlace extends Pick<WrapSource, 'folders'> {
  /** Item name of the server. */
  readonly item: string;
  readonly hasSkills: boolean;
}

export interface WrapOptions {
  readonly given: GivenOptions;
  readonly transport?: RemoteTransport | undefined;
  /** Names of the variables of all servers. */
  readonly names: VariableNames;
  readonly base: PathBase;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command of the running Node. */
  readonly node: string;
}

/** A server of a new extension. */
export interface WrappedServer {
  /** Item name. */
  readonly item: string;
  readonly server: ExistingServer;
  /** Its endpoint in the definition. */
  readonly upstream: UnknownRecord;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly dependency: NpmProgram | undefined;
  readonly variables: readonly EndpointVariable[];
  readonly omitted: readonly ServerInput[];
  readonly notes: readonly string[];
}

/** Writes the definition of a server. @throws AgentToolsError if a given value is invalid */
export async function wrapServer(
  server: ExistingServer,
  { item, folders, hasSkills }: WrapPlace,
  { given, transport, names, base, env, node }: WrapOptions,
): Promise<WrappedServer> {
  const { template, title, description, name } = server;
  const runner = template.kind === 'program' ? template.runner : undefined;
  const dependency = runner?.by === 'npm' ? runner : undefined;
  const notes: string[] = [];
  const arrange = (endpoint: UnknownRecord): UnknownRecord => {
    const moved = movePaths(endpoint, folders);
    if (moved.droppedFolder !== undefined)
      notes.push(
        `The server "${name}" runs in the folder of the extension instead of ${moved.droppedFolder}.`,
      );
    return settleFolder(moved.endpoint, { name, names, notes });
  };
  const written = await writeEndpoint(
    await makePortable(server, { env, node, names: given.env.map((one) => one.name) }),
    { given, transport },
    {
      base,
      names,
      isPublished: true,
      arrange,
      prepare: async (open, free, answers) =>
        await prepareLaunch(open, {
          given: free,
          answers,
          base,
          env,
          startNpm: () => {
            throw new AgentToolsError('failed', `${name} cannot be started as an npm package.`);
          },
          unpack: async () => {},
        }),
    },
  );
  const { endpoint, variables, omitted } = written;
  const upstream = { name, ...(dependency ? fromPackage(endpoint, dependency) : endpoint) };
  return {
    item,
    server,
    upstream,
    definition: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      tools: [{ upstream }],
      ...(hasSkills && { skills: '*' }),
    },
    dependency,
    variables,
    omitted,
    notes: [...notes, ...ownPaths(upstream, server)],
  };
}

function fromPackage({ command, ...others }: UnknownRecord, { name, bin }: NpmProgram): UnknownRecord {
  if (command !== packageCommand) return { command, ...others };
  const { args, ...rest } = others;
  const hasArgs = Array.isArray(args) && args.length > 0;
  return { package: name, ...(bin !== undefined && { bin }), ...(hasArgs && { args }), ...rest };
}

interface FolderContext {
  readonly name: string;
  readonly names: VariableNames;
  readonly notes: string[];
}

/** A folder of this machine becomes the default of a variable: other users set theirs. */
function settleFolder(endpoint: UnknownRecord, { name, names, notes }: FolderContext): UnknownRecord {
  const { cwd, ...others } = endpoint;
  if (!isString(cwd) || !path.isAbsolute(cwd)) return endpoint;
  const variable = names.forValue(toVariableName(`${name} folder`), cwd);
  notes.push(`The server "${name}" works in ${cwd}. On other machines, set ${variable}.`);
  return { ...others, cwd: isPath(cwd) ? `\${${variable}:-${cwd}}` : `\${${variable}}` };
}

/** Notes on files of this machine. */
function ownPaths(upstream: UnknownRecord, { name }: ExistingServer): readonly string[] {
  const found = [...textsIn(upstream)].flatMap(({ path: [key], text }) =>
    key === 'command' || key === 'args' ? machinePaths(text) : [],
  );
  return [...new Set(found)].map(
    (place) => `The server "${name}" uses ${place}, which the extension does not contain.`,
  );
}
