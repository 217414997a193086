import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { ancestorFolders } from '../base/files/ancestor-folders.js';
import { statFile } from '../base/files/disk.js';
import { DocumentError, readDocument } from '../base/files/document.js';
import type { DocumentPath, Position } from '../base/files/document-path.js';
import { isRecord, isString } from '../base/value-checks.js';
import { visibleLine } from '../base/visible-text.js';
import { isWorkspaceRoot } from '../npm/workspaces.js';
import { type RuleSettings, readRuleSettings, type Suppression } from './rule-settings.js';
import { ruleTable } from './rules/index.js';
import type { SharedRules } from './validate.js';

/** File with the settings that the packages of a repository share. */
const sharedConfigFile = 'agenttools.config.json';

/** Settings that the packages of a repository share. */
export interface SharedConfig {
  /** Absolute path. */
  readonly file: string;
  readonly rules: RuleSettings;
  /** Values of `--clients`. */
  readonly clients?: readonly string[];
  /** Tokens of `--budget`; true without a number. */
  readonly budget?: number | true;
  /** Absolute path of the baseline. */
  readonly baseline?: string;
  readonly positionOf: (at: DocumentPath) => Promise<Position>;
}

/**
 * Finds the shared config of a package: in its folder, or in the nearest folder above that has one, up to the root of the
 * workspaces or of the git repository. Outside of both, only the folder of the package counts.
 */
export function findSharedConfig(directory: string): string | undefined {
  const folders = ancestorFolders(directory);
  const index = folders.findIndex((folder) => statFile(path.join(folder, sharedConfigFile))?.isFile());
  if (index === -1) return undefined;
  const border = folders.findIndex(isBorder);
  return index === 0 || index <= border ? path.join(folders[index]!, sharedConfigFile) : undefined;
}

/** A repository can be inside workspaces, but workspaces reach over the borders of no repository. */
function isBorder(folder: string): boolean {
  return statFile(path.join(folder, '.git')) !== undefined || isWorkspaceRoot(folder);
}

const keys = ['$schema', 'rules', 'clients', 'budget', 'baseline'];

/**
 * Reads a shared config, with comments and trailing commas.
 * @throws AgentToolsError `usage` with file, line and column of the first fault
 */
export async function readSharedConfig(file: string): Promise<SharedConfig> {
  const { text, value } = await readText(file);
  const positionOf = async (at: DocumentPath, key = false) => {
    const { positionsIn } = await import('../base/files/json-text.js');
    return positionsIn(text)(at, { key });
  };
  const fault = async (message: string, at: DocumentPath, key = false) =>
    faultAt(file, await positionOf(at, key), message);
  if (!isRecord(value)) throw await fault('It does not hold an object.', []);
  for (const key of Object.keys(value))
    if (!keys.includes(key) && !key.startsWith('x-'))
      throw await fault(`Unknown key "${key}". Keys: ${keys.join(', ')}.`, [key], true);
  const { clients, budget, baseline } = value;
  if (clients !== undefined && !(Array.isArray(clients) && clients.every(isString)))
    throw await fault('"clients" is not a list of client ids. Example: ["codex", "claude-code"].', [
      'clients',
    ]);
  if (budget !== undefined && budget !== true && !(Number.isInteger(budget) && Number(budget) > 0))
    throw await fault('"budget" is not a number of tokens above 0, or true for the default limits.', [
      'budget',
    ]);
  if (baseline !== undefined && (!isString(baseline) || baseline === ''))
    throw await fault('"baseline" is not the path of a file.', ['baseline']);
  const rules = readRuleSettings(value.rules);
  const [first] = rules.faults;
  if (first) throw await fault(first.message, ['rules', ...first.path]);
  const unknown = rules.codes.find(({ code }) => !ruleTable.some((row) => row.code === code));
  if (unknown)
    throw await fault(
      `There is no rule "${unknown.code}". List them with: agenttools explain`,
      ['rules', ...unknown.path],
      unknown.path.at(-1) !== 'code',
    );
  return {
    file,
    rules,
    ...(clients !== undefined && { clients: clients as readonly string[] }),
    ...(budget !== undefined && { budget: budget as number | true }),
    ...(isString(baseline) && { baseline: path.resolve(path.dirname(file), baseline) }),
    positionOf,
  };
}

async function readText(file: string): Promise<{ readonly text: string; readonly value: unknown }> {
  try {
    return await readDocument(file, path.basename(file), { comments: true });
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { readFile } = await import('node:fs/promises');
    const { positionAt } = await import('../base/files/json-text.js');
    const text = await readFile(file, 'utf8').catch(() => '');
    throw faultAt(file, positionAt(text, error.offset ?? 0), error.message);
  }
}

/** The error about a value of a config. */
export async function configFault(
  { file, positionOf }: SharedConfig,
  message: string,
  at: DocumentPath,
): Promise<AgentToolsError> {
  return faultAt(file, await positionOf(at), message);
}

function faultAt(file: string, { line, column }: Position, message: string): AgentToolsError {
  return new AgentToolsError('usage', `${visibleLine(`${file}:${line}:${column}`)}: ${visibleLine(message)}`);
}

/** The rules of a shared config for the package in a folder. Paths in the config are relative to the config. */
export function rulesFor({ file, rules }: SharedConfig, directory: string): SharedRules {
  const folder = path.relative(path.dirname(file), directory).replaceAll(path.sep, '/');
  const prefix = folder === '' ? '' : `${folder}/`;
  const suppressions = rules.suppressions.flatMap((entry): Suppression[] => {
    if (entry.path === undefined) return [entry];
    const named = entry.path.replaceAll('\\', '/').replace(/^\.\//, '');
    return named.startsWith(prefix) ? [{ ...entry, path: named.slice(prefix.length) }] : [];
  });
  return { severities: rules.severities, suppressions };
}
