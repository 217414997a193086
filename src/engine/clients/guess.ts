import { parseWithComments } from '../files/json-text.js';
import type { ClientEnvironment, WritableClient } from './client.js';
import { isMap } from './edit/merge.js';
import { valueAt } from './edit/path.js';
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
  const path = plain(file);
  const data = parseLooseJson(text);
  return byPlace(path, data, surroundings) ?? byId(byEnding(path, text)) ?? byId(byContent(path, data));
}

/** Whose a config file that is not there is to be: by the very path, or by where such files lie. */
export function guessOwner(file: string, surroundings: ClientEnvironment): WritableClient | undefined {
  return byPlace(plain(file), undefined, surroundings);
}

function byPlace(path: string, data: unknown, surroundings: ClientEnvironment): WritableClient | undefined {
  return fitting(exactly(path, surroundings), data) ?? fitting(byPattern(path), data);
}

/** One spelling of a path, for comparison. */
function plain(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

function byId(id: string | undefined): WritableClient | undefined {
  return writableClients.find((client) => client.id === id);
}

/** Of clients that share a file, the one whose container it has; the first, where that does not tell. */
function fitting(candidates: readonly WritableClient[], data: unknown): WritableClient | undefined {
  return candidates.find(({ container }) => valueAt(data, container.path) !== undefined) ?? candidates[0];
}

function exactly(path: string, surroundings: ClientEnvironment): readonly WritableClient[] {
  return writableClients.filter((client) =>
    client.userFiles(surroundings).some((file) => new RegExp(`^${patternOf(plain(file))}$`).test(path)),
  );
}

interface Pattern {
  readonly client: WritableClient;
  readonly ending: string;
}

/** The clients whose files lie so, by the longest ending that is known. */
function byPattern(path: string): readonly WritableClient[] {
  const found = patterns().filter(({ ending }) => new RegExp(`(?:^|/)${patternOf(ending)}$`).test(path));
  const longest = Math.max(...found.map(({ ending }) => ending.length));
  return found.filter(({ ending }) => ending.length === longest).map(({ client }) => client);
}

/** Where each client's files lie, whatever the home folder and the project. */
function patterns(): readonly Pattern[] {
  return writableClients.flatMap((client) => {
    const ownFiles = systems.flatMap((surroundings) =>
      client.userFiles(surroundings).map(plain).map(withoutBase),
    );
    const endings = [...ownFiles, ...(client.projectFiles ?? []).map(plain)];
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

function patternOf(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('<key>', '[^/]+');
}

/** TOML and YAML have few readers. In YAML, a list of servers is Continue's, and a map of them of somebody unknown. */
function byEnding(path: string, text = ''): string | undefined {
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
  const schema = valueAt(data, ['$schema']);
  if (typeof schema === 'string' && Object.hasOwn(schemas, schema)) return schemas[schema];
  const holders = Object.entries(marks).filter(([, isMarked]) => isMarked(data, path));
  const [first, ...others] = holders.map(([id]) => id);
  return others.length === 0 ? first : undefined;
}

/** What only files of one client hold. */
const marks: Readonly<Record<string, (data: unknown, path: string) => boolean>> = {
  zed: (data) => isMap(valueAt(data, ['context_servers'])),
  amp: (data) => isMap(valueAt(data, ['amp.mcpServers'])),
  vscode: (data, path) => isMap(valueAt(data, ['servers'])) && path.endsWith('/mcp.json'),
  opencode: (data) =>
    [valueAt(data, ['mcp']), valueAt(data, ['mcp', 'servers'])].some((held) =>
      entriesIn(held).some(({ type, command }) => type === 'local' && Array.isArray(command)),
    ),
  crush: (data) =>
    entriesIn(valueAt(data, ['mcp'])).some(
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
  return entriesIn(valueAt(data, ['mcpServers']));
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
