import { AgentToolsError, isUnknownName } from '../../engine/base/errors.js';
import { ownProgram, workspaceFolders } from '../../engine/base/folders.js';
import { looksSecret } from '../../engine/base/looks-secret.js';
import { visibleText } from '../../engine/base/visible-text.js';
import type { BridgeDeps } from '../../engine/bridge/existing-resolver.js';
import type { NamedReference } from '../../engine/bridge/open-existing.js';
import { type GivenOptions, readHeaders } from '../../engine/existing-servers/given-inputs.js';
import { resolveNpm } from '../../engine/existing-servers/resolve-npm.js';
import {
  commandReference,
  type NpmReference,
  readServerReference,
  type ServerReference,
  shownReference,
} from '../../engine/existing-servers/server-reference.js';
import { isSecretHeader } from '../../engine/extension/upstream-secrets.js';
import { type EnteredServer, fillReferences } from '../../engine/installation/entry-inputs.js';
import { installationFolders } from '../../engine/installation/installation-folders.js';
import { installedReference } from '../../engine/installation/installed-reference.js';
import { readVariables } from '../../engine/installation/secrets.js';
import type { Host } from '../../host.js';
import { openHostRegistry } from './mcp-registry.js';
import { npmSetting } from './npm-deps.js';
import { hostReveal } from './secrets.js';
import { openWorkspace, workspaceOptions } from './workspace.js';

interface FindOptions {
  /** True if the command starts the server. Default: true. */
  readonly starts?: boolean;
  /** True if the command takes the inputs of an entry. Default: false. */
  readonly takesInputs?: boolean;
}

/** A named server, and the inputs of the entry by which it was found. */
export interface FoundReference extends NamedReference {
  readonly entered?: Pick<EnteredServer, 'transport' | 'cwd'> & { readonly given: GivenOptions };
}

/** The existing server that a command line means; undefined: a server of an extension. */
export async function findExisting(
  server: string | undefined,
  command: readonly string[] | undefined,
  host: Host,
  options: FindOptions = {},
): Promise<FoundReference | undefined> {
  if (!command && !server) return undefined;
  const reference = command ? commandReference(command) : readServerReference(server ?? '');
  if (reference.kind === 'path') return undefined;
  if (reference.kind === 'name') return await findByName(reference, host, options);
  // An installed extension wins over an entry of the MCP Registry with its name.
  if (reference.kind === 'registry' && (await isExtension(reference.name, host))) return undefined;
  return { text: shownReference(reference) ?? server ?? '', meant: reference };
}

/** An existing server that is installed, or an npm package with a scope. An extension wins over both. */
async function findByName(
  { text, npm, isBare }: Extract<ServerReference, { kind: 'name' }>,
  host: Host,
  options: FindOptions,
): Promise<FoundReference | undefined> {
  if (await isExtension(text, host)) return undefined;
  const installed = await findInstalled(text, host, options);
  if (installed) return installed;
  return npm && !isBare && (await isExistingPackage(npm, host)) ? { text, meant: npm } : undefined;
}

/** The existing server that `install` wrote into a client. @throws AgentToolsError `ambiguous` */
export async function findInstalled(
  name: string,
  host: Host,
  { starts = true, takesInputs = false }: FindOptions = {},
): Promise<FoundReference | undefined> {
  const { receipts } = installationFolders(host);
  const place = { receipts, cwd: host.cwd, home: host.home };
  const installed = await installedReference(name, { ...place, isEntered: takesInputs });
  if (!installed) return undefined;
  const { reference: text, words, hasInputs, entered } = installed;
  if (entered && hasInputs) return enteredReference(name, text, { entered, host });
  const meant = words ? commandReference(words) : readServerReference(text);
  if (meant.kind === 'name' || meant.kind === 'path') return undefined;
  const note =
    hasInputs && starts ? ' Inputs of its entry are not used: give them by --arg, --env and --header.' : '';
  host.stderr.write(visibleText(`${name} is the installed server ${text}.${note}\n`));
  return { text, meant };
}

/** The server of an entry, with the inputs that its client gives it. */
function enteredReference(
  name: string,
  text: string,
  { entered, host }: { readonly entered: EnteredServer; readonly host: Host },
): FoundReference | undefined {
  const { server, transport, cwd } = entered;
  const meant = typeof server === 'string' ? readServerReference(server) : commandReference(server);
  if (meant.kind === 'name' || meant.kind === 'path') return undefined;
  const env = fillReferences(entered.env, host.env);
  const headers = fillReferences(entered.headers, host.env);
  const words = fillReferences(Object.fromEntries(entered.args.entries()), host.env);
  const args = entered.args.map((word, index) => words.values[index] ?? word);
  const unset = [...words.missing.values()].map((reference) => ['An argument', reference] as const);
  const notes = [...env.missing, ...headers.missing, ...unset].map(
    ([input, reference]) => ` ${input} is ${reference} there, which is not set here.`,
  );
  host.stderr.write(
    visibleText(`${name} is the installed server ${text}, with the inputs of its entry.${notes.join('')}\n`),
  );
  const pairs = (
    values: Readonly<Record<string, string>>,
    isSecret: (input: string, value: string) => boolean,
  ) =>
    Object.entries(values).map(([input, value]) => ({
      name: input,
      value,
      isSecret: isSecret(input, value),
    }));
  const given = { env: pairs(env.values, looksSecret), args, headers: pairs(headers.values, isSecretHeader) };
  const named = { text: shownReference(meant) ?? text, meant };
  return { ...named, entered: { given, transport, cwd } };
}

/** Inputs of the command line after the inputs of the entry, which they replace. */
export function givenWith({ entered }: FoundReference, options: InputOptions, host: Host): GivenOptions {
  const given = givenOptions(options, host);
  if (!entered) return given;
  const rest = <P extends { readonly name: string }>(own: readonly P[], others: readonly P[]) =>
    own.filter(({ name }) => !others.some((other) => other.name.toLowerCase() === name.toLowerCase()));
  return {
    env: [...rest(entered.given.env, given.env), ...given.env],
    args: [...entered.given.args, ...given.args],
    headers: [...rest(entered.given.headers, given.headers), ...given.headers],
  };
}

/** Time limit for the lookup of a package, since the user waits for it. */
const lookupTimeLimitMs = 20_000;

/** True for a published package that is no extension. Failures of the registry are reported by the usual lookup. */
async function isExistingPackage(npm: NpmReference, host: Host): Promise<boolean> {
  const lookup = { npm: npmSetting(host), signal: AbortSignal.timeout(lookupTimeLimitMs) };
  return await resolveNpm(npm, lookup).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AgentToolsError && error.code === 'ambiguous') throw error;
      return false;
    },
  );
}

async function isExtension(name: string, host: Host): Promise<boolean> {
  return await openWorkspace(host)
    .findServer(name)
    .then(
      () => true,
      (error: unknown) => !isUnknownName(error),
    );
}

/** Inputs of an existing server. */
export interface InputOptions {
  /** `NAME=value`, or `NAME` alone. */
  readonly env: readonly string[];
  /** `name=value` of an input, or an argument. */
  readonly args: readonly string[];
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly transport: 'http' | 'sse' | undefined;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  /** The given options that only existing servers take: `--env`. */
  readonly flags: readonly string[];
}

/** Inputs with the values of variables. @throws AgentToolsError if one is invalid */
export function givenOptions({ env, args, headers }: InputOptions, host: Host): GivenOptions {
  return { env: readVariables(env, host.env), args, headers: readHeaders(headers) };
}

interface ExistingRun extends Pick<BridgeDeps, 'signal' | 'tell' | 'report'> {
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry?: string | undefined;
  /** True to ask the MCP Registry again, also soon after another command. Default: false. */
  readonly refresh?: boolean;
  /** True if settings of npm in the working directory do not apply: the command runs there by chance. Default: false. */
  readonly ignoresProject?: boolean;
}

/** Everything that existing servers are looked up and started with. */
export function existingDeps(
  host: Host,
  { mcpRegistry, refresh, ignoresProject, ...run }: ExistingRun,
): BridgeDeps {
  const { dataFolder, cacheFolder } = workspaceFolders(host);
  const { cwd, ...npm } = npmSetting(host);
  return {
    ...run,
    npm: ignoresProject || cwd === undefined ? npm : { ...npm, cwd },
    openRegistry: async () => await openHostRegistry(mcpRegistry, host, { refresh }),
    dataFolder,
    cacheFolder,
    reveal: hostReveal(host),
    surroundings: installationFolders(host).surroundings,
    cwd: host.cwd,
    node: ownProgram().command,
    workspace: workspaceOptions(host),
  };
}
