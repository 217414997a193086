import { parseWithComments } from '../base/files/json-text.js';
import { isString } from '../base/value-checks.js';
import type { ClientEnvironment, WritableClient } from './client.js';
import { configValueAt } from './edit/config-path.js';
import { isMap } from './edit/merge-entry.js';
import { writableClients } from './table/index.js';

/**
 * Guesses the client of a config file: by its exact path, its path ending, its extension, then its content.
 * Undefined if none of them decides.
 */
export function guessClient(
  file: string,
  text: string | undefined,
  surroundings: ClientEnvironment,
): WritableClient | undefined {
  const path = normalizePath(file);
  const data = parseLooseJson(text);
  return (
    byPlace(path, data, surroundings) ?? byId(guessByExtension(path, text)) ?? byId(byContent(path, data))
  );
}

/** Guesses the client of a missing config file: by its exact path or its path ending. */
export function guessOwner(file: string, surroundings: ClientEnvironment): WritableClient | undefined {
  return byPlace(normalizePath(file), undefined, surroundings);
}

function byPlace(path: string, data: unknown, surroundings: ClientEnvironment): WritableClient | undefined {
  return (
    pickByContainer(clientsWithFile(path, surroundings), data) ??
    pickByContainer(clientsByPathPattern(path), data)
  );
}

/** Unifies slashes and case of a path, for comparison. */
function normalizePath(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

function byId(id: string | undefined): WritableClient | undefined {
  return writableClients.find((client) => client.id === id);
}

/** Of clients that share a file, returns the one with its container in the data. Default: the first. */
function pickByContainer(candidates: readonly WritableClient[], data: unknown): WritableClient | undefined {
  return (
    candidates.find(({ container }) => configValueAt(data, container.path) !== undefined) ?? candidates[0]
  );
}

function clientsWithFile(path: string, surroundings: ClientEnvironment): readonly WritableClient[] {
  return writableClients.filter((client) =>
    client
      .userFiles(surroundings)
      .some((file) => new RegExp(`^${pathToRegExp(normalizePath(file))}$`).test(path)),
  );
}

interface PathPattern {
  readonly client: WritableClient;
  readonly ending: string;
}

/** Clients with a matching path ending; only those with the longest one. */
function clientsByPathPattern(path: string): readonly WritableClient[] {
  const found = patterns().filter(({ ending }) => new RegExp(`(?:^|/)${pathToRegExp(ending)}$`).test(path));
  const longest = Math.max(...found.map(({ ending }) => ending.length));
  return found.filter(({ ending }) => ending.length === longest).map(({ client }) => client);
}

/** Path endings of every client's files, independent of home folder and project. */
function patterns(): readonly PathPattern[] {
  return writableClients.flatMap((client) => {
    const ownFiles = systems.flatMap((surroundings) =>
      client.userFiles(surroundings).map(normalizePath).map(withoutBase),
    );
    const endings = [...ownFiles, ...(client.projectFiles ?? []).map(normalizePath)];
    return endings.map((ending) => ({ client, ending }));
  });
}

/** Each system with a home folder and no files. */
const systems = (['linux', 'darwin', 'win32'] as const).map(
  (platform): ClientEnvironment => ({
    home: platform === 'win32' ? 'C:\\home' : '/home',
    env: {},
    platform,
    exists: () => false,
    namesIn: () => [],
  }),
);

/** Removes the base folders of application data, which may be elsewhere. */
function withoutBase(path: string): string {
  return path.replace(
    /^(?:c:)?\/home\/(?:\.config\/|library\/application support\/|appdata\/(?:roaming|local)\/)?/,
    '',
  );
}

function pathToRegExp(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('<key>', '[^/]+');
}

/**
 * Few clients read TOML or YAML. In YAML, a list of servers belongs to Continue, a map of servers to an
 * unknown client.
 */
function guessByExtension(path: string, text = ''): string | undefined {
  if (path.endsWith('.toml')) return 'codex';
  if (!/\.ya?ml$/.test(path)) return undefined;
  const [, servers] = text.split(/^mcpServers:/m);
  if (servers === undefined) return 'goose';
  const held = servers.replace(/#.*$/gm, '').trim();
  return /^[-[]/.test(held) ? 'continue' : undefined;
}

/** Clients by the `$schema` of their files. */
const schemas: Readonly<Record<string, string>> = {
  'https://opencode.ai/config.json': 'opencode',
  'https://app.kilo.ai/config.json': 'kilo-code',
  'https://charm.land/crush.json': 'crush',
};

function byContent(path: string, data: unknown): string | undefined {
  const schema = configValueAt(data, ['$schema']);
  if (typeof schema === 'string' && Object.hasOwn(schemas, schema)) return schemas[schema];
  const holders = Object.entries(clientMarks).filter(([, isMarked]) => isMarked(data, path));
  const [first, ...others] = holders.map(([id]) => id);
  return others.length === 0 ? first : undefined;
}

/** Content that only the files of one client have. */
const clientMarks: Readonly<Record<string, (data: unknown, path: string) => boolean>> = {
  zed: (data) => isMap(configValueAt(data, ['context_servers'])),
  amp: (data) => isMap(configValueAt(data, ['amp.mcpServers'])),
  vscode: (data, path) => isMap(configValueAt(data, ['servers'])) && path.endsWith('/mcp.json'),
  opencode: (data) =>
    [configValueAt(data, ['mcp']), configValueAt(data, ['mcp', 'servers'])].some((held) =>
      entriesIn(held).some(
        ({ type, command, url }) =>
          (type === 'local' && Array.isArray(command)) || (type === 'remote' && isString(url)),
      ),
    ),
  // Remote entries of fx have the same type, and a field that Crush does not know.
  crush: (data) =>
    entriesIn(configValueAt(data, ['mcp'])).some(
      ({ type, command, url, enabled }) =>
        (type === 'stdio' && isString(command)) ||
        ((type === 'http' || type === 'sse') && isString(url) && enabled === undefined),
    ),
  'copilot-cli': (data) => standardEntries(data).some(({ tools }) => Array.isArray(tools)),
  cline: (data) =>
    standardEntries(data).some(
      ({ disabled, autoApprove, transport, type }) =>
        (typeof disabled === 'boolean' && Array.isArray(autoApprove)) ||
        isMap(transport) ||
        type === 'streamableHttp',
    ),
  'roo-code': (data) => standardEntries(data).some(({ alwaysAllow }) => Array.isArray(alwaysAllow)),
  'augment-vscode': (data) =>
    Array.isArray(data) && data.some((item) => isMap(item) && isString(item.name) && isString(item.type)),
};

function standardEntries(data: unknown): readonly Readonly<Record<string, unknown>>[] {
  return entriesIn(configValueAt(data, ['mcpServers']));
}

function entriesIn(container: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isMap(container) ? Object.values(container).filter(isMap) : [];
}

/** Parses JSON with or without comments; undefined if the text is not JSON. */
function parseLooseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const parsed = parseWithComments(text.replace(/^\uFEFF/, ''));
  return parsed.ok ? parsed.value : undefined;
}
