import type { EntryLayout, Launch } from '../clients/client.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { putEntry, readEntry } from '../clients/edit/entries.js';
import { isIntact, mergeEntry, sameValue } from '../clients/edit/merge-entry.js';
import type { ConfigState, Plan } from '../clients/ledger/config-plan.js';
import { planInstall } from '../clients/ledger/install.js';
import { slotKey } from '../clients/ledger/slot.js';
import type { Receipt } from '../clients/receipt.js';
import type { NodeLinkFacts } from '../existing-servers/node-link.js';
import type { ServerDeclaration } from '../installation/server-declaration.js';
import type { EntryPicture, Picture } from './picture.js';

/** Returns the new launch of an entry. */
type ChangeLaunch = (launch: Launch) => Launch;

/** Server of an entry that AgentTools takes over. */
export interface TakenServer {
  readonly kind: 'command' | 'url';
  /** Command or URL, without secrets. */
  readonly server: string;
  /** The server for `export`. */
  readonly declared: ServerDeclaration;
}

interface LaunchPlanOptions extends Pick<Picture, 'now' | 'version'> {
  /** Makes a foreign entry one of AgentTools. Uninstall puts the former entry back. Default: it stays foreign. */
  readonly take?: (() => TakenServer) | undefined;
}

/**
 * Plans another launch for an entry, and keeps all its other fields. An entry that AgentTools wrote stays one: the change
 * is an update, not an edit by hand.
 * @throws AgentToolsError or ConfigError if the file cannot be edited safely
 */
export async function planLaunch(
  state: ConfigState,
  { config, key }: EntryPicture,
  change: ChangeLaunch,
  { now, version, take }: LaunchPlanOptions,
): Promise<Plan> {
  const { client, layout } = config;
  const { container } = layout;
  const place = { format: client.format, container, key, tolerance: client.tolerance };
  const current = await readEntry(state.text, place);
  if (!current) return { ...state, outcome: 'gone' };
  const receipt = state.record.receipts.find(
    (one) => one.client === client.id && slotKey(one) === slotKey({ container, key }),
  );
  if (receipt && isIntact(current, receipt.entry)) {
    const entry = withLaunch(receipt.entry, { layout, key, change });
    const updated = { ...receipt, entry, version, time: now.toISOString() };
    return await planInstall(state, { receipt: updated, place, force: false });
  }
  const next = withLaunch(current, { layout, key, change });
  if (take) {
    const { scope, file } = config;
    const { launchOf } = layout;
    const { kind, server, declared } = take();
    const taken: Receipt = {
      client: client.id,
      scope,
      file,
      format: client.format,
      container,
      key,
      server,
      existing: true,
      kind,
      reference: server,
      argument: server,
      declared: { ...declared },
      variables: Object.keys(launchOf(next)?.env ?? {}),
      entry: next,
      version,
      time: now.toISOString(),
    };
    return await planInstall(state, { receipt: taken, place, force: true });
  }
  return { ...state, text: await putEntry(state.text, place, next), outcome: 'updated' };
}

interface LaunchChange {
  readonly layout: EntryLayout;
  readonly key: string;
  readonly change: ChangeLaunch;
}

/** An entry with the changed fields of its launch. An entry for a remote server becomes one for a program. */
function withLaunch(entry: ConfigEntry, { layout, key, change }: LaunchChange): ConfigEntry {
  const launch = layout.launchOf(entry);
  if (!launch)
    return mergeEntry(entry, layout.entry(change({ command: '', args: [], env: {} }), key), undefined);
  const before = layout.entry(launch, key);
  const changed = Object.entries(layout.entry(change(launch), key)).filter(
    ([name, value]) => !sameValue(value, before[name]),
  );
  return { ...entry, ...Object.fromEntries(changed) };
}

/** The running Node, and the place of its link in the data folder. */
export function nodeFacts({ program, dataFolder, surroundings }: Picture): NodeLinkFacts {
  return { dataFolder, execPath: program.command, platform: surroundings.platform };
}
