import { stat } from 'node:fs/promises';
import type { EntryLayout, Launch, RemoteLaunch, WritableClient } from '../clients/client.js';
import type { ConfigChange } from '../clients/config-change.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { slotKey } from '../clients/ledger/slot.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import { parseToolOptions, type ToolOptionValues } from '../runtime/tool-options.js';
import { type EntryTarget, explainUnreadable, type Scope } from './entry-target.js';
import type { InstallRequest } from './install-request.js';
import type { InstallSource } from './install-source.js';
import { unstablePaths } from './launch.js';
import { findNamed } from './named-text.js';
import { isClearText } from './offer-store.js';
import {
  replacedByClient,
  type SecretOptions,
  type SecretPlaceholders,
  toolOptionsVariable,
} from './secrets.js';
import { namesIn } from './server-declaration.js';

/** Completed or planned install for one client. */
export interface CompletedInstall {
  readonly client: WritableClient;
  readonly request: InstallRequest;
  readonly source: InstallSource;
  readonly launch: Launch | RemoteLaunch;
  /** Script that a link in the launch points at; undefined without one. */
  readonly linked: string | undefined;
  readonly placement: EntryTarget;
  readonly receipt: Receipt;
  readonly toolOptions: ToolOptionValues;
  readonly options: SecretOptions;
  readonly hidden: SecretPlaceholders;
  readonly change: ConfigChange;
  readonly platform: NodeJS.Platform;
  /** True if the user was asked about secrets in clear text. */
  readonly isAsked: boolean;
}

/** Returns notes for the user about a written entry, in sentences. */
export async function collectNotes(facts: CompletedInstall): Promise<readonly string[]> {
  const { client, request, launch, linked, placement, receipt, toolOptions, options, hidden, change } = facts;
  const { scope } = request;
  const { variables, secretHeaders } = facts.source;
  const { layout } = placement;
  const previous = change.known.find((one) => one.client === client.id && slotKey(one) === slotKey(receipt));
  const secrets = [...variables, ...options.variables].filter(
    ({ isSecret, name }) => isSecret && !hidden.names.includes(name),
  );
  return [
    ...('url' in launch ? [] : unstablePaths(launch, { inProject: scope.kind === 'project', linked })),
    ...hidden.notes,
    ...(scope.kind === 'user' ? [] : options.notes),
    ...findDroppedSettings({ previous, receipt, layout, toolOptions }),
    ...replacedByClient(variables, { client, entry: receipt.entry, layout, key: receipt.key }),
    ...(await readableByOthers(placement.file, {
      scope,
      secrets: [
        ...secrets.map(({ name }) => name),
        ...('url' in launch ? secretHeaders.filter((name) => !hidden.names.includes(name)) : []),
      ],
      platform: facts.platform,
    })),
    ...clearTextNotes(facts),
    ...(request.force ? await explainUnreadable(placement, change.after) : []),
    ...commandNotes(facts),
    ...(change.outcome === 'unchanged' ? [] : placement.cautions),
  ];
}

/** Names the option that keeps a given secret out of the config file. */
function clearTextNotes({
  client,
  request,
  source,
  receipt,
  hidden,
  isAsked,
  change,
}: CompletedInstall): readonly string[] {
  const found = source.variables.find((one) => isClearText(one) && !hidden.names.includes(one.name));
  if (isAsked || request.scope.kind !== 'user' || !found || change.outcome === 'unchanged') return [];
  const { name } = found;
  if (request.set) {
    const named = findNamed(found, request.named);
    const [stored = name] = named ? namesIn(named.text) : [];
    return [
      `${named?.name ?? name} is in the file in clear text, since ${client.name} has no reference for it. To keep it in the secret store: agenttools secret set ${stored}, then sync again.`,
    ];
  }
  const { value: native, additions } = client.secretReference?.(name, receipt.key, client.name) ?? {};
  const isPlain = native !== undefined && !additions;
  const other = isPlain ? ` Or let ${client.name} fill it in: --env '${name}=${native}'` : '';
  // The value of a variable may come from another input of the server.
  const input = request.args.find((word) => word.endsWith(`=${found.value}`))?.split('=', 1)[0];
  const option = input === undefined ? `--env ${name}` : `--arg ${input}`;
  return [
    `${name} is in the file in clear text. To keep it in the secret store: agenttools secret set ${name}, then install again with ${option}=secret:${name}.${input === undefined ? other : ''}`,
  ];
}

/** Notes on paths in a file that others share, and on commands that a client may not find. */
function commandNotes({ client, request, source, launch }: CompletedInstall): readonly string[] {
  if ('url' in launch) return [];
  const { name, kind } = client;
  const { scope, by } = request;
  if (by === 'npx') {
    if (kind === 'coding') return [];
    return [
      `${name} may not find npx if it was opened from the desktop, without the PATH of a shell. In that case, install again without --command npx.`,
    ];
  }
  if (scope.kind !== 'project') return [];
  const wayOut = source.isOnlyHere ? 'name a published package and add --command npx' : 'add --command npx';
  return [`The entry holds paths of this machine. For a file that others share, ${wayOut}.`];
}

/** A file that received secrets. */
interface SecretFile {
  readonly scope: Scope;
  /** Names of variables and headers. */
  readonly secrets: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** A user file keeps its mode, also if it receives a secret. */
export async function readableByOthers(
  file: string,
  { scope, secrets, platform }: SecretFile,
): Promise<readonly string[]> {
  if (scope.kind !== 'user' || secrets.length === 0) return [];
  const { mode = 0 } = (await stat(file).catch(() => undefined)) ?? {};
  if (platform === 'win32' || (mode & 0o077) === 0) return [];
  return [
    `Others on this machine can read the file (its mode is ${(mode & 0o777).toString(8)}), and it holds ${secrets.join(', ')}. Restrict access with: chmod 600 "${file}"`,
  ];
}

/** An install and the previous install of the entry. */
interface DroppedSettingsInput {
  readonly previous: Receipt | undefined;
  readonly receipt: Receipt;
  readonly layout: EntryLayout;
  readonly toolOptions: ToolOptionValues;
}

/** Settings that an earlier install wrote and this one does not. */
function findDroppedSettings({
  previous,
  receipt,
  layout,
  toolOptions,
}: DroppedSettingsInput): readonly string[] {
  if (!previous) return [];
  const [before, after] = [previous, receipt].map(({ entry }) => layout.launchOf(entry));
  const [headersBefore = [], headersAfter = []] = [previous, receipt].map(({ entry }) => headerNames(entry));
  const options = optionNames(parseToolOptions(before?.env[toolOptionsVariable], () => {}));
  const given = optionNames(toolOptions);
  const names = [
    ...previous.variables.filter(
      (name) => !receipt.variables.includes(name) && !(name === toolOptionsVariable && options.length > 0),
    ),
    ...options.filter((name) => !given.includes(name)).map((name) => `the option ${name}`),
    ...(before?.cwd !== undefined && after?.cwd === undefined ? ['the working directory'] : []),
    ...headersBefore.filter((name) => !headersAfter.includes(name)).map((name) => `the header ${name}`),
  ];
  return names.length === 0 ? [] : [`No longer set, because they were not given again: ${names.join(', ')}.`];
}

function headerNames(entry: ConfigEntry): readonly string[] {
  const { headers = {}, variableHeaders = {} } = readRemoteEntry(entry) ?? {};
  return [...Object.keys(headers), ...Object.keys(variableHeaders)];
}

function optionNames(options: ToolOptionValues): readonly string[] {
  return Object.entries(options).flatMap(([tool, set]) =>
    Object.keys(set).map((option) => `${tool}.${option}`),
  );
}
