import { canonical } from '../base/canonical-json.js';
import { AgentToolsError } from '../base/errors.js';
import type { Launch } from '../clients/client.js';
import type { ConfigEntry, ConfigValue } from '../clients/edit/editor.js';
import { findClient } from '../clients/locate-config.js';
import { findRemoteUrl } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  ProgramRunner,
  ServerInput,
  TextTemplate,
} from '../existing-servers/existing-server.js';
import { optionOf } from '../existing-servers/given-inputs.js';
import { type InstalledNpmServer, npmServersFolder } from '../existing-servers/npm-servers.js';
import { imageWithoutTag } from '../existing-servers/server-name.js';
import { isThroughAgentTools } from './entry-inputs.js';

/** A newer version of an installed existing server. */
export interface VersionChange {
  /** The installed version. Undefined: not recorded. */
  readonly known: ExistingServer | undefined;
  readonly next: ExistingServer;
  /** The newer version of an npm package. */
  readonly installed?: InstalledNpmServer;
  readonly dataFolder: string;
}

/** Command line of an entry; undefined for a remote server. */
export function launchOfReceipt({ client: id, entry }: Receipt): Launch | undefined {
  const client = findClient(id);
  return client.manual === undefined ? client.launchOf(entry) : undefined;
}

/** True for an entry that starts the server through AgentTools. */
export function isBridged(receipt: Receipt): boolean {
  return isThroughAgentTools(launchOfReceipt(receipt)?.args ?? []);
}

/** True for an entry with `--frozen`. */
export function isFrozen(receipt: Receipt): boolean {
  return isBridged(receipt) && (launchOfReceipt(receipt)?.args.includes('--frozen') ?? false);
}

/** True for an entry that starts AgentTools with the reference of the server. Its open sessions follow an update. */
export function isFollowing(receipt: Receipt): boolean {
  const { args = [] } = launchOfReceipt(receipt) ?? {};
  return isBridged(receipt) && args.includes(receipt.server) && !args.includes('--frozen');
}

/** The entry with the newer version: its script, package, image, folder, address or reference. */
export function updatedEntry({ entry, server, folder }: Receipt, change: VersionChange): ConfigEntry {
  const { known, next, installed, dataFolder } = change;
  const specs = [known, next].map((one) => specOf(one?.template));
  const folders = [folder ?? known?.content?.folder, next.content?.folder];
  const urls = [known, next].map((one) =>
    one?.template.kind === 'remote' ? fixedText(one.template.url) : undefined,
  );
  const address = findRemoteUrl(entry)?.url;
  let isSpecDone = false;
  const replace = (text: string): string => {
    if (text === server) return next.reference;
    if (installed && isScriptOf(installed, text, dataFolder)) return installed.file;
    if (installed && text.startsWith(`${installed.name}@`) && !text.includes(' '))
      return `${installed.name}@${installed.version}`;
    if (text === specs[0] && specs[1] !== undefined && !isSpecDone) {
      // A further argument may be the same word.
      isSpecDone = true;
      return specs[1];
    }
    if (text === address && text === urls[0]) return urls[1] ?? text;
    const [before, after] = folders;
    return before !== undefined && after !== undefined ? text.replaceAll(before, after) : text;
  };
  return mapTexts(entry, replace) as ConfigEntry;
}

function isScriptOf({ name }: InstalledNpmServer, text: string, dataFolder: string): boolean {
  return text.startsWith(npmServersFolder(dataFolder)) && text.includes(`${name.replace('/', '+')}@`);
}

function mapTexts(value: ConfigValue, replace: (text: string) => string): ConfigValue {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((one: ConfigValue) => mapTexts(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapTexts(one as ConfigValue, replace)]),
  );
}

/** Word by which a runner names its package. */
function specOf(template: ExistingServer['template'] | undefined): string | undefined {
  if (template?.kind !== 'program') return undefined;
  const { runner } = template;
  if (runner.by === 'docker') return runner.image;
  if (runner.by !== 'uvx' && runner.by !== 'dnx') return undefined;
  if (runner.version === undefined) return runner.name;
  return `${runner.name}${runner.by === 'uvx' ? '==' : '@'}${runner.version}`;
}

function fixedText(text: TextTemplate): string | undefined {
  return text.every((part) => typeof part === 'string') ? text.join('') : undefined;
}

/**
 * Refuses a newer version that an entry cannot start by the words that it has.
 * @throws AgentToolsError with the command that installs it
 */
export function requireSameStart(
  receipts: readonly [Receipt, ...Receipt[]],
  { known, next }: Pick<VersionChange, 'known' | 'next'>,
): void {
  // Older installs have no record.
  if (!known) return;
  const [{ client, reference }] = receipts;
  const isNew = ({ id }: ServerInput) => !known.inputs.some((one) => one.id === id);
  const added = next.inputs.filter(isNew);
  const missing = added.filter((one) => one.isRequired && one.default === undefined);
  const command = `agenttools install ${client} ${reference}`;
  if (missing.length > 0) {
    const options = missing.map((one) => ` ${optionOf(one)}=<value>`).join('');
    const message = `${next.reference} needs inputs that the entry does not have. Install it again: ${command}${options}`;
    throw new AgentToolsError('refused', message);
  }
  const unset = new Set(added.filter((one) => one.default === undefined).map(({ id }) => id));
  if (receipts.every(isBridged) || shapeOf(known, new Set()) === shapeOf(next, unset)) return;
  const message = `${next.reference} starts in another way. Install it again: ${command}`;
  throw new AgentToolsError('refused', message);
}

/** Sentences about another publisher, package or host of a newer version. */
export function sourceChanges(known: ExistingServer, next: ExistingServer): readonly string[] {
  const [was, is] = [sourceName(known), sourceName(next)];
  const isOtherPublisher = known.publisher !== undefined && known.publisher !== next.publisher;
  return [
    ...(isOtherPublisher
      ? [`It was published by ${next.publisher ?? 'an unknown user'}, and before by ${known.publisher}.`]
      : []),
    ...(was === is ? [] : [`It comes from ${is} now, not from ${was}.`]),
  ];
}

/** Host of a remote server, or package of a program. */
function sourceName({ template, content }: ExistingServer): string {
  if (content || template.kind === 'bundle') return 'a bundle';
  if (template.kind === 'remote') {
    const address = template.url
      .map((part) => (typeof part === 'string' ? part : `{${part.input}}`))
      .join('');
    return /^[a-z]+:\/\/([^/?#]*)/i.exec(address)?.[1] ?? address;
  }
  const { runner } = template;
  if (runner.by === 'docker') return `the image ${imageWithoutTag(runner.image)}`;
  return 'name' in runner ? `the package ${runner.name} by ${runner.by}` : 'a command';
}

/** The start of a server without its version. `unset`: inputs without a value, so that nothing with them is used. */
function shapeOf({ source, template, content }: ExistingServer, unset: ReadonlySet<string>): string {
  const isUsed = (text: TextTemplate) =>
    !text.some((part) => typeof part === 'object' && unset.has(part.input));
  const areUsed = ({ words, when, needs, repeats }: ArgumentTemplate) =>
    words.every(isUsed) && ![when, needs, repeats].some((id) => id !== undefined && unset.has(id));
  const used = (texts: Readonly<Record<string, TextTemplate>>) =>
    Object.entries(texts).filter(([, text]) => isUsed(text));
  if (template.kind === 'bundle') return 'bundle';
  // Arguments are from the command that the user has given.
  if (packages.has(source) && template.kind === 'program')
    return canonical(runnerShape(template.runner, areUsed));
  const shape =
    template.kind === 'remote'
      ? [
          template.transport,
          fixedText(template.url) === undefined ? template.url : '',
          used(template.headers),
        ]
      : [
          runnerShape(template.runner, areUsed),
          template.args.filter(areUsed),
          used(template.env),
          template.cwd,
        ];
  const text = canonical([template.kind, shape]);
  const folder = content && JSON.stringify(content.folder).slice(1, -1);
  return folder === undefined ? text : text.replaceAll(folder, '{bundle}');
}

/** Sources that name no arguments. */
const packages: ReadonlySet<string> = new Set(['npm', 'pypi', 'nuget', 'docker']);

function runnerShape(runner: ProgramRunner, areUsed: (template: ArgumentTemplate) => boolean): unknown {
  const options = 'options' in runner ? { options: runner.options.filter(areUsed) } : {};
  if (runner.by === 'docker') return { by: runner.by, ...options, image: imageWithoutTag(runner.image) };
  // Node may have moved since.
  if (runner.by === 'command') return { command: runner.command.replace(/^.*[\\/]node(?:\.exe)?$/, 'node') };
  return { ...runner, ...options, version: undefined };
}
