import { readFile } from 'node:fs/promises';
import { parseUrl } from '../base/parse-url.js';
import { utf8 } from '../base/utf8.js';
import type { Connection } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import { invalidParams } from '../protocol/request-errors.js';
import { page } from '../runtime/paging.js';
import { ProtocolError } from '../runtime/result-builders.js';
import type { ServerRuntime } from '../runtime/server-runtime.js';
import type { ResourceContents } from '../runtime/specs.js';
import { skillCatalog, upstreamFolders } from '../skills/catalog.js';
import { listResult, toCursor } from './lists.js';

/** `skills/list` @see SEP-2640 */
export async function listSkills(connection: Connection, { cursor }: WireObject): Promise<WireObject> {
  const { calls } = connection;
  const { skills } = await skillCatalog(calls);
  const own = [...skills.values()] as unknown as readonly WireObject[];
  const others = [...(calls.server.upstreamSkills ?? [])].flatMap(([uri, skill]) =>
    skills.has(uri) ? [] : [skill],
  );
  const entries = [...own, ...others];
  const { pageSize } = calls.server.registry;
  return { ...listResult('skills', page(entries, toCursor(cursor), pageSize)), ...cacheFields(connection) };
}

/** `skills/get` */
export async function getSkill(connection: Connection, { uri }: WireObject): Promise<WireObject> {
  const address = canonical(String(uri));
  const { skills } = await skillCatalog(connection.calls);
  const { upstreamSkills } = connection.calls.server;
  const skill = skills.get(address) ?? upstreamSkills?.get(String(uri)) ?? upstreamSkills?.get(address);
  if (!skill) throw new ProtocolError(invalidParams, `There is no skill at ${address}.`);
  return { skill, ...cacheFields(connection) };
}

/** `resources/directory/read` */
export async function readDirectory(
  connection: Connection,
  { uri, cursor }: WireObject,
): Promise<WireObject> {
  const address = canonical(String(uri));
  const { calls } = connection;
  const { folders } = await skillCatalog(calls);
  const folder = address.replace(/\/$/, '');
  const children =
    folders.get(folder) ?? upstreamFolders(calls.server.upstreamSkills?.values() ?? []).get(folder);
  if (!children) throw new ProtocolError(invalidParams, `There is no folder at ${address}.`);
  const { pageSize } = calls.server.registry;
  return {
    ...listResult('resources', page(children, toCursor(cursor), pageSize)),
    ...cacheFields(connection),
  };
}

/** Skill entries of `resources/list`: one for the `SKILL.md` of each skill. */
export async function skillEntries(calls: ServerRuntime): Promise<readonly WireObject[]> {
  const { skills } = await skillCatalog(calls);
  return [...skills.values()].map(({ uri, frontmatter: { name, description }, resources }) => {
    const own = resources === 'dynamic' ? undefined : resources.find((file) => file.uri === uri);
    return { uri, name, description, mimeType: 'text/markdown', ...(own && { size: own.size }) };
  });
}

/** Reads a skill file by its URI; undefined if no skill has it. */
export async function readSkillFile(
  calls: ServerRuntime,
  uri: string,
): Promise<ResourceContents | undefined> {
  const { files } = await skillCatalog(calls);
  const file = files.get(canonical(uri));
  if (!file) return undefined;
  const { mimeType } = file;
  const bytes = await readFile(file.path);
  const text = utf8(bytes);
  return { uri, mimeType, ...(text === undefined ? { blob: bytes.toString('base64') } : { text }) };
}

/** Normalizes a URI. Skill URIs are listed as `URL` serializes them. */
function canonical(uri: string): string {
  return parseUrl(uri)?.href ?? uri;
}

/** Cache fields of a result; empty before 2026-07-28. */
function cacheFields({ calls, era }: Connection): WireObject {
  const { ttlMs, scope } = calls.server.cache ?? { ttlMs: 0, scope: 'private' };
  return era === 'modern' ? { ttlMs, cacheScope: scope } : {};
}
