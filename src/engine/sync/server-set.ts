import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { readTextFileSync, statFile } from '../base/files/disk.js';
import { DocumentError, readDocument } from '../base/files/document.js';
import { positionAt, positionsIn } from '../base/files/json-text.js';
import { isRecord } from '../base/value-checks.js';
import { visibleLine } from '../base/visible-text.js';
import type { Scope } from '../installation/entry-target.js';
import type { ServerDeclaration } from '../installation/server-declaration.js';
import { checkLazily } from '../schema/validator.js';
import { type ClearSecret, clearSecretCode, findClearSecrets } from './clear-secrets.js';
import { setSchema } from './set-schema.js';

/** Name of the file with a set. */
const setFileName = 'agenttools.json';

/** A declared server, and the clients that get it. */
export interface DeclaredServer {
  readonly key: string;
  readonly declared: ServerDeclaration;
  /** Client ids, or `all`. */
  readonly clients: readonly string[];
  /** Fault that keeps the server out of all clients, with its place. Absent: none. */
  readonly fault?: string;
}

/** Servers that clients have in common. */
export interface ServerSet {
  /** Absolute path. */
  readonly file: string;
  readonly scope: Scope;
  readonly servers: readonly DeclaredServer[];
}

interface WrittenSet {
  readonly scope?: 'user' | 'project';
  readonly clients?: readonly string[];
  readonly servers: Readonly<Record<string, ServerDeclaration & { readonly clients?: readonly string[] }>>;
}

/** Folders with sets. */
export interface SetPlaces {
  readonly cwd: string;
  readonly dataFolder: string;
}

/**
 * Finds the set: the given file, the one of the working directory, or else the one of the data folder.
 * @throws AgentToolsError without a set
 */
export function findSet(given: string | undefined, { cwd, dataFolder }: SetPlaces): string {
  const files =
    given === undefined
      ? [cwd, dataFolder].map((folder) => path.join(folder, setFileName))
      : [path.resolve(cwd, given)];
  const found = files.find((file) => statFile(file)?.isFile());
  if (found !== undefined) return found;
  const message = `There is no server set: ${files.join(' and ')} ${files.length === 1 ? 'does' : 'do'} not exist. Write one with: agenttools export --out ${setFileName}`;
  throw new AgentToolsError('not-found', message);
}

let check: ReturnType<typeof checkLazily> | undefined;

/** Reads a set. @throws AgentToolsError with file, line and column of the first fault */
export async function readSet(
  file: string,
  { dataFolder }: Pick<SetPlaces, 'dataFolder'>,
): Promise<ServerSet> {
  const { value, text } = await readText(file);
  const fault = (message: string, at: readonly (string | number)[], isKey = false) => {
    const { line, column } = positionsIn(text)([...at], { key: isKey });
    return new AgentToolsError(
      'malformed-document',
      `${visibleLine(`${file}:${line}:${column}`)}: ${visibleLine(message)}`,
    );
  };
  check ??= checkLazily(setSchema, 'input');
  const checked = await check(value);
  const issues = checked.ok ? [] : checked.issues;
  const issue = issues.find(({ message }) => message.includes('known name')) ?? issues[0];
  if (issue) {
    const at = issue.path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    throw fault(issue.message.replace('The arguments', 'The set'), at, issue.message.includes('known name'));
  }
  const { servers, clients = [], scope } = value as unknown as WrittenSet;
  const folder = path.dirname(file);
  const isProject = scope === undefined ? folder !== path.resolve(dataFolder) : scope === 'project';
  return {
    file,
    scope: isProject ? { kind: 'project', folder } : { kind: 'user' },
    servers: Object.entries(servers).map(([key, { clients: own = clients, ...declared }]) => {
      const clear = clearFault(declared, { isProject });
      if (own.length > 0)
        return {
          key,
          declared: withPaths(declared, folder),
          clients: own,
          ...(clear && { fault: fault(clear.message, ['servers', key, ...clear.path]).message }),
        };
      throw fault(`No client gets "${key}". Add "clients", to the server or to the set.`, ['servers', key]);
    }),
  };
}

/** A secret in clear text would be copied into config files and records. Sets are committed and shared. */
function clearFault(
  declared: ServerDeclaration,
  { isProject }: { readonly isProject: boolean },
): { readonly message: string; readonly path: ClearSecret['path'] } | undefined {
  if (declared.allowFindings?.includes(clearSecretCode)) return undefined;
  const [found] = findClearSecrets(declared);
  if (!found) return undefined;
  const { what, name, path: at } = found;
  const keep = isProject ? `set the variable ${name}` : `store the value: agenttools secret set ${name}`;
  const message = `${what} holds a secret in clear text, so nothing is written. Write "\${${name}}" instead, and ${keep}. If others have the file, replace the secret. If it is no secret, add "allowFindings": ["${clearSecretCode}"] to the server.`;
  return { message, path: at };
}

/** Relative paths become absolute, as records have them. */
function withPaths(declared: ServerDeclaration, folder: string): ServerDeclaration {
  const { server, cwd } = declared;
  return {
    ...declared,
    ...(server !== undefined &&
      /^\.{1,2}(?:[\\/]|$)/.test(server) && { server: path.resolve(folder, server) }),
    ...(cwd !== undefined && { cwd: path.resolve(folder, cwd) }),
  };
}

async function readText(file: string): Promise<{ readonly text: string; readonly value: unknown }> {
  try {
    const { text, value } = await readDocument(file, path.basename(file), { comments: true });
    if (isRecord(value)) return { text, value };
    throw new AgentToolsError('malformed-document', `${file}:1:1: It does not hold an object.`);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { line, column } = positionAt(statFile(file) ? readTextFileSync(file) : '', error.offset ?? 0);
    throw new AgentToolsError('malformed-document', `${file}:${line}:${column}: ${error.message}`);
  }
}
