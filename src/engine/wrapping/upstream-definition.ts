import { hasSecretReference } from '../base/secret-reference.js';
import type { UnknownRecord } from '../base/value-checks.js';
import type { ItemChoices } from '../bridge/existing-resolver.js';
import { type ExistingDeps, prepareExisting } from '../bridge/open-existing.js';
import type {
  ExistingServer,
  InputValues,
  RemoteTransport,
  ServerInput,
  TextTemplate,
} from '../existing-servers/existing-server.js';
import {
  assignInputs,
  completeInputs,
  type GivenOptions,
  type GivenPair,
  type PathBase,
} from '../existing-servers/given-inputs.js';
import type { PreparedLaunch } from '../existing-servers/prepare-launch.js';
import { textsIn } from '../extension/check-upstream.js';
import { isSecret } from '../extension/upstream-secrets.js';
import { findVariables } from '../extension/variables.js';
import { mayBeSecretDefault, withoutSecrets } from './literal-secrets.js';
import { VariableNames } from './variable-names.js';

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
    names: new VariableNames(),
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
  readonly input?: ServerInput | undefined;
  /** Path of its first use in the endpoint. */
  readonly use?: readonly (string | number)[];
  /** Present value, which the definition does not contain. */
  readonly value?: string | undefined;
}

/** UnknownRecord of an upstream server, with variables in place of open inputs. */
export interface WrittenEndpoint {
  readonly endpoint: UnknownRecord;
  /** The variables in it, one for each name. */
  readonly variables: readonly EndpointVariable[];
  /** Optional inputs that it does not set. */
  readonly omitted: readonly ServerInput[];
}

interface EndpointDeps {
  readonly base: PathBase;
  readonly names: VariableNames;
  /** True for a definition of an extension: no value of the user may be in it. Default: false. */
  readonly isPublished?: boolean;
  /** Fills the templates of a server. `answers`: values of its open inputs. */
  readonly prepare: (
    server: ExistingServer,
    given: GivenOptions,
    answers: InputValues,
  ) => Promise<PreparedLaunch>;
  /** Changes the paths of an endpoint. Default: they stay. */
  readonly arrange?: (endpoint: UnknownRecord) => UnknownRecord;
}

/** Inputs of a server that become variables: secrets, and inputs without a value. Stored secrets belong to one user. */
function openInputs(
  { inputs }: ExistingServer,
  values: InputValues,
  isPublished: boolean,
): readonly ServerInput[] {
  const isStored = (id: string) => [values[id] ?? []].flat().some(hasSecretReference);
  return inputs.filter(({ id, isSecret: isHidden }) => {
    if (!Object.hasOwn(values, id)) return true;
    return isStored(id) ? isPublished : isHidden;
  });
}

/** Reserves the names of variables that the servers of an extension need. */
export function reserveNames(
  servers: readonly ExistingServer[],
  given: GivenOptions,
  { base, names }: Pick<EndpointDeps, 'base' | 'names'>,
): void {
  for (const server of servers)
    names.reserve(openInputs(server, assignInputs(server, given, base).values, true));
}

/** Writes the endpoint of an existing server. @throws AgentToolsError as {@link writeUpstreamServer} */
export async function writeEndpoint(
  server: ExistingServer,
  { given, transport }: UpstreamServerRequest,
  { base, names, prepare, isPublished = false, arrange = (endpoint) => endpoint }: EndpointDeps,
): Promise<WrittenEndpoint> {
  const { values, extra } = assignInputs(server, given, base);
  const open = openInputs(server, values, isPublished);
  // Inputs that become variables are filled in at the start, so their values are not checked here.
  const fixed = server.inputs.filter((input) => !open.includes(input));
  const answers: Record<string, string | readonly string[]> = {
    ...completeInputs({ inputs: fixed }, values),
  };
  const known = new Map<string, EndpointVariable>();
  const reference = (variable: EndpointVariable): string => {
    const { name, fallback } = variable;
    if (!known.has(name)) known.set(name, variable);
    return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
  };
  // Every input has its answer, so no option gives it.
  const answered = (input: ServerInput): ServerInput => {
    const { choices: _, ...others } = { ...input, givenBy: 'env', name: '' } as const;
    return open.includes(input) ? { ...others, format: 'string', isRepeated: false } : others;
  };
  const references: string[] = [];
  const refer = (variable: EndpointVariable): string => marker(references.push(reference(variable)) - 1);
  const omitted: ServerInput[] = [];
  for (const input of open) {
    const preset = [input.default ?? []].flat()[0] ?? '';
    const isOptional = !input.isRequired && preset === '' && !Object.hasOwn(values, input.id);
    if (isOptional && !canBeLeftOut(server, input)) {
      omitted.push(input);
      continue;
    }
    const name = names.forInput(input);
    const own = values[input.id];
    const value = own === undefined ? undefined : [own].flat().join(',');
    if (isOptional) answers[input.id] = refer({ name, fallback: '', input });
    else if (input.isSecret) answers[input.id] = refer({ name, input, value });
    else answers[input.id] = refer({ name, input, value, ...defaultOf(server, input, preset, isPublished) });
  }
  const hide = (pair: GivenPair): GivenPair =>
    pair.isSecret
      ? { ...pair, value: refer({ name: names.forValue(pair.name, pair.value), value: pair.value }) }
      : pair;
  const free = { env: extra.env.map(hide), args: extra.args, headers: extra.headers.map(hide) };
  const launch = await prepare({ ...server, inputs: server.inputs.map(answered) }, free, answers);
  const arranged = arrange(fill(toEndpoint(launch, transport), references) as UnknownRecord);
  const endpoint = withoutSecrets(arranged, {
    server: server.name,
    isPublished,
    refer: (wanted, text) => {
      const input = server.inputs.find(({ givenBy, name }) => givenBy === 'env' && name === wanted);
      // The value of a text with further variables is unknown.
      const value = findVariables(text).length === 0 ? text.replaceAll('$${', () => '${') : undefined;
      return reference({ name: names.forValue(wanted, text), input, value });
    },
  });
  return { endpoint, variables: variablesOf(endpoint, known), omitted };
}

/**
 * The default of an input as the default of its variable. Defaults in config files may be secrets of the user; publishers
 * write the other ones.
 */
function defaultOf(
  { source }: ExistingServer,
  { name }: ServerInput,
  preset: string,
  isPublished: boolean,
): Pick<EndpointVariable, 'fallback' | 'value'> {
  if (preset === '') return {};
  const isOwn = isPublished && source === 'client-config';
  const isHidden = isSecret(name, preset) || (isOwn && mayBeSecretDefault(name, preset));
  return isHidden || preset.includes('}') ? { value: preset } : { fallback: preset };
}

/** Variables of an endpoint. A variable is required if one of its uses has no default. */
function variablesOf(
  endpoint: UnknownRecord,
  known: ReadonlyMap<string, EndpointVariable>,
): readonly EndpointVariable[] {
  const found = new Map<string, EndpointVariable>();
  for (const { path, text } of textsIn(endpoint)) {
    for (const { name, fallback } of findVariables(text)) {
      const before = found.get(name);
      const common = before && fallback !== undefined ? before.fallback : fallback;
      found.set(name, { use: path, ...before, ...known.get(name), name, fallback: common });
    }
  }
  return [...found.values()];
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
