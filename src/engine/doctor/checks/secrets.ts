import { findSecretReferences } from '../../base/secret-reference.js';
import { secretsInUrl, secretsInWords } from '../../existing-servers/hide-secrets.js';
import { findLiteralSecrets } from '../../extension/upstream-secrets.js';
import { isThroughAgentTools } from '../../installation/entry-inputs.js';
import { toSecretName } from '../../installation/store-secret.js';
import { commandLine, fixCommand } from '../commands.js';
import type { Check, Found } from '../finding.js';
import { type ClearSecret, secretsRepair } from '../move-secrets.js';
import type { EntryPicture, Picture } from '../picture.js';
import { repairMode } from '../repairs.js';

/** Secrets in entries, in clear text. */
export const clearTextSecrets: Check = function* (picture) {
  for (const entry of picture.entries) {
    const secrets = secretsIn(entry);
    if (secrets.length > 0) yield clearTextFound(entry, secrets, picture);
  }
};

/** References of all clients: `${input:id}`, `{env:NAME}`, `$NAME`, `${{ secrets.NAME }}`, and commands after `!`. */
const reference = /\$\{|\{env:|\{file:|^\$[A-Z_]\w*$|^!|%\w+%/;

function secretsIn({ launch, remote }: EntryPicture): readonly ClearSecret[] {
  const place = launch ?? remote;
  if (!place) return [];
  return findLiteralSecrets({ ...place }).flatMap((path): readonly ClearSecret[] => {
    const [kind, step] = path as [ClearSecret['kind'], string | number | undefined];
    if (kind === 'url') return secretsInAddress(remote?.url ?? '');
    const held = valueAt(place, kind, step!);
    if (typeof held !== 'string' || reference.test(held) || step === 'AGENTTOOLS_SERVER_KEY') return [];
    if (kind === 'args') return secretsInArgument(launch?.args ?? [], Number(step));
    return [{ kind, name: String(step), value: held }];
  });
}

function secretsInAddress(url: string): readonly ClearSecret[] {
  if (reference.test(url)) return [];
  return secretsInUrl(url).map((secret) => ({ kind: 'url', name: 'its address', ...secret }));
}

function secretsInArgument(args: readonly string[], index: number): readonly ClearSecret[] {
  // These words name variables.
  const before = args[index - 1] ?? '';
  if (/^--(?:arg|header)-env$/.test(before)) return [];
  // `--arg token=…`
  const [, own] = before === '--arg' ? (/^([\w.-]+)=/.exec(args[index]!) ?? []) : [];
  const found = secretsInWords(args).filter((one) => one.index === index);
  return found.map((secret) => {
    const place = own ?? secret.place;
    const name = /^secret\d*$/.test(place) ? 'an argument' : `the argument ${place}`;
    return { kind: 'args', ...secret, name, place };
  });
}

function valueAt(place: object, kind: string, step: string | number): unknown {
  const holder = (place as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[kind];
  return holder?.[step];
}

function clearTextFound(entry: EntryPicture, secrets: readonly ClearSecret[], picture: Picture): Found {
  const { config, key, installed } = entry;
  const { client, scope } = config;
  const movable = secrets.filter((secret) => canMove(secret, entry));
  const left = secrets.filter((secret) => !movable.includes(secret));
  const isAllowed = movable.length > 0 && (installed !== undefined || picture.moveSecrets);
  const shared = scope === 'project' ? 'Others get it with the project. ' : '';
  const rest =
    movable.length > 0 && left.length > 0
      ? ` AgentTools cannot move ${namesOf(left)}. ${otherFix(entry, left)}`
      : '';
  return {
    code: 'doctor/clear-text-secret',
    entry,
    path: [...entry.path, ...fieldOf(entry, secrets[0]!)],
    message: `"${key}" holds ${namesOf(secrets)} in clear text.`,
    note: `${shared}${nativeHint(entry, secrets)}${rest}`.trim(),
    fix:
      movable.length > 0
        ? fixCommand(client.id, ...(installed ? [] : ['--move-secrets']))
        : otherFix(entry, left),
    ...(isAllowed && { repair: secretsRepair(entry, movable, picture) }),
  };
}

function namesOf(secrets: readonly ClearSecret[]): string {
  return [...new Set(secrets.map(({ name }) => name))].join(', ');
}

/**
 * False in a file that others share: a store of this machine is of no use there. Options of AgentTools stay, since the record
 * of the entry has them, too.
 */
function canMove({ kind }: ClearSecret, { config, launch }: EntryPicture): boolean {
  if (config.scope === 'project') return false;
  return kind !== 'args' || !isThroughAgentTools(launch!.args);
}

/** The way out if the store cannot hold the value. */
function otherFix({ config, key }: EntryPicture, secrets: readonly ClearSecret[]): string {
  const { client, scope } = config;
  const [first] = secrets;
  if (scope !== 'project') {
    const name = toSecretName(first?.place ?? 'value');
    return `Store the value with: agenttools secret set ${name}. Then install the server again with secret:${name} in place of the value.`;
  }
  const native = first?.kind === 'env' ? client.secretReference?.(first.name, key, client.name) : undefined;
  const write =
    native?.value === undefined ? 'Remove the value from the file' : `Write ${native.value} instead`;
  return `${write}, and replace the secret: all users of the project have it.`;
}

/** The field of the entry, for the position. */
function fieldOf({ config }: EntryPicture, { kind, name }: ClearSecret): readonly string[] {
  if (kind === 'env') return [config.layout.env, name];
  return kind === 'headers' ? ['headers', name] : [];
}

/** The client's own way, which needs no AgentTools. */
function nativeHint({ config: { client }, key }: EntryPicture, secrets: readonly ClearSecret[]): string {
  const variable = secrets.find(({ kind }) => kind === 'env');
  const native = variable && client.secretReference?.(variable.name, key, client.name);
  if (!variable || !native) return '';
  if (native.additions) return `${client.name} can also ask for ${variable.name} itself, by an input.`;
  return native.value === undefined
    ? `${client.name} can also pass ${variable.name} on from its environment.`
    : `${client.name} also takes ${native.value} instead of the value. ${native.hint}`;
}

/** Files with secrets that other users of the machine can read. Project files are shared anyway. */
export const readableSecrets: Check = function* ({ configs, entries, surroundings }) {
  if (surroundings.platform === 'win32') return;
  const seen = new Set<string>();
  for (const config of configs) {
    const { mode = 0, scope, realFile, client } = config;
    if (scope === 'project' || (mode & 0o044) === 0 || seen.has(realFile)) continue;
    const holder = entries.find((entry) => entry.config === config && secretsIn(entry).length > 0);
    if (!holder) continue;
    seen.add(realFile);
    yield {
      code: 'doctor/readable-secrets',
      config,
      message: `Others can read this file (mode ${mode.toString(8).padStart(4, '0')}), and "${holder.key}" in it holds a secret.`,
      fix: fixCommand(client.id),
      repair: repairMode(config),
    };
  }
};

export const missingSecrets: Check = function* ({ entries, secrets }) {
  for (const entry of entries) {
    const { launch } = entry;
    if (!launch || !(entry.installed || isThroughAgentTools(launch.args))) continue;
    const used = new Set([...launch.args, ...Object.values(launch.env)].flatMap(findSecretReferences));
    for (const name of used)
      if (!secrets.has(name))
        yield {
          code: 'doctor/missing-secret',
          entry,
          message: `"${entry.key}" refers to the secret ${name}, which is not stored.`,
          fix: commandLine('secret', 'set', name),
        };
  }
};
