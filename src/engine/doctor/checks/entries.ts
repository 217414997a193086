import { keyFault } from '../../clients/entry-keys.js';
import type { InstalledEntry } from '../../installation/installed.js';
import { isOlder } from '../../packages/version.js';
import { clientNeeds } from '../client-needs.js';
import { againCommand, commandLine, fixCommand, removeCommand } from '../commands.js';
import type { Check } from '../finding.js';
import { formerHome } from '../former-home.js';
import type { EntryPicture, Picture } from '../picture.js';
import { repairRecord } from '../repairs.js';

/** Entries that start nothing. */
export const invalidEntries: Check = function* ({ entries }) {
  for (const entry of entries)
    if (!entry.launch && !entry.remote && !isBuiltIn(entry))
      yield {
        code: 'doctor/invalid-entry',
        entry,
        message: `"${entry.key}" has no program with arguments and variables as texts, and no address.`,
        fix: 'Correct the entry, or remove it.',
      };
};

/** Extensions of Goose that are part of it, and settings of servers that extensions of Zed bring. */
function isBuiltIn({ entry }: EntryPicture): boolean {
  return (
    ['builtin', 'platform', 'frontend', 'inline_python'].includes(String(entry.type)) ||
    entry.source === 'extension' ||
    'settings' in entry
  );
}

export const invalidKeys: Check = function* ({ entries }) {
  for (const entry of entries) {
    const { client } = entry.config;
    // The general rule is for new entries. Clients accept more.
    const fault = client.keys?.pattern ? keyFault(client, entry.key) : undefined;
    if (fault !== undefined)
      yield { code: 'doctor/invalid-key', entry, message: fault, fix: 'Rename the entry.' };
  }
};

export const editedEntries: Check = function* ({ entries }) {
  for (const entry of entries) {
    const { installed } = entry;
    if (installed?.state !== 'edited') continue;
    yield {
      code: 'doctor/entry-edited',
      entry,
      message: `"${entry.key}" was edited by hand since AgentTools wrote it.${installed.reason === undefined ? '' : ` ${installed.reason}`}`,
      fix: againCommand(entry, installed, '--force'),
    };
  }
};

export const goneEntries: Check = function* (picture) {
  for (const installed of picture.gone) {
    const { receipt, reason } = installed;
    const { client, key, file, scope, project } = receipt;
    // `doctor/unreadable-file` reports the file. Its entry may still be there.
    if (picture.configs.some((config) => config.fault && config.file === file)) continue;
    const moved = movedEntry(installed, picture);
    if (moved) {
      yield {
        code: 'doctor/moved-record',
        entry: moved,
        message: `AgentTools recorded "${key}" in ${file}, and the file is now ${moved.config.file}.`,
        fix: fixCommand(client),
        repair: repairRecord(moved, receipt, picture),
      };
      continue;
    }
    const place =
      scope === 'config'
        ? [key, '--config', file, '--client', client]
        : [client, key, ...(scope === 'project' ? [`--project=${project}`] : [])];
    yield {
      code: 'doctor/entry-gone',
      client,
      file,
      key,
      message: `"${key}" (${receipt.server}) is no longer in the file.${reason === undefined ? '' : ` ${reason}`} Install it again, or forget it.`,
      fix: commandLine('uninstall', ...place),
    };
  }
};

/** The entry of a record in the user's present file, if the recorded file is in a former home folder. */
function movedEntry(
  { receipt }: InstalledEntry,
  { entries, surroundings }: Picture,
): EntryPicture | undefined {
  if (receipt.scope !== 'user' || surroundings.exists(receipt.file)) return undefined;
  return entries.find(
    ({ config, key, installed }) =>
      config.client.id === receipt.client &&
      config.scope === 'user' &&
      key === receipt.key &&
      !installed &&
      formerHome(receipt.file, config.file, surroundings) !== undefined,
  );
}

export const unreadableRecords: Check = function* ({ unreadableRecords: notes }) {
  for (const message of notes)
    yield {
      code: 'doctor/unreadable-record',
      message,
      fix: 'Restore the file from a backup, or move it away: its entries then count as foreign.',
    };
};

/** Servers under two keys, and different servers under one key. */
export const clashes: Check = function* ({ entries }) {
  const byServer = new Map<string, EntryPicture[]>();
  const byKey = new Map<string, EntryPicture[]>();
  for (const entry of entries) {
    const identity = identityOf(entry);
    if (identity === undefined || entry.disabledBy !== undefined) continue;
    const { client, file } = entry.config;
    const isEarlier = (other: EntryPicture) => areTogether(other, entry);
    const twins = groupOf(byServer, `${client.id} ${identity}`);
    const twin = twins.find((other) => other.key !== entry.key && isEarlier(other));
    twins.push(entry);
    if (twin)
      yield {
        code: 'doctor/duplicate-server',
        entry,
        message: `"${entry.key}" starts the same server as "${twin.key}"${inFile(twin, entry)}.`,
        fix: removeCommand(entry),
      };
    const namesakes = groupOf(byKey, `${client.id} ${entry.key}`);
    const namesake = namesakes.find(
      (other) =>
        (other.config.file !== file || other.config.isLocal !== entry.config.isLocal) &&
        isEarlier(other) &&
        identityOf(other) !== identity,
    );
    namesakes.push(entry);
    if (namesake)
      yield {
        code: 'doctor/name-clash',
        entry,
        message: `"${entry.key}" is also the key of another server${inFile(namesake, entry)}.`,
        fix: removeCommand(entry),
        note: 'Remove one of the two, or give it another key.',
      };
  }
};

function groupOf(groups: Map<string, EntryPicture[]>, name: string): EntryPicture[] {
  const group = groups.get(name) ?? [];
  groups.set(name, group);
  return group;
}

/** True if a client reads both at once: files of two projects are never read together. */
function areTogether({ config: one }: EntryPicture, { config: other }: EntryPicture): boolean {
  if (one.client !== other.client) return false;
  if (one.project !== undefined && other.project !== undefined && one.project !== other.project) return false;
  return one.file === other.file || [one, other].some(({ scope }) => scope === 'user');
}

function inFile({ config }: EntryPicture, other: EntryPicture): string {
  return config.file === other.config.file ? '' : ` in ${config.file}`;
}

/** Equal for entries that start or reach the same server with the same settings. */
function identityOf({ launch, remote }: EntryPicture): string | undefined {
  if (launch) {
    const program = launch.command
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(?:exe|cmd)$/i, '');
    return JSON.stringify([program, launch.args, sorted(launch.env), launch.cwd]);
  }
  return remote && JSON.stringify([remote.url.replace(/\/$/, ''), sorted(remote.headers)]);
}

/** Variables and headers, except the variables of AgentTools. */
function sorted(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values)
    .filter(([name]) => !['MCP_SERVER_NAME', 'AGENTTOOLS_HOME'].includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

export const disabledServers: Check = function* ({ entries }) {
  for (const entry of entries)
    if (entry.disabledBy !== undefined)
      yield {
        code: 'doctor/disabled-server',
        entry,
        message: `"${entry.key}" is switched off by ${entry.disabledBy}.`,
        fix: `Switch it on in ${entry.config.client.name}, if you want to use it.`,
      };
};

export const oldClients: Check = function* ({ entries, clientVersions }) {
  for (const { client, since, what, applies, update } of clientNeeds) {
    const version = clientVersions.get(client);
    if (version === undefined || !isOlder(version, since)) continue;
    for (const entry of entries)
      if (entry.config.client.id === client && applies(entry))
        yield {
          code: 'doctor/client-too-old',
          entry,
          message: `${entry.config.client.name} ${version} does not support ${what}, which "${entry.key}" needs. ${since} does.`,
          fix: update,
        };
  }
};
