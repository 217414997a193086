import { AgentToolsError } from '../base/errors.js';
import { positionAt } from '../base/files/json-text.js';
import { readTextFile } from '../base/files/text-file.js';
import type {
  Client,
  ClientEnvironment,
  ConfigFormat,
  EntryLayout,
  SyntaxTolerance,
  WritableClient,
} from '../clients/client.js';
import { readConfigDocument } from '../clients/edit/entries.js';
import {
  type ConfigFile,
  configFile,
  entryLayoutIn,
  listWarnings,
  type NoConfigFile,
  projectFile,
  userFile,
} from '../clients/locate-config.js';
import { toUserError } from './config-fault.js';

/** Selects one of a client's config files. */
export type Scope =
  | { readonly kind: 'user' }
  | { readonly kind: 'project'; readonly folder: string }
  | { readonly kind: 'config'; readonly file: string };

/** A config file and the layout of its entries. */
export interface EntryTarget {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly layout: EntryLayout;
  readonly tolerance: SyntaxTolerance;
  /** Initial content of a new file. */
  readonly template?: string;
  /** Warnings for the user, in sentences. */
  readonly cautions: readonly string[];
}

interface EntryTargetInput {
  readonly key: string;
  readonly surroundings: ClientEnvironment;
}

/**
 * Locates the file and the layout for an entry of a client.
 * @throws AgentToolsError if the client has no such file, or its layout cannot be read.
 */
export async function locateEntryTarget(
  client: WritableClient,
  scope: Scope,
  facts: EntryTargetInput,
): Promise<EntryTarget> {
  const found = locateConfigFile(client, scope, facts);
  if (found.file === undefined) throw new AgentToolsError('not-found', found.reason);
  const { container: _, ...place } = found;
  const layout = client.layoutIn ? await readLayout(client, found) : client;
  const fileScope = scope.kind === 'project' ? 'project' : 'user';
  const cautions = listWarnings(client, fileScope, facts.surroundings);
  return { ...place, layout, cautions };
}

function locateConfigFile(
  client: Client,
  scope: Scope,
  { key, surroundings }: EntryTargetInput,
): ConfigFile | NoConfigFile {
  if (scope.kind === 'project') return projectFile(client, scope.folder, surroundings, key);
  if (scope.kind === 'user' || client.manual) return userFile(client, surroundings, key);
  return configFile(client, scope.file, key);
}

async function readLayout(client: WritableClient, { file, format }: ConfigFile): Promise<EntryLayout> {
  try {
    const { text } = await readTextFile(file);
    return entryLayoutIn(client, text === null ? undefined : await readConfigDocument(text, format));
  } catch (error) {
    throw await toUserError(error, file);
  }
}

/** Explains in a sentence why a client cannot read a text; empty if it can. */
export async function explainUnreadable(
  { file, format, tolerance }: EntryTarget,
  text: string | null,
): Promise<readonly string[]> {
  if (text === null) return [];
  const cannot = (offset: number, message: string) => {
    const { line, column } = positionAt(text, offset);
    return [`The client may not read this file. ${file}:${line}:${column}: ${message}`];
  };
  const hasMark = text.startsWith('\uFEFF');
  if (hasMark && !tolerance.bom)
    return cannot(0, 'It begins with a byte order mark, which the client cannot read.');
  if (format !== 'json' && format !== 'jsonc') return [];
  const { findUnsupportedSyntax } = await import('../clients/edit/json.js');
  const start = hasMark ? 1 : 0;
  const fault = findUnsupportedSyntax(text.slice(start), tolerance);
  return fault ? cannot((fault.offset ?? 0) + start, `${fault.message} Remove it.`) : [];
}

/** True if a client has a file of this scope. */
export function hasPlace(client: Client, scope: Scope, surroundings: ClientEnvironment): boolean {
  return locateConfigFile(client, scope, { key: 'key', surroundings }).file !== undefined;
}

/**
 * Config files of a client for the user and for a project, with `<key>` for the key of an entry; null if the
 * client has none.
 */
export function locateClientFiles(
  client: Client,
  surroundings: ClientEnvironment,
): { readonly user: string | null; readonly project: string | null } {
  const user = userFile(client, surroundings, '<key>').file;
  const project = projectFile(client, '', surroundings, '<key>').file;
  return { user: user ?? null, project: project ?? null };
}
