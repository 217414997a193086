import { parseWithComments } from '../base/files/json-text.js';
import type { ClientEnvironment, WritableClient } from './client.js';
import { configValueAt } from './edit/config-path.js';
import { isMap } from './edit/merge-entry.js';
import { writableClients } from './table/index.js';

/**
 * Whose a config file is: by the very path, by where such files lie, by its ending, by what it holds. Undefined if
 * that does not tell.
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

/** Whose a config file that is not there is to be: by the very path, or by where such files lie. */
export function guessOwner(file: string, surroundings: ClientEnvironment): WritableClient | undefined {
  return byPlace(normalizePath(file), undefined, surroundings);
}

function byPlace(path: string, data: unknown, surroundings: ClientEnvironment): WritableClient | undefined {
  return (
    pickByContainer(exactly(path, surroundings), data) ?? pickByContainer(clientsByPathPattern(path), data)
  );
}

/** One spelling of a path, for comparison. */
function normalizePath(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

function byId(id: string | undefined): WritableClient | undefined {
  return writableClients.find((client) => client.id === id);
}

/** Of clients that share a file, the one whose container it has; the first, where that does not tell. */
function pickByContainer(candidates: readonly WritableClient[], data: unknown): WritableClient | undefined {
  return (
    candidates.find(({ container }) => configValueAt(data, container.path) !== undefined) ?? candidates[0]
  );
}

function exactly(path: string, surroundings: ClientEnvironment): readonly WritableClient[] {
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

/** The clients whose files lie so, by the longest ending that is known. */
function clientsByPathPattern(path: string): readonly WritableClient[] {
  const found = patterns().filter(({ ending }) => new RegExp(`(?:^|/)${pathToRegExp(ending)}$`).test(path));
  const longest = Math.max(...found.map(({ ending }) => ending.length));
  return found.filter(({ ending }) => ending.length === longest).map(({ client }) => client);
}

/** Where each client's files lie, whatever the home folder and the project. */
function patterns(): readonly PathPattern[] {
  return writableClients.flatMap((client) => {
    const ownFiles = systems.flatMap((surroundings) =>
      client.userFiles(surroundings).map(normalizePath).map(withoutBase),
    );
    const endings = [...ownFiles, ...(client.projectFiles ?? []).map(normalizePath)];
    return endings.map((ending) => ({ client, ending }));
  });
}

/** Each system with nothing on it but a home folder. */
const systems = (['linux', 'darwin', 'win32'] as const).map(
  (platform): ClientEnvironment => ({
    home: platform === 'win32' ? 'C:\\home' : '/home',
    env: {},
    platform,
    exists: () => false,
    namesIn: () => [],
  }),
);

/** Not the folders that every program's files lie in, which may be elsewhere. */
function withoutBase(path: string): string {
  return path.replace(
    /^(?:c:)?\/home\/(?:\.config\/|library\/application support\/|appdata\/(?:roaming|local)\/)?/,
    '',
  );
}

function pathToRegExp(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('<key>', '[^/]+');
}

/** TOML and YAML have few readers. In YAML, a list of servers is Continue's, and a map of them of somebody unknown. */
function guessByExtension(path: string, text = ''): string | undefined {
  if (path.endsWith('.toml')) return 'codex';
  if (!/\.ya?ml$/.test(path)) return undefined;
  const [, servers] = text.split(/^mcpServers:/m);
  if (servers === undefined) return 'goose';
  const held = servers.replace(/#.*$/gm, '').trim();
  return /^[-[]/.test(held) ? 'continue' : undefined;
}

/** The schemas that files name. */
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

/** What only files of one client hold. */
const clientMarks: Readonly<Record<string, (data: unknown, path: string) => boolean>> = {
  zed: (data) => isMap(configValueAt(data, ['context_servers'])),
  amp: (data) => isMap(configValueAt(data, ['amp.mcpServers'])),
  vscode: (data, path) => isMap(configValueAt(data, ['servers'])) && path.endsWith('/mcp.json'),
  opencode: (data) =>
    [configValueAt(data, ['mcp']), configValueAt(data, ['mcp', 'servers'])].some((held) =>
      entriesIn(held).some(({ type, command }) => type === 'local' && Array.isArray(command)),
    ),
  crush: (data) =>
    entriesIn(configValueAt(data, ['mcp'])).some(
      ({ type, command }) => type === 'stdio' && typeof command === 'string',
    ),
  'copilot-cli': (data) => standardEntries(data).some(({ tools }) => Array.isArray(tools)),
  cline: (data) =>
    standardEntries(data).some(
      ({ disabled, autoApprove, transport }) =>
        (typeof disabled === 'boolean' && Array.isArray(autoApprove)) || isMap(transport),
    ),
  'roo-code': (data) => standardEntries(data).some(({ alwaysAllow }) => Array.isArray(alwaysAllow)),
  'augment-vscode': (data) =>
    Array.isArray(data) && data.some((item) => isMap(item) && isText(item.name) && isText(item.type)),
};

function standardEntries(data: unknown): readonly Readonly<Record<string, unknown>>[] {
  return entriesIn(configValueAt(data, ['mcpServers']));
}

function entriesIn(container: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isMap(container) ? Object.values(container).filter(isMap) : [];
}

/** What a text holds that is JSON, comments or not; undefined if it is something else. */
function parseLooseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const parsed = parseWithComments(text.replace(/^\uFEFF/, ''));
  return parsed.ok ? parsed.value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
