import { readFile } from 'node:fs/promises';
import { ProtocolError } from '../../items/builders.js';
import type { ServerRuntime } from '../../items/server-runtime.js';
import { page } from '../../items/paging.js';
import type { ResourceContents } from '../../items/specs.js';
import { utf8 } from '../../utf8.js';
import type { Connection } from '../context.js';
import { skillCatalog } from '../skills/catalog.js';
import { invalidParams } from './errors.js';
import type { Wire } from './handler.js';
import { listResult, cursorOf } from './lists.js';

/** `skills/list` @see SEP-2640 */
export async function listSkills(connection: Connection, { cursor }: Wire): Promise<Wire> {
  const { calls } = connection;
  const { skills } = await skillCatalog(calls);
  const entries = [...skills.values()] as unknown as readonly Wire[];
  const { pageSize } = calls.server.registry;
  return { ...listResult('skills', page(entries, cursorOf(cursor), pageSize)), ...keeping(connection) };
}

/** `skills/get` */
export async function getSkill(connection: Connection, { uri }: Wire): Promise<Wire> {
  const address = canonical(String(uri));
  const { skills } = await skillCatalog(connection.calls);
  const skill = skills.get(address);
  if (!skill) throw new ProtocolError(invalidParams, `There is no skill at ${address}.`);
  return { skill, ...keeping(connection) };
}

/** `resources/directory/read` */
export async function readDirectory(connection: Connection, { uri, cursor }: Wire): Promise<Wire> {
  const address = canonical(String(uri));
  const { calls } = connection;
  const { folders } = await skillCatalog(calls);
  const children = folders.get(address.replace(/\/$/, ''));
  if (!children) throw new ProtocolError(invalidParams, `There is no folder at ${address}.`);
  const { pageSize } = calls.server.registry;
  return { ...listResult('resources', page(children, cursorOf(cursor), pageSize)), ...keeping(connection) };
}

/** What `resources/list` shows of skills: what each begins with. */
export async function skillEntries(calls: ServerRuntime): Promise<readonly Wire[]> {
  const { skills } = await skillCatalog(calls);
  return [...skills.values()].map(({ uri, frontmatter: { name, description }, resources }) => {
    const own = resources === 'dynamic' ? undefined : resources.find((file) => file.uri === uri);
    return { uri, name, description, mimeType: 'text/markdown', ...(own && { size: own.size }) };
  });
}

/** A file of a skill by its address; undefined if there is none. */
export async function readSkillFile(calls: ServerRuntime, uri: string): Promise<ResourceContents | undefined> {
  const { files } = await skillCatalog(calls);
  const file = files.get(canonical(uri));
  if (!file) return undefined;
  const { mimeType } = file;
  const bytes = await readFile(file.path);
  const text = utf8(bytes);
  return { uri, mimeType, ...(text === undefined ? { blob: bytes.toString('base64') } : { text }) };
}

/** Addresses are told in the form that `URL` gives them. */
function canonical(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).href : uri;
}

/** How long an answer may be kept, where the protocol has that. */
function keeping({ calls, era }: Connection): Wire {
  const { ttlMs, scope } = calls.server.cache ?? { ttlMs: 0, scope: 'private' };
  return era === 'modern' ? { ttlMs, cacheScope: scope } : {};
}
