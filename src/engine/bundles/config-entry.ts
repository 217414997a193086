import path from 'node:path';
import { isRecord, isString, isStringList, type UnknownRecord } from '../base/value-checks.js';
import type { Launch } from '../clients/client.js';
import { findRemoteUrl, type RemoteContent } from '../clients/read-remote-entry.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  ProgramTemplate,
  TextTemplate,
} from '../existing-servers/existing-server.js';
import { isSecretHeader } from '../existing-servers/given-inputs.js';
import { InputCollector } from '../existing-servers/registry-inputs.js';
import { type ReferenceContext, ReferenceReader } from './config-references.js';
import type { ConfigServer, EntryReaders } from './config-servers.js';
import { type Locate, malformedAt } from './locate.js';

export interface EntryContext extends ReferenceContext, EntryReaders {
  readonly reference: string;
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
  const remote = context.remoteOf(entry);
  const found = remote ? readRemote(remote, read) : await readProgram(read);
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

type FoundEntry = Pick<ExistingServer, 'template' | 'inputs' | 'notes'> & Partial<ExistingServer>;

/** Placeholder of a reference while a command is resolved: a private-use character on each side. */
const marker = /\ue000(\d+)\ue000/;

async function readProgram(reader: EntryReader): Promise<FoundEntry> {
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
  const folder = launch.cwd === undefined ? undefined : mark(launch.cwd);
  const isOpen = folder !== undefined && marker.test(folder);
  const cwd = folder === undefined || isOpen ? undefined : path.resolve(projectFolder, folder);
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
  const notes = [
    ...(isOpen ? [`The folder ${launch.cwd} of "${server.name}" is unknown, and is left out.`] : []),
    ...(isString(server.entry.envFile)
      ? [`The variables of ${server.entry.envFile} are not read. Pass them by --env.`]
      : []),
  ];
  return { ...resolved, template, notes: [...resolved.notes, ...notes] };
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
    const held = (flat as UnknownRecord)[field];
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

function readRemote(
  { url: text, transport, headers, variableHeaders = {} }: RemoteContent,
  { server: { entry, path: place, name }, texts, locate }: EntryReader,
): FoundEntry {
  const url = texts.read(text);
  const [first] = url;
  if (isString(first) && !/^https?:\/\//i.test(first)) {
    const message = `The address of "${name}" is not an http or https URL.`;
    throw malformedAt(locate, [...place, findRemoteUrl(entry)!.field], message);
  }
  const written = Object.entries(headers).map(
    ([header, value]) => [header, texts.read(value, { isSecret: isSecretHeader(header) })] as const,
  );
  const named = Object.entries(variableHeaders).map(([header, { prefix, variable }]) => {
    const value = texts.variable(variable, { isSecret: true });
    return [header, prefix === '' ? [value] : [prefix, value]] as const;
  });
  return {
    template: {
      kind: 'remote',
      ...(transport !== undefined && { transport }),
      url,
      headers: Object.fromEntries([...written, ...named]),
    },
    inputs: [],
    notes: [],
  };
}
