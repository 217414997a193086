import type { EntryShape, Launch } from './client.js';
import type { ConfigEntry, ConfigValue } from './edit/editor.js';

/** What a client wants in an entry beside command, arguments and variables. */
export interface EntryExtras {
  readonly before?: ConfigEntry;
  readonly after?: ConfigEntry;
  /** The entry holds its key as `name`. */
  readonly named?: boolean;
  /** The field for the working directory. */
  readonly cwd?: string;
}

/** `command`, `args` and `env`: what most clients take. */
export function standardShape({ before = {}, after = {}, named = false, cwd }: EntryExtras = {}): EntryShape {
  return {
    entry: (launch, key) => ({
      ...before,
      ...(named && { name: key }),
      command: launch.command,
      args: launch.args,
      ...unlessEmpty('env', launch.env),
      ...folderField(launch, cwd),
      ...after,
    }),
    launchOf: (entry) => launchFrom([entry.command], entry, { args: 'args', env: 'env', cwd }),
    env: 'env',
    ...(cwd !== undefined && { cwd }),
  };
}

/** The standard shape with `type: "stdio"` first. */
export function stdio(besides: EntryExtras = {}): EntryShape {
  return standardShape({ ...besides, before: { type: 'stdio' } });
}

/** Command and arguments are one list. Layouts of version 2 know no `enabled`. */
export function opencode({ enabled = true, cwd }: { enabled?: boolean; cwd?: string } = {}): EntryShape {
  return {
    entry: (launch) => ({
      type: 'local',
      command: [launch.command, ...launch.args],
      ...(enabled && { enabled }),
      ...unlessEmpty('environment', launch.env),
      ...folderField(launch, cwd),
    }),
    launchOf: (entry) => {
      if (!Array.isArray(entry.command)) return undefined;
      return launchFrom(entry.command, entry, { env: 'environment', cwd });
    },
    env: 'environment',
    ...(cwd !== undefined && { cwd }),
  };
}

/** Every field that a revision of goose has required is written. */
export function goose(): EntryShape {
  return {
    entry: (launch, key) => ({
      name: key,
      description: '',
      type: 'stdio',
      enabled: true,
      cmd: launch.command,
      args: launch.args,
      envs: launch.env,
      env_keys: [],
      timeout: 300,
      ...folderField(launch, 'cwd'),
    }),
    launchOf: (entry) => launchFrom([entry.cmd], entry, { args: 'args', env: 'envs', cwd: 'cwd' }),
    env: 'envs',
    cwd: 'cwd',
  };
}

/** How a client spells what it would otherwise take for something else. */
export interface LaunchEscaping {
  readonly write: (launch: Launch) => Launch;
  readonly read: (launch: Launch) => Launch;
}

export function withEscaping(shape: EntryShape, { write, read }: LaunchEscaping): EntryShape {
  return {
    ...shape,
    entry: (launch, key) => shape.entry(write(launch), key),
    launchOf: (entry) => {
      const launch = shape.launchOf(entry);
      return launch && read(launch);
    },
  };
}

/**
 * Commands, arguments and variables are read as a shell reads the body of a here-document.
 * @see https://github.com/charmbracelet/crush internal/shell/expand.go
 */
export const hereDocument: LaunchEscaping = {
  write: (launch) => mapTexts(launch, (text) => text.replace(/[\\$`]/g, '\\$&')),
  read: (launch) => mapTexts(launch, (text) => text.replace(/\\([\\$`])/g, '$1')),
};

/**
 * A variable's value that begins with `!` is run as a command; two of them mean one.
 * @see https://github.com/nicobailon/pi-mcp-adapter README, "Server options"
 */
export const bangCommands: LaunchEscaping = {
  write: (launch) => mapEnv(launch, (value) => value.replace(/^!/, '!!')),
  read: (launch) => mapEnv(launch, (value) => value.replace(/^!!/, '!')),
};

/**
 * An entry with references in the place of secrets. They are put in afterwards, since a shape may spell a plain value so
 * that it does not read as one.
 */
export function withReferences(
  entry: ConfigEntry,
  { env }: EntryShape,
  references: Launch['env'],
): ConfigEntry {
  const plain = entry[env];
  const held = plain !== undefined && isTextMap(plain) ? plain : {};
  return { ...entry, ...unlessEmpty(env, { ...held, ...references }) };
}

/** What npm and its kin install as a batch file. */
const batchFile = /^(?:npx|npm|pnpx|pnpm|yarn)$|\.(?:cmd|bat)$/i;

/** What the system can start of a launch: Windows starts batch files only through its shell. */
export function toStartable(launch: Launch, platform: NodeJS.Platform): Launch {
  if (platform !== 'win32' || !batchFile.test(launch.command)) return launch;
  return { ...launch, command: 'cmd', args: ['/c', launch.command, ...launch.args] };
}

function launchFrom(
  words: readonly (ConfigValue | undefined)[],
  entry: ConfigEntry,
  fields: { readonly args?: string; readonly env: string; readonly cwd: string | undefined },
): Launch | undefined {
  const further = fields.args === undefined ? [] : (entry[fields.args] ?? []);
  const env = entry[fields.env] ?? {};
  const cwd = fields.cwd === undefined ? undefined : entry[fields.cwd];
  const [command, ...args] = [...words, ...(Array.isArray(further) ? further : [undefined])];
  if (!isText(command) || !args.every(isText) || !isTextMap(env)) return undefined;
  return { command, args, env, ...(isText(cwd) && { cwd }) };
}

function isText(value: ConfigValue | undefined): value is string {
  return typeof value === 'string';
}

function isTextMap(value: ConfigValue): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
  );
}

function unlessEmpty(field: string, env: Launch['env']): ConfigEntry {
  return Object.keys(env).length > 0 ? { [field]: env } : {};
}

function folderField({ cwd }: Launch, field: string | undefined): ConfigEntry {
  return cwd === undefined || field === undefined ? {} : { [field]: cwd };
}

function mapTexts(launch: Launch, change: (text: string) => string): Launch {
  return mapEnv({ ...launch, command: change(launch.command), args: launch.args.map(change) }, change);
}

function mapEnv(launch: Launch, change: (value: string) => string): Launch {
  const env = Object.entries(launch.env).map(([name, value]) => [name, change(value)]);
  return { ...launch, env: Object.fromEntries(env) };
}
