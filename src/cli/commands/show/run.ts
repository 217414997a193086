import { isUnknownName } from '../../../engine/base/errors.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { showExisting } from '../../../engine/bridge/show-existing.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import { isPublished, propertyOf } from '../../../engine/discovery/facts-property.js';
import { type FindPublished, publishedExtensions } from '../../../engine/discovery/published-lookup.js';
import { show } from '../../../engine/discovery/show-reference.js';
import { withExistingHint } from '../../../engine/existing-servers/naming-hint.js';
import {
  commandReference,
  readServerReference,
  shownReference,
} from '../../../engine/existing-servers/server-reference.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { PackageStore } from '../../../engine/packages/package-store.js';
import type { Adapt } from '../../../engine/runtime/adapt.js';
import type { Host } from '../../../host.js';
import { existingDeps, findExisting } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { openHostRegistry } from '../../shared/mcp-registry.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { withProgress } from '../../shared/progress.js';
import { runWithGuard } from '../../shared/run-guarded.js';
import { findSignIns } from '../../shared/signed-in.js';
import { findingsData } from '../../shared/text/findings.js';
import { renderJson } from '../../shared/text/json.js';
import { signInLine } from '../../shared/text/sign-in.js';
import { renderCost } from '../../shared/text/token-costs.js';
import { openWorkspace } from '../../shared/workspace.js';
import { writeNote } from '../../shared/write-note.js';
import { renderFacts, renderValue } from './text.js';

export interface ShowInput {
  /** A server, a package or an item. Empty with `command`. */
  readonly reference: string;
  /** Command of an existing server. Only run to list its tools. */
  readonly command?: readonly string[] | undefined;
  readonly property: string | undefined;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  /** True for the tokens of the tools instead of the facts. */
  readonly tokens: boolean;
  /** Client to show the tools for. */
  readonly as?: string | undefined;
  /** Client to print a config entry for. */
  readonly client?: string | undefined;
  /** Adaptation of the tools for the client. Default: the choice of the server. */
  readonly adapt?: Adapt | undefined;
  readonly json: boolean;
}

/** Prints everything known about a server, a package or an item, or one property of it. */
export async function showCommand(input: ShowInput, host: Host): Promise<ExitCode> {
  const { property, client, json } = input;
  if (property?.toLowerCase() === 'config' || client !== undefined) {
    const { showConfig } = await import('./config.js');
    return await showConfig(input, host);
  }
  const notes: string[] = [];
  const facts = await runWithGuard(host, async () =>
    withSignature(await findFacts(input, host, (note) => void notes.push(note)), host),
  ).finally(() => {
    for (const note of notes) writeNote(host, note);
  });
  if (input.tokens || input.as !== undefined) {
    await showListed(facts, input, host);
    return ExitCode.Ok;
  }
  if (property !== undefined) {
    if (property.toLowerCase() === 'directory' && 'location' in facts)
      writeNote(host, 'The property "directory" is now named "location".');
    const value = propertyOf(property === 'findings' ? await withFindings(facts) : facts, property);
    host.stdout.write(json ? renderJson(value) : renderValue(value));
    return ExitCode.Ok;
  }
  if (isPublished(facts)) {
    const name = 'package' in facts ? facts.package : facts.name;
    host.stderr.write(`note: ${name} is not installed. Add it with: agenttools add ${name}\n`);
  }
  const signIn = facts.kind === 'existing server' ? (await findSignIns(host))(facts.launch) : undefined;
  const known = signIn ? { ...facts, signIn: json ? signIn : signInLine(signIn) } : facts;
  const shown = await withFindings(known);
  host.stdout.write(json ? renderJson(shown) : renderFacts(shown, { color: host.color }));
  return ExitCode.Ok;
}

/** Prints the tools for a client, or their tokens. Faults of their texts go to stderr. */
async function showListed(facts: Facts, input: ShowInput, host: Host): Promise<void> {
  const { tokens, as, adapt, json } = input;
  const { findListedTools } = await import('./listed-tools.js');
  const listed = await findListedTools(facts, { ...input, option: tokens ? '--tokens' : `--as ${as}` }, host);
  const { listedFindings } = await import('./findings.js');
  for (const line of listedFindings(listed)) host.stderr.write(`${line}\n`);
  const { adaptListed, renderAdapted } = await import('./adapted.js');
  const adapted = as === undefined ? undefined : adaptListed(listed, as, adapt);
  if (adapted && !tokens) {
    host.stdout.write(json ? renderJson(adapted) : renderAdapted(adapted));
    return;
  }
  const tools = adapted ? adapted.tools.map(({ tool }) => tool) : listed.tools;
  const { measureTools } = await import('./tokens.js');
  const cost = await measureTools({ ...listed, tools }, host);
  host.stdout.write(json ? renderJson(cost) : renderCost(cost, { color: host.color }));
}

/** Adds faults of the texts that models read, if there are any. */
async function withFindings(facts: Facts): Promise<Facts> {
  const { findingsIn } = await import('./findings.js');
  return { ...facts, ...findingsData(await findingsIn(facts)) };
}

/** Adds the state of the registry signature and the provenance, as checked when the package was added. */
async function withSignature(facts: Facts, host: Host): Promise<Facts> {
  if (!('location' in facts)) return facts;
  const store = new PackageStore(workspaceFolders(host).packagesFolder);
  const { signature, provenance } = (await store.findByFolder(facts.location))?.record ?? {};
  return { ...facts, ...(signature && { signature }), ...(provenance && { builtFrom: provenance }) };
}

async function findFacts(
  { reference, command, mcpRegistry }: ShowInput,
  host: Host,
  note: (text: string) => void,
): Promise<Facts> {
  const { homeDirectory } = workspaceFolders(host);
  const { receipts } = installationFolders(host);
  const find = publishedExtensions({ npm: npmSetting(host) });
  return await withProgress(host, (tell) => {
    const published: FindPublished = async (name) => {
      tell(`Asking the registry for ${name}`);
      return await find(name);
    };
    const place = { workspace: openWorkspace(host), cwd: host.cwd, homeDirectory, receipts, published, note };
    const existing = () => {
      const signal = AbortSignal.timeout(registryTimeLimitMs);
      return existingDeps(host, { mcpRegistry, report: note, tell, signal });
    };
    if (command) {
      const meant = commandReference(command);
      return showExisting({ text: shownReference(meant) ?? '', meant }, existing());
    }
    const read = mayBeExisting(reference) ? readServerReference(reference) : undefined;
    if (read && read.kind !== 'name' && read.kind !== 'path' && read.kind !== 'registry')
      return showExisting({ text: shownReference(read) ?? reference, meant: read }, existing());
    return show(reference, place).catch(async (error: unknown) => {
      if (!isUnknownName(error)) throw error;
      const named = await findExisting(reference, undefined, host, { starts: false });
      if (named && named.meant.kind !== 'registry') return await showExisting(named, existing());
      const entry = readEntryName(reference);
      if (!entry) throw withExistingHint(error, reference);
      tell(`Asking the MCP Registry for ${entry.name}`);
      const registry = await openHostRegistry(mcpRegistry, host);
      const { showRegistryEntry } = await import('../../../engine/discovery/show-registry-entry.js');
      return await showRegistryEntry({
        registry,
        ...entry,
        signal: AbortSignal.timeout(registryTimeLimitMs),
      });
    });
  });
}

/** Time limit for one entry, since the user waits for it. */
const registryTimeLimitMs = 20_000;

/** The entry that a reference names; undefined if it is no entry of the MCP Registry. */
function readEntryName(reference: string): { readonly name: string; readonly version?: string } | undefined {
  const read = readServerReference(reference);
  return read.kind === 'registry' ? read : undefined;
}
