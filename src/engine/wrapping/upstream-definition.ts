import { hasSecretReference } from '../base/secret-reference.js';
import type { ItemChoices } from '../bridge/existing-resolver.js';
import { type ExistingDeps, prepareExisting } from '../bridge/open-existing.js';
import type {
  ExistingServer,
  InputValues,
  RemoteTransport,
  ServerInput,
  TextTemplate,
} from '../existing-servers/existing-server.js';
import { assignInputs, type GivenOptions, type PathBase } from '../existing-servers/given-inputs.js';
import type { PreparedLaunch } from '../existing-servers/prepare-launch.js';
import { upperName, withoutSecrets } from './literal-secrets.js';

interface UpstreamServerRequest {
  readonly given: GivenOptions;
  /** Transport of a remote server. Default: as declared, else by the form of its URL. */
  readonly transport?: RemoteTransport | undefined;
}

/** Definition of a server that serves an existing one. */
export interface WrittenServer {
  readonly definition: Readonly<Record<string, unknown>>;
  /** Variables that the definition needs, without defaults. */
  readonly variables: readonly string[];
  /** Present values of variables, which the definition does not contain. */
  readonly values: Readonly<Record<string, string>>;
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
  { choices, ...request }: UpstreamServerRequest & { readonly choices: ItemChoices },
  deps: ExistingDeps,
): Promise<WrittenServer> {
  const written = await writeEndpoint(server, request, {
    base: { cwd: deps.cwd, home: deps.surroundings.home },
    prepare: async (open, given, answers) => await prepareExisting(open, given, deps, { answers }),
  });
  const { endpoint, variables, omitted } = written;
  const { toolList, ...choice } = choices;
  const { name, title, description } = server;
  return {
    definition: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(toolList && { toolList }),
      tools: [{ upstream: { name, ...endpoint }, ...choice }],
    },
    variables: variables.flatMap(({ name: variable, fallback }) => (fallback === undefined ? variable : [])),
    values: Object.fromEntries(
      variables.flatMap(({ name: variable, value }) => (value === undefined ? [] : [[variable, value]])),
    ),
    omitted: omitted.map((input) => input.name),
  };
}

/** A variable of an endpoint. */
export interface EndpointVariable {
  readonly name: string;
  /** Value if it is not set; undefined: it is required. */
  readonly fallback?: string | undefined;
  /** Input that it gives; undefined for a literal secret, or a variable of the user. */
  readonly input?: ServerInput;
  /** Present value, which the definition does not contain. */
  readonly value?: string | undefined;
}

/** Endpoint of an upstream server, with variables in place of open inputs. */
export interface WrittenEndpoint {
  readonly endpoint: Readonly<Record<string, unknown>>;
  /** One for each name. */
  readonly variables: readonly EndpointVariable[];
  /** Optional inputs that it does not set. */
  readonly omitted: readonly ServerInput[];
}

interface EndpointDeps {
  readonly base: PathBase;
  /** True for a definition of an extension: no value of the user may be in it. Default: false. */
  readonly isPublished?: boolean;
  /** Fills the templates of a server. `answers`: values of its open inputs. */
  readonly prepare: (
    server: ExistingServer,
    given: GivenOptions,
    answers: InputValues,
  ) => Promise<PreparedLaunch>;
}

/** Writes the endpoint of an existing server. @throws AgentToolsError as {@link writeUpstreamServer} */
export async function writeEndpoint(
  server: ExistingServer,
  { given, transport }: UpstreamServerRequest,
  { base, prepare, isPublished = false }: EndpointDeps,
): Promise<WrittenEndpoint> {
  const { values } = assignInputs(server, given, base);
  const references: string[] = [];
  const variables = new Map<string, EndpointVariable>();
  const reference = (variable: EndpointVariable): string => {
    const { name, fallback } = variable;
    if (!variables.has(name)) variables.set(name, variable);
    return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
  };
  const refer = (variable: EndpointVariable): string => marker(references.push(reference(variable)) - 1);
  const isReference = ({ id }: ServerInput) => [values[id] ?? []].flat().some(hasSecretReference);
  const isVariable = (input: ServerInput) =>
    !Object.hasOwn(values, input.id) || (input.isSecret && !isReference(input));
  const answers: Record<string, string> = {};
  const omitted: ServerInput[] = [];
  for (const input of server.inputs.filter(isVariable)) {
    const preset = [input.default ?? []].flat();
    const isOptional = !input.isRequired && preset.length === 0 && !Object.hasOwn(values, input.id);
    const name = variableOf(input);
    const given = values[input.id];
    const value = given === undefined ? undefined : [given].flat().join(',');
    if (!isOptional)
      answers[input.id] = refer({ name, fallback: input.isSecret ? undefined : preset[0], input, value });
    else if (canBeLeftOut(server, input)) answers[input.id] = refer({ name, fallback: '', input });
    else omitted.push(input);
  }
  const free = {
    env: given.env.map((pair) =>
      pair.isSecret ? { ...pair, value: refer({ name: pair.name, value: pair.value }) } : pair,
    ),
    args: given.args,
    headers: given.headers.map((pair) =>
      pair.isSecret ? { ...pair, value: refer({ name: upperName(pair.name), value: pair.value }) } : pair,
    ),
  };
  // Inputs that became variables are filled in at the start, so their values are not checked here.
  const open = (input: ServerInput): ServerInput => {
    const { choices: _, ...others } = input;
    return isVariable(input) ? { ...others, format: 'string', isRepeated: false } : input;
  };
  const answered = { ...server, inputs: server.inputs.map(open) };
  const launch = await prepare(answered, free, answers);
  const filled = fill(toEndpoint(launch, transport), references) as WrittenEndpoint['endpoint'];
  const own = (name: string, value: string) => reference({ name, value });
  const endpoint = withoutSecrets(filled, server.name, own, isPublished);
  return { endpoint, variables: [...variables.values()], omitted };
}

/** True if every use of an input is a whole variable or header, which is left out without a value. */
function canBeLeftOut({ template }: ExistingServer, { id }: ServerInput): boolean {
  if (template.kind === 'bundle') return false;
  const { args, texts, others } =
    template.kind === 'program'
      ? { args: [template.args, template.runner], texts: template.env, others: [] }
      : { args: [], texts: template.headers, others: template.url };
  const isUse = (part: TextTemplate[number]) => typeof part === 'object' && part.input === id;
  const users = Object.values(texts).filter((text) => text.some(isUse));
  return (
    users.length > 0 &&
    users.every((text) => text.length === 1) &&
    !others.some(isUse) &&
    !JSON.stringify(args).includes(JSON.stringify(id))
  );
}

function variableOf({ givenBy, name }: ServerInput): string {
  return givenBy === 'env' ? name : upperName(name);
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
