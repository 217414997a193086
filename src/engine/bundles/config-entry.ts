import path from 'node:path';
import { isRecord, isString, isStringList } from '../base/value-checks.js';
import type { EntryShape, Launch } from '../clients/client.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  ProgramTemplate,
  RemoteTransport,
  TextTemplate,
} from '../existing-servers/existing-server.js';
import { isSecretHeader } from '../existing-servers/given-inputs.js';
import { InputCollector } from '../existing-servers/registry-inputs.js';
import { type ReferenceContext, ReferenceReader } from './config-references.js';
import type { ConfigServer } from './config-servers.js';
import { type Locate, malformedAt } from './locate.js';

type Entry = Readonly<Record<string, unknown>>;

export interface EntryContext extends ReferenceContext {
  readonly reference: string;
  readonly shapes: readonly EntryShape[];
  readonly locate: Locate;
  /** Resolves the command of an entry, in a folder. */
  readonly resolveCommand: (words: readonly [string, ...string[]], cwd: string) => Promise<ExistingServer>;
}

/**
 * Reads an entry of a config file as an existing server.
 * @throws AgentToolsError if the entry is malformed, or its program is missing
 */
export async function readConfigEntry(server: ConfigServer, context: EntryContext): Promise<ExistingServer> {
  const { name, entry } = server;
  const collector = new InputCollector();
  const texts = new ReferenceReader(collector, context);
  const read: EntryReader = { ...context, server, texts };
  const found = findUrl(entry) === undefined ? await readProgram(read) : readRemote(read);
  const isDisabled = entry.disabled === true || entry.enabled === false;
  return {
    ...found,
    source: 'client-config',
    reference: context.reference,
    name,
    inputs: [...found.inputs, ...collector.inputs],
    notes: [
      ...found.notes,
      ...texts.notes,
      ...(isDisabled ? [`The entry "${name}" is turned off in its file.`] : []),
    ],
  };
}

interface EntryReader extends EntryContext {
  readonly server: ConfigServer;
  readonly texts: ReferenceReader;
}

type Found = Pick<ExistingServer, 'template' | 'inputs' | 'notes'> & Partial<ExistingServer>;

/** Placeholder of a reference while a command is resolved: a private-use character on each side. */
const marker = /\ue000(\d+)\ue000/;

async function readProgram(reader: EntryReader): Promise<Found> {
  const { server, texts, locate, projectFolder, resolveCommand } = reader;
  const launch = readLaunch(reader);
  const inputs: string[] = [];
  const mark = (text: string): string =>
    texts
      .read(text)
      .map((part) => (isString(part) ? part : `\ue000${inputs.push(part.input) - 1}\ue000`))
      .join('');
  const [command, ...args] = withoutShell([launch.command, ...launch.args].map(mark));
  if (marker.test(command)) {
    const message = `The program of "${server.name}" is a reference. Write the program itself.`;
    throw malformedAt(locate, server.path, message);
  }
  const cwd = launch.cwd === undefined ? undefined : path.resolve(projectFolder, mark(launch.cwd));
  const resolved = await resolveCommand([command, ...args], cwd ?? projectFolder);
  if (resolved.template.kind !== 'program') return resolved;
  const unmark = (text: string): TextTemplate => {
    const parts = text.split(new RegExp(marker, 'g'));
    return parts.flatMap((part, index): TextTemplate => {
      if (index % 2 === 1) return [{ input: inputs[Number(part)]! }];
      return part === '' && parts.length > 1 ? [] : [part];
    });
  };
  const unmarkAll = ({ words, ...rest }: ArgumentTemplate): ArgumentTemplate => ({
    ...rest,
    words: words.map((word) => word.flatMap((part) => (isString(part) ? unmark(part) : [part]))),
  });
  const env = Object.entries(launch.env).map(([name, value]) => [name, texts.read(value)] as const);
  const template: ProgramTemplate = {
    ...resolved.template,
    args: resolved.template.args.map(unmarkAll),
    env: { ...resolved.template.env, ...Object.fromEntries(env), ...namedVariables(reader) },
    ...(cwd !== undefined && { cwd }),
  };
  const note = isString(server.entry.envFile)
    ? [`The variables of ${server.entry.envFile} are not read. Pass them by --env.`]
    : [];
  return { ...resolved, template, notes: [...resolved.notes, ...note] };
}

function readLaunch({ server: { entry, name, path: place }, shapes, locate }: EntryReader): Launch {
  const flat = flattened(entry);
  for (const { launchOf } of shapes) {
    const launch = launchOf(flat);
    if (launch) return launch;
  }
  const message = `The entry "${name}" has no usable command. Expected "command" as text, "args" as a list of texts, and variables as texts.`;
  throw malformedAt(locate, place, message);
}

/** Older files of Zed have the program in an object. Numbers and booleans are accepted as variables. */
function flattened(entry: ConfigServer['entry']): ConfigServer['entry'] {
  const { command } = entry;
  const flat =
    isRecord(command) && isString(command.path)
      ? { ...entry, ...command, command: command.path }
      : { ...entry };
  const fields = ['env', 'envs', 'environment'].flatMap((field) => {
    const held = (flat as Entry)[field];
    if (held === null) return [[field, {}] as const];
    if (!isRecord(held)) return [];
    const texts = Object.entries(held).map(([name, value]) => [name, isPlain(value) ? String(value) : value]);
    return [[field, Object.fromEntries(texts)] as const];
  });
  return { ...flat, ...Object.fromEntries(fields) } as ConfigServer['entry'];
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

/** Clients on Windows start batch files by `cmd /c`. */
function withoutShell(words: readonly string[]): readonly [string, ...string[]] {
  const [command = '', flag, ...rest] = words;
  const isShell = /^cmd(?:\.exe)?$/i.test(command) && /^\/c$/i.test(flag ?? '') && rest.length > 0;
  return (isShell ? rest : words) as readonly string[] as readonly [string, ...string[]];
}

/** Fields that list the names of variables that the server gets. */
const nameLists = ['env_keys', 'env_vars'] as const;

function namedVariables({ server: { entry }, texts }: EntryReader): Readonly<Record<string, TextTemplate>> {
  const names = nameLists.flatMap((field) => {
    const held: unknown = entry[field];
    return isStringList(held) ? held : [];
  });
  return Object.fromEntries(names.map((name) => [name, [texts.variable(name, { isSecret: true })]]));
}

/** Fields for the address of a remote server, with the transport that they imply. */
const urlFields: Readonly<Record<string, RemoteTransport | undefined>> = {
  httpUrl: 'http',
  url: undefined,
  serverUrl: undefined,
  uri: undefined,
};

/** Values of `type` and `transport`. */
const transports: Readonly<Record<string, RemoteTransport>> = {
  sse: 'sse',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
};

function findUrl(
  entry: Entry,
):
  | { readonly field: string; readonly url: string; readonly transport: RemoteTransport | undefined }
  | undefined {
  for (const [field, implied] of Object.entries(urlFields)) {
    const url = Object.hasOwn(entry, field) ? entry[field] : undefined;
    if (!isString(url)) continue;
    const named = [entry.type, entry.transport].find(
      (one): one is string => isString(one) && Object.hasOwn(transports, one),
    );
    return { field, url, transport: named === undefined ? implied : transports[named] };
  }
  return undefined;
}

function readRemote({ server: { entry, path: place, name }, texts, locate }: EntryReader): Found {
  const { field, url: text, transport } = findUrl(entry)!;
  const url = texts.read(text);
  const [first] = url;
  if (isString(first) && !/^https?:\/\//i.test(first)) {
    const message = `The address of "${name}" is not an http or https URL.`;
    throw malformedAt(locate, [...place, field], message);
  }
  const headers = Object.fromEntries([...readHeaders(entry, texts), ...namedHeaders(entry, texts)]);
  return {
    template: { kind: 'remote', ...(transport !== undefined && { transport }), url, headers },
    inputs: [],
    notes: [],
  };
}

type Header = readonly [string, TextTemplate];

function readHeaders(entry: Entry, texts: ReferenceReader): readonly Header[] {
  const { requestOptions, requestInit } = entry;
  const holders = [
    entry.headers,
    entry.http_headers,
    isRecord(requestOptions) ? requestOptions.headers : undefined,
    isRecord(requestInit) ? requestInit.headers : undefined,
  ];
  return holders.flatMap((held) =>
    Object.entries(isRecord(held) ? held : {}).flatMap(([name, value]): readonly Header[] =>
      isString(value) ? [[name, texts.read(value, { isSecret: isSecretHeader(name) })]] : [],
    ),
  );
}

/** Headers of Codex with values in variables. */
function namedHeaders(entry: Entry, texts: ReferenceReader): readonly Header[] {
  const { env_http_headers: named, bearer_token_env_var: token } = entry;
  const headers = Object.entries(isRecord(named) ? named : {}).flatMap(
    ([name, variable]): readonly Header[] =>
      isString(variable) ? [[name, [texts.variable(variable, { isSecret: true })]]] : [],
  );
  return isString(token)
    ? [...headers, ['Authorization', ['Bearer ', texts.variable(token, { isSecret: true })]]]
    : headers;
}
