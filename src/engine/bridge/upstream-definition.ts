import type { ExistingServer, RemoteTransport, ServerInput } from '../existing-servers/existing-server.js';
import { assignInputs, type GivenOptions } from '../existing-servers/given-inputs.js';
import type { PreparedLaunch } from '../existing-servers/prepare-launch.js';
import type { ItemChoices } from './existing-resolver.js';
import { type ExistingDeps, prepareExisting } from './open-existing.js';

interface UpstreamServerRequest {
  readonly given: GivenOptions;
  readonly choices: ItemChoices;
  /** Transport of a remote server. Default: as declared, else by the form of its URL. */
  readonly transport?: RemoteTransport | undefined;
}

/** Definition of a server that serves an existing one. */
export interface WrittenServer {
  readonly definition: Readonly<Record<string, unknown>>;
  /** Variables that the definition needs, without defaults. */
  readonly variables: readonly string[];
  /** Optional inputs that it does not set, by their names. */
  readonly omitted: readonly string[];
}

/** Placeholder of a variable while templates are filled. It has a form that is valid in URLs, too. */
const marker = (index: number): string => `agenttoolsinput${index}x`;
const markers = /agenttoolsinput(\d+)x/g;

/**
 * Writes the definition of a server with an existing server as its only entry. Given values are literal, except secrets.
 * Secrets and other inputs are variables: `${TOKEN}`, or `${REGION:-eu}` with a default.
 * @throws AgentToolsError if a package cannot be installed, or a given value is invalid
 */
export async function writeUpstreamServer(
  server: ExistingServer,
  { given, choices, transport }: UpstreamServerRequest,
  deps: ExistingDeps,
): Promise<WrittenServer> {
  const base = { cwd: deps.cwd, home: deps.surroundings.home };
  const { values } = assignInputs(server, given, base);
  const references: string[] = [];
  const variables: string[] = [];
  const refer = (name: string, fallback?: string): string => {
    references.push(fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`);
    if (fallback === undefined) variables.push(name);
    return marker(references.length - 1);
  };
  const isVariable = (input: ServerInput) => input.isSecret || !Object.hasOwn(values, input.id);
  const answers: Record<string, string> = {};
  const omitted: string[] = [];
  for (const input of server.inputs.filter(isVariable)) {
    const preset = [input.default ?? []].flat();
    if (!input.isRequired && preset.length === 0 && !Object.hasOwn(values, input.id))
      omitted.push(input.name);
    else answers[input.id] = refer(variableOf(input), input.isSecret ? undefined : preset[0]);
  }
  const free = {
    env: given.env.map((pair) => (pair.isSecret ? { ...pair, value: refer(pair.name) } : pair)),
    args: given.args,
    headers: given.headers.map((pair) =>
      pair.isSecret ? { ...pair, value: refer(upperName(pair.name)) } : pair,
    ),
  };
  // Inputs that became variables are filled in at the start, so their values are not checked here.
  const open = (input: ServerInput): ServerInput => {
    const { choices: _, ...others } = input;
    return isVariable(input) ? { ...others, format: 'string', isRepeated: false } : input;
  };
  const answered = { ...server, inputs: server.inputs.map(open) };
  const launch = await prepareExisting(answered, free, deps, { answers, isKept: true });
  const { toolList, ...choice } = choices;
  const { name, title, description } = server;
  return {
    definition: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(toolList && { toolList }),
      tools: [
        { upstream: { name, ...(fill(toEndpoint(launch, transport), references) as object) }, ...choice },
      ],
    },
    variables: [...new Set(variables)],
    omitted,
  };
}

function variableOf({ givenBy, name }: ServerInput): string {
  return givenBy === 'env' ? name : upperName(name);
}

/** `API_KEY` for `--api-key` and `Api-Key`. */
function upperName(name: string): string {
  return name.replace(/^-+/, '').toUpperCase().replace(/\W/g, '_');
}

function toEndpoint(
  launch: PreparedLaunch,
  given: RemoteTransport | undefined,
): Readonly<Record<string, unknown>> {
  const hasAny = (fields: object) => Object.keys(fields).length > 0;
  if (launch.kind === 'remote') {
    const { url, headers } = launch;
    const transport = given ?? launch.transport ?? (/\/sse\/?$/.test(url) ? 'sse' : 'http');
    return { url, type: transport, ...(hasAny(headers) && { headers }) };
  }
  const { command, args, env, cwd } = launch;
  return { command, args, ...(hasAny(env) && { env }), ...(cwd !== undefined && { cwd }) };
}

/** Escapes literal texts, and puts references in the places of their markers. */
function fill(value: unknown, references: readonly string[]): unknown {
  if (typeof value === 'string')
    return value
      .replaceAll('${', () => '$${')
      .replace(markers, (_, index: string) => references[Number(index)] ?? '');
  if (Array.isArray(value)) return value.map((one) => fill(one, references));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, references)]));
}
