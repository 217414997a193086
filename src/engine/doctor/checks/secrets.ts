import { findSecretReferences } from '../../base/secret-reference.js';
import { toVariableName } from '../../base/variable-name.js';
import type { Launch } from '../../clients/client.js';
import { schemeOf } from '../../clients/header-references.js';
import { linkNode, nodeCommand } from '../../existing-servers/node-link.js';
import { findLiteralSecrets } from '../../extension/upstream-secrets.js';
import { isThroughAgentTools } from '../../installation/installed-reference.js';
import { escapeNames } from '../../installation/server-declaration.js';
import { storeSecret, toSecretName } from '../../installation/store-secret.js';
import { commandLine, fixCommand } from '../commands.js';
import { nodeFacts, type TakenServer } from '../entry-launch.js';
import type { Check, Found, Repair } from '../finding.js';
import type { EntryPicture, Picture } from '../picture.js';
import { repairLaunch, repairMode } from '../repairs.js';

/** A secret in clear text. */
interface ClearSecret {
  readonly kind: 'env' | 'headers' | 'args' | 'url';
  /** Name of the variable or header, else of its place. */
  readonly name: string;
  readonly value: string;
}

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
    const held: unknown =
      step === undefined ? place[kind as 'url' & keyof typeof place] : valueAt(place, kind, step);
    if (typeof held !== 'string' || reference.test(held)) return [];
    const isName = kind === 'args' && /^--(?:arg|header)-env$/.test(String(launch?.args[Number(step) - 1]));
    if (isName) return [];
    const name = kind === 'args' ? 'an argument' : kind === 'url' ? 'its address' : String(step);
    return [{ kind, name, value: held }];
  });
}

function valueAt(place: object, kind: string, step: string | number): unknown {
  const holder = (place as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[kind];
  return holder?.[step];
}

function clearTextFound(entry: EntryPicture, secrets: readonly ClearSecret[], picture: Picture): Found {
  const { config, key, installed } = entry;
  const { client, scope } = config;
  const names = [...new Set(secrets.map(({ name }) => name))].join(', ');
  const movable = secrets.filter(({ kind }) => kind === 'env' || kind === 'headers');
  // A store of this machine is of no use in a file that others share.
  const canMove = movable.length === secrets.length && scope !== 'project';
  const isAllowed = canMove && (installed !== undefined || picture.moveSecrets);
  const shared = scope === 'project' ? 'Others get it with the project. ' : '';
  return {
    code: 'doctor/clear-text-secret',
    entry,
    path: [...entry.path, ...fieldOf(entry, secrets[0]!)],
    message: `"${key}" holds ${names} in clear text.`,
    note: `${shared}${nativeHint(entry, movable)}`.trim(),
    fix: canMove ? fixCommand(client.id, ...(installed ? [] : ['--move-secrets'])) : otherFix(entry, movable),
    ...(isAllowed && { repair: secretsRepair(entry, movable, picture) }),
  };
}

/** The way out if the store cannot hold the value. */
function otherFix({ config, key }: EntryPicture, [first]: readonly ClearSecret[]): string {
  const { client, scope } = config;
  if (!first || scope !== 'project')
    return 'Give the value in a variable, if the server reads one. Then run doctor again.';
  const native = first.kind === 'env' ? client.secretReference?.(first.name, key, client.name) : undefined;
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

/** Moves values into the secret store. The entry then starts the server through AgentTools, which fills them in. */
function secretsRepair(entry: EntryPicture, secrets: readonly ClearSecret[], picture: Picture): Repair {
  const names = new Map<ClearSecret, string>();
  const label = secrets.map(({ name }) => name).join(', ');
  const change = (launch: Launch): Launch =>
    entry.remote ? remoteLaunch(entry, names, picture) : programLaunch(launch, names, picture);
  return {
    ...repairLaunch(entry, {
      does: `Move ${label} of "${entry.key}" into the secret store`,
      change,
      picture,
      take: takenServer(entry, names),
    }),
    async prepare({ dryRun, secrets: store }) {
      if (!dryRun) await linkNode(nodeFacts(picture));
      for (const secret of secrets) {
        const { kind, value } = secret;
        const name = kind === 'headers' ? `${entry.key}_${secret.name}` : secret.name;
        const bare = value.slice(schemeFor(secret).length);
        const stored = dryRun
          ? toSecretName(name)
          : await storeSecret(store, { name, server: entry.key, value: bare });
        names.set(secret, stored);
      }
    },
  };
}

/** The entry becomes one of AgentTools, so that list-installed, secret list and export show it. */
function takenServer(
  { launch, remote, installed }: EntryPicture,
  names: StoredNames,
): (() => TakenServer) | undefined {
  if (installed) return undefined;
  const stored = (kind: ClearSecret['kind']) =>
    [...names].flatMap(([secret, name]) =>
      secret.kind === kind ? [[secret.name, `${schemeFor(secret)}\${${name}}`] as const] : [],
    );
  if (remote)
    return () => ({
      kind: 'url',
      server: remote.url,
      declared: {
        server: remote.url,
        ...(remote.transport === 'sse' && { transport: 'sse' }),
        headers: { ...escapeAll(remote.headers), ...Object.fromEntries(stored('headers')) },
      },
    });
  if (!launch || isThroughAgentTools(launch.args)) return undefined;
  const words = [launch.command, ...launch.args];
  return () => ({
    kind: 'command',
    server: words.join(' '),
    declared: {
      command: words.map(escapeNames),
      env: { ...escapeAll(launch.env), ...Object.fromEntries(stored('env')) },
      ...(launch.cwd !== undefined && { cwd: launch.cwd }),
    },
  });
}

function escapeAll(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, escapeNames(text)]));
}

/** `Bearer `, which is no secret. */
function schemeFor({ kind, name, value }: ClearSecret): string {
  return kind === 'headers' ? schemeOf(name, value) : '';
}

type StoredNames = ReadonlyMap<ClearSecret, string>;

function programLaunch(launch: Launch, names: StoredNames, picture: Picture): Launch {
  const { command, args, env, ...rest } = launch;
  const filled = {
    ...env,
    ...Object.fromEntries([...names].map(([{ name }, stored]) => [name, `secret:${stored}`])),
  };
  if (isThroughAgentTools(args)) return { ...launch, env: filled };
  const { program } = picture;
  return {
    ...rest,
    command: nodeCommand(nodeFacts(picture)),
    args: [...program.args, 'start', '--', command, ...args],
    env: { ...ownVariables(picture), ...filled },
  };
}

function remoteLaunch({ remote }: EntryPicture, names: StoredNames, picture: Picture): Launch {
  const { program } = picture;
  const { url = '', transport, headers = {} } = remote ?? {};
  const variables = new Map(
    [...names].map(([secret]) => [secret.name, `MCP_${toVariableName(secret.name)}`]),
  );
  const words = Object.entries(headers).flatMap(([name, value]) => {
    const variable = variables.get(name);
    return variable === undefined
      ? ['--header', `${name}: ${value}`]
      : ['--header-env', `${name}=${variable}`];
  });
  const values = [...names].map(([secret, stored]) => [
    variables.get(secret.name)!,
    `${schemeFor(secret)}secret:${stored}`,
  ]);
  return {
    command: nodeCommand(nodeFacts(picture)),
    args: [...program.args, 'start', ...(transport ? ['--transport', transport] : []), ...words, url],
    env: { ...ownVariables(picture), ...Object.fromEntries(values) },
  };
}

/** The data folder with the secrets, unless it is the default one. */
function ownVariables({ surroundings: { env }, dataFolder }: Picture): Readonly<Record<string, string>> {
  return env.AGENTTOOLS_HOME ? { AGENTTOOLS_HOME: dataFolder } : {};
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
