import { isString } from '../base/value-checks.js';
import type { EntryShape, Launch } from './client.js';
import type { ConfigEntry, ConfigValue } from './edit/editor.js';

/** Fields of a client's entries in addition to command, arguments and variables. */
export interface EntryExtras {
  readonly before?: ConfigEntry;
  readonly after?: ConfigEntry;
  /** True if the entry holds its key as `name`. Default: false. */
  readonly named?: boolean;
  /** Field for the working directory. */
  readonly cwd?: string;
}

/** The shape of most clients: `command`, `args` and `env`. */
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

/** Command and arguments are one list. Version 2 of the layout has no `enabled`. */
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

/** Writes every field that any revision of goose has required. */
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

/** Escapes text that a client would otherwise interpret; `read` is the inverse of `write`. */
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

/** Escapes one text; `read` is the inverse of `write`. */
export interface TextEscaping {
  readonly write: (text: string) => string;
  readonly read: (text: string) => string;
}

/**
 * Crush reads commands, arguments, variables, addresses and headers as a shell reads the body of a here-document.
 * @see https://github.com/charmbracelet/crush internal/shell/expand.go
 */
export const hereDocumentText: TextEscaping = {
  write: (text) => text.replace(/[\\$`]/g, '\\$&'),
  read: (text) => text.replace(/\\([\\$`])/g, '$1'),
};

export const hereDocument: LaunchEscaping = {
  write: (launch) => mapTexts(launch, hereDocumentText.write),
  read: (launch) => mapTexts(launch, hereDocumentText.read),
};

/**
 * The client runs the value of a variable or header that begins with `!` as a command; `!!` means one `!`.
 * @see https://github.com/nicobailon/pi-mcp-adapter README, "Server options"
 */
export const bangText: TextEscaping = {
  write: (text) => text.replace(/^!/, '!!'),
  read: (text) => text.replace(/^!!/, '!'),
};

export const bangCommands: LaunchEscaping = {
  write: (launch) => mapEnv(launch, bangText.write),
  read: (launch) => mapEnv(launch, bangText.read),
};

/**
 * Returns an entry with references in place of secrets. References are added after escaping, so that they
 * stay references.
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

/** Commands that npm and similar tools install as batch files. */
const batchFile = /^(?:npx|npm|pnpx|pnpm|yarn)$|\.(?:cmd|bat)$/i;

/** Returns a launch that the system can start. Windows starts batch files only through its shell. */
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
  if (!isString(command) || !args.every(isString) || !isTextMap(env)) return undefined;
  return { command, args, env, ...(isString(cwd) && { cwd }) };
}

function isTextMap(value: ConfigValue): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isString)
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
