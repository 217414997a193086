import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { guardWrite } from '../../../engine/base/file-fault.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { clientName } from '../../../engine/clients/client-name.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import type { Scope } from '../../../engine/installation/entry-target.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { type UninstallResult, uninstall } from '../../../engine/installation/uninstall.js';
import type { Host } from '../../../host.js';
import { askYesNo } from '../../shared/ask-question.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { hasFailed, toExitCode } from '../../shared/exit-outcome.js';
import { renderJson } from '../../shared/text/json.js';
import { uninstallData, uninstallDiff, uninstallLines } from '../../shared/text/uninstallation.js';

interface EverythingInput {
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/**
 * Removes all entries of all client apps and projects, and then the data of AgentTools. The data stay if an entry stays.
 * @throws AgentToolsError without consent, or if a record cannot be read
 */
export async function uninstallEverything(
  { dryRun, force, yes, json }: EverythingInput,
  host: Host,
): Promise<ExitCode> {
  const { surroundings, receipts } = installationFolders(host);
  const { records, notes } = await receipts.all();
  if (notes.length > 0) throw new AgentToolsError('refused', notes.join(' '));
  const all = records.flatMap((record) => record.receipts);
  const { dataFolder, cacheFolder } = workspaceFolders(host);
  const folders = [dataFolder, cacheFolder].filter((folder) => existsSync(folder));
  for (const folder of folders) requireOwnFolder(folder, host);
  const question = `Remove ${all.length} entries from client apps, and ${folders.join(' and ')}, with packages, user servers and secrets?`;
  if (!dryRun && !yes) {
    const consent = await askYesNo(visibleText(question), host);
    if (consent === undefined)
      throw new AgentToolsError('usage', '--everything asks for consent. Without a terminal, add --yes.');
    if (!consent) throw new AgentToolsError('interrupted', 'Nothing was removed.');
  }
  const results: UninstallResult[] = [];
  for (const scope of scopesOf(all)) {
    const request = { clients: undefined, scope, reference: undefined, name: undefined, force, dryRun };
    const done = await uninstall(request, { cwd: host.cwd, home: host.home, surroundings, receipts });
    results.push(...done.results);
  }
  const wording = { dryRun, nameOf: clientName };
  const instead = { here: [], elsewhere: [] };
  if (results.length > 0) host.stderr.write(uninstallLines({ results, notes: [], instead }, wording));
  if (json) host.stdout.write(renderJson(uninstallData(results, { dryRun })));
  else if (dryRun) host.stdout.write(uninstallDiff(results, wording));
  if (results.some(hasFailed)) {
    host.stderr.write(visibleText(`${dataFolder} stays, because entries need it.\n`));
    return toExitCode(results);
  }
  for (const folder of folders) {
    if (!dryRun) await guardWrite(folder, () => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    host.stderr.write(visibleText(`${dryRun ? 'Would remove' : 'Removed'} ${folder}.\n`));
  }
  host.stderr.write('To remove the program: npm uninstall --global agenttools\n');
  return toExitCode(results);
}

/** The user, each project and each file of entries. */
function scopesOf(all: readonly Receipt[]): readonly Scope[] {
  const projects = new Set(
    all.flatMap(({ scope, project }) => (scope === 'project' && project ? [project] : [])),
  );
  const files = new Set(all.flatMap(({ scope, file }) => (scope === 'config' ? [file] : [])));
  return [
    { kind: 'user' },
    ...[...projects].map((folder): Scope => ({ kind: 'project', folder })),
    ...[...files].map((file): Scope => ({ kind: 'config', file })),
  ];
}

/** Files and folders in the data folder and the cache folder, and files that systems create in any folder. */
const ownNames = new Set([
  ...[
    '.gitignore',
    'agenttools.json',
    'allowed-findings.json',
    'bin',
    'bundles',
    'cache',
    'code',
    'existing-servers',
    'frozen',
  ],
  ...['history', 'listings', 'locks', 'mcp-registry', 'npm-servers', 'packages', 'previous', 'receipts'],
  ...['registry', 'secrets', 'servers', 'sigstore', 'surfaces', 'upstreams'],
  ...['.DS_Store', 'Thumbs.db', 'desktop.ini'],
]);

/** @throws AgentToolsError for a folder that holds more than data of AgentTools, as AGENTTOOLS_HOME may name */
function requireOwnFolder(folder: string, { home, cwd }: Host): void {
  const inside = folder.endsWith(path.sep) ? folder : folder + path.sep;
  const holds = [home, cwd].some((other) => other === folder || other.startsWith(inside));
  const names = readdirSync(folder);
  const foreign = names.filter((name) => !ownNames.has(name) && !name.startsWith('.agenttools-')).sort();
  if (!holds && foreign.length === 0) return;
  const found = foreign.length > 0 ? `: ${foreign.slice(0, 3).join(', ')}` : '';
  const message = `${folder} seems to hold more than data of AgentTools${found}. Remove the entries with "agenttools uninstall --all", and delete the data by hand.`;
  throw new AgentToolsError('refused', message);
}
