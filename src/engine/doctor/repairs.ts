import { chmod } from 'node:fs/promises';
import type { Launch } from '../clients/client.js';
import { readEntry } from '../clients/edit/entries.js';
import { launchPart } from '../clients/edit/merge-entry.js';
import { planInstall } from '../clients/ledger/install.js';
import type { Receipt } from '../clients/receipt.js';
import { planLaunch, type TakenServer } from './entry-launch.js';
import type { Repair } from './finding.js';
import type { ConfigPicture, EntryPicture, Picture } from './picture.js';

/** Gives an entry another launch. */
export function repairLaunch(
  entry: EntryPicture,
  {
    does,
    change,
    picture,
    take,
  }: {
    readonly does: string;
    readonly change: (launch: Launch) => Launch;
    readonly picture: Picture;
    readonly take?: (() => TakenServer) | undefined;
  },
): Repair {
  const { now, version } = picture;
  return {
    does,
    edit: {
      config: entry.config,
      plan: (state) => planLaunch(state, entry, change, { now, version, take }),
    },
  };
}

/** Replaces one word in the command, the arguments and the folder of an entry. */
export function repairWords(
  entry: EntryPicture,
  words: ReadonlyMap<string, string>,
  { does, picture }: { readonly does: string; readonly picture: Picture },
): Repair {
  const replace = (word: string) => words.get(word) ?? word;
  const change = ({ command, args, env, cwd }: Launch): Launch => ({
    command: replace(command),
    args: args.map(replace),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, replace(value)])),
    ...(cwd !== undefined && { cwd: replace(cwd) }),
  });
  return repairLaunch(entry, { does, change, picture });
}

/** Changes the text of a file, not its data. */
export function repairText(config: ConfigPicture, does: string, change: (text: string) => string): Repair {
  return {
    does,
    edit: {
      config,
      plan: async (state) => ({
        ...state,
        text: state.text === null ? null : change(state.text),
        outcome: 'updated',
      }),
    },
  };
}

/** Takes the permissions of other users away. */
export function repairMode({ file, realFile, mode = 0o600 }: ConfigPicture): Repair {
  return {
    does: `Let only you read ${file}`,
    async prepare({ dryRun }) {
      if (!dryRun) await chmod(realFile, mode & 0o700);
    },
  };
}

/** Lets the record of an entry name the file and the values that are there now. */
export function repairRecord(entry: EntryPicture, receipt: Receipt, { now, version }: Picture): Repair {
  const { config, key } = entry;
  const { client, layout, file } = config;
  return {
    does: `Record "${key}" in ${file}`,
    edit: {
      config,
      async plan(state) {
        const place = { format: client.format, container: layout.container, key };
        const current = await readEntry(state.text, place);
        if (!current) return { ...state, outcome: 'gone' };
        const { container } = layout;
        const present: Receipt = {
          ...receipt,
          file,
          container,
          entry: { ...receipt.entry, ...launchPart(current) },
          version,
          time: now.toISOString(),
        };
        return await planInstall(state, { receipt: present, place, force: false });
      },
    },
    async finish({ receipts }) {
      const isFormer = (one: Receipt) =>
        one.file === receipt.file && one.key === receipt.key && one.client === receipt.client;
      for (const record of (await receipts.all()).records) {
        if (!record.receipts.some(isFormer)) continue;
        const rest = record.receipts.filter((one) => !isFormer(one));
        await receipts.write({
          ...record,
          receipts: rest,
          ...(rest.length === 0 && { steps: [], made: [] }),
        });
      }
    },
  };
}
