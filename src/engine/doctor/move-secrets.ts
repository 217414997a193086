import { freeVariableName, toVariableName } from '../base/variable-name.js';
import type { Launch } from '../clients/client.js';
import { schemeOf } from '../clients/header-references.js';
import { shownUrl } from '../existing-servers/hide-secrets.js';
import { linkNode, nodeCommand } from '../existing-servers/node-link.js';
import { isThroughAgentTools } from '../installation/entry-inputs.js';
import { escapeNames } from '../installation/server-declaration.js';
import { storeSecret, toSecretName } from '../installation/store-secret.js';
import { nodeFacts, type TakenServer } from './entry-launch.js';
import type { Repair } from './finding.js';
import type { EntryPicture, Picture } from './picture.js';
import { repairLaunch } from './repairs.js';

/** A secret in clear text. */
export interface ClearSecret {
  readonly kind: 'env' | 'headers' | 'args' | 'url';
  /** Name of the variable or header, else of its place. */
  readonly name: string;
  readonly value: string;
  /** Position of an argument. */
  readonly index?: number;
  /** Name of an argument or of a part of the address. */
  readonly place?: string;
}

/** Moves values into the secret store. The entry then starts the server through AgentTools, which fills them in. */
export function secretsRepair(
  entry: EntryPicture,
  secrets: readonly ClearSecret[],
  picture: Picture,
): Repair {
  const names = new Map<ClearSecret, string>();
  const label = [...new Set(secrets.map(({ name }) => name))].join(', ');
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
        const name = kind === 'headers' ? `${entry.key}_${secret.name}` : (secret.place ?? secret.name);
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
  const inPlaces = (text: string) =>
    [...names].reduce(
      (filled, [{ place }, name]) =>
        place === undefined ? filled : filled.replaceAll(placeOf(place), `\${${name}}`),
      text,
    );
  if (remote)
    return () => {
      const url = addressWithout(remote.url, names);
      return {
        kind: 'url',
        server: url,
        declared: {
          server: inPlaces(url),
          ...(remote.transport === 'sse' && { transport: 'sse' }),
          headers: { ...escapeAll(remote.headers), ...Object.fromEntries(stored('headers')) },
        },
      };
    };
  if (!launch || isThroughAgentTools(launch.args)) return undefined;
  return () => {
    const words = [launch.command, ...argumentsWithout(launch.args, names)];
    return {
      kind: 'command',
      server: words.join(' '),
      declared: {
        command: words.map((word) => inPlaces(escapeNames(word))),
        env: { ...escapeAll(launch.env), ...Object.fromEntries(stored('env')) },
        ...(launch.cwd !== undefined && { cwd: launch.cwd }),
      },
    };
  };
}

function placeOf(place: string): string {
  return `{arg:${place}}`;
}

/** Arguments with places instead of the stored secrets, which are at their ends. */
function argumentsWithout(args: readonly string[], names: StoredNames): readonly string[] {
  const moved = [...names.keys()].filter(({ kind }) => kind === 'args');
  return args.map((word, index) => {
    const secret = moved.find((one) => one.index === index);
    return secret ? `${word.slice(0, -secret.value.length)}${placeOf(secret.place!)}` : word;
  });
}

/** The address with places, if its secrets are stored. */
function addressWithout(url: string, names: StoredNames): string {
  return [...names.keys()].some(({ kind }) => kind === 'url') ? shownUrl(url) : url;
}

/** Options and variables for the stored secrets in arguments or in the address. */
function placedInputs(names: StoredNames, taken: readonly string[]) {
  const words: string[] = [];
  const env: Record<string, string> = {};
  for (const [{ place }, stored] of names) {
    if (place === undefined) continue;
    const isTaken = (name: string) => taken.includes(name) || name in env;
    const variable = freeVariableName(toVariableName(`MCP_${place}`), isTaken);
    words.push('--arg-env', `${place}=${variable}`);
    env[variable] = `secret:${stored}`;
  }
  return { words, env };
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
  const inEnv = [...names].filter(([{ kind }]) => kind === 'env');
  const filled = {
    ...env,
    ...Object.fromEntries(inEnv.map(([{ name }, stored]) => [name, `secret:${stored}`])),
  };
  if (isThroughAgentTools(args)) return { ...launch, env: filled };
  const { program } = picture;
  const placed = placedInputs(names, Object.keys(filled));
  return {
    ...rest,
    command: nodeCommand(nodeFacts(picture)),
    args: [...program.args, 'start', ...placed.words, '--', command, ...argumentsWithout(args, names)],
    env: { ...ownVariables(picture), ...filled, ...placed.env },
  };
}

function remoteLaunch({ remote }: EntryPicture, names: StoredNames, picture: Picture): Launch {
  const { program } = picture;
  const { url = '', transport, headers = {} } = remote ?? {};
  const inHeaders = [...names].filter(([{ kind }]) => kind === 'headers');
  const variables = new Map(inHeaders.map(([secret]) => [secret.name, `MCP_${toVariableName(secret.name)}`]));
  const words = Object.entries(headers).flatMap(([name, value]) => {
    const variable = variables.get(name);
    return variable === undefined
      ? ['--header', `${name}: ${value}`]
      : ['--header-env', `${name}=${variable}`];
  });
  const values = inHeaders.map(([secret, stored]) => [
    variables.get(secret.name)!,
    `${schemeFor(secret)}secret:${stored}`,
  ]);
  const placed = placedInputs(names, [...variables.values()]);
  return {
    command: nodeCommand(nodeFacts(picture)),
    args: [
      ...program.args,
      'start',
      ...(transport ? ['--transport', transport] : []),
      ...words,
      ...placed.words,
      addressWithout(url, names),
    ],
    env: { ...ownVariables(picture), ...Object.fromEntries(values), ...placed.env },
  };
}

/** The data folder with the secrets, unless it is the default one. */
function ownVariables({ surroundings: { env }, dataFolder }: Picture): Readonly<Record<string, string>> {
  return env.AGENTTOOLS_HOME ? { AGENTTOOLS_HOME: dataFolder } : {};
}
