import { stat } from 'node:fs/promises';
import path from 'node:path';
import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError, isUnknownName } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import { visibleLine } from '../base/visible-text.js';
import { reconcileRecords } from '../clients/config-change.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { deriveKey } from '../clients/entry-keys.js';
import type { Receipts } from '../clients/receipts.js';
import { clients } from '../clients/table/index.js';
import { declaredSandbox } from '../extension/declared-sandbox.js';
import { DefinitionError, type Extension } from '../extension/extension.js';
import { type Kind, kinds, singular } from '../extension/item-kinds.js';
import { listFaults, type ManifestContent } from '../extension/manifest.js';
import { isPackageName, parseQualifiedName, withScope } from '../extension/names.js';
import { findSkillFolders, type SkillFolder } from '../extension/skill-folders.js';
import { type FoundServer, isPathArgument, NoServerError, type Workspace } from '../extension/workspace.js';
import { readAppDefinition } from '../runtime/app.js';
import { composeServer, type ServerSpec } from '../runtime/compose-server.js';
import { readPrompt } from '../runtime/prompt.js';
import { readResource } from '../runtime/resource.js';
import { bindApps } from '../runtime/served-apps.js';
import type { AppSpec, PromptSpec, Requirements, ResourceSpec, ToolSpec, ToolUi } from '../runtime/specs.js';
import { readTool } from '../runtime/tool.js';
import { hasUi } from '../runtime/ui.js';
import type { ItemChoice, UpstreamEntry } from '../runtime/upstream.js';
import { strongestLevel } from '../sandbox/levels.js';
import type {
  AppFacts,
  AppSummary,
  DeclarationFacts,
  Facts,
  InstallationFacts,
  InstalledFacts,
  ItemOrigin,
  LeftOutFacts,
  PackageFacts,
  PromptArgumentFacts,
  PromptFacts,
  PromptSummary,
  PublishedFacts,
  ResourceFacts,
  ResourceSummary,
  ServerFacts,
  SkillSummary,
  ToolFacts,
  ToolSummary,
  ToolUiFacts,
  UpstreamChoiceFacts,
  UpstreamFacts,
} from './facts.js';
import type { FindPublished } from './published-lookup.js';

/** Dependencies and options of `show`. */
export interface ShowPlace {
  readonly workspace: Workspace;
  readonly cwd: string;
  readonly homeDirectory: string;
  /** Records of `install`. Default: installations are not looked up. */
  readonly receipts?: Receipts;
  /** Looks up packages that are not installed. Default: not looked up. */
  readonly published?: FindPublished;
  /** Receives notes about skipped parts, one sentence each. */
  readonly note?: (text: string) => void;
}

/**
 * Facts of a server, a package with several servers, or an item. A server has precedence, then a tool, a
 * prompt, a resource, an app. Imports no handlers. Looks up packages that are not installed in the registry,
 * if `place.published` is set.
 * @throws AgentToolsError if the reference does not resolve, or its definition is invalid.
 */
export function show(
  reference: string,
  place: ShowPlace & { readonly published?: undefined },
): Promise<InstalledFacts>;
export function show(reference: string, place: ShowPlace): Promise<Facts>;
export async function show(reference: string, place: ShowPlace): Promise<Facts> {
  const { workspace } = place;
  try {
    const server = await findServer(reference, workspace);
    if (!('failure' in server)) {
      noteFaults(server.extension, place);
      return await serverFacts(server, place);
    }
    const named = await findNamed(reference, place);
    if (!named) return await factsOfPublished(reference, server.failure, place);
    const { extension, item } = named;
    noteFaults(extension, place);
    return item === undefined
      ? await installedPackageFacts(extension)
      : await itemFacts({ ...named, item }, workspace);
  } catch (error) {
    throw error instanceof DefinitionError ? unusableDefinitionError(error) : error;
  }
}

function noteFaults(
  { name, manifest }: { readonly name: string; readonly manifest: ManifestContent },
  { note = () => {} }: ShowPlace,
): void {
  for (const fault of listFaults(manifest)) note(`${name}: ${fault}`);
}

function unusableDefinitionError({ message, location }: DefinitionError): AgentToolsError {
  return new AgentToolsError('invalid-definition', `${message} (${visibleLine(location.file)})`);
}

/** The server, or the reason why the reference is not a server. */
async function findServer(
  reference: string,
  workspace: Workspace,
): Promise<FoundServer | { readonly failure: AgentToolsError }> {
  try {
    return await workspace.findServer(reference);
  } catch (error) {
    if (!(error instanceof AgentToolsError)) throw error;
    if (!isUnknownName(error) && error.code !== 'ambiguous') throw error;
    return { failure: error };
  }
}

/**
 * Registry data for a reference that does not resolve locally.
 * @throws AgentToolsError `failure`, with the reason of the registry
 */
async function factsOfPublished(
  reference: string,
  failure: AgentToolsError,
  place: ShowPlace,
): Promise<PublishedFacts> {
  const { workspace, published: find } = place;
  const { package: name, item } = packageIn(reference) ?? {};
  const isHere = name === undefined || (await workspace.findPackage(name)) !== undefined;
  if (!find || isHere) throw failure;
  const said = failure instanceof NoServerError ? failure.what : failure.message;
  const what = said.endsWith('.') ? said : `${said}.`;
  const published = await find(name).catch(async (error: unknown) => {
    if (!(error instanceof AgentToolsError)) throw error;
    if (!isUnknownToRegistry(error)) {
      const message = `${failure.message}\nThe registry was searched, too, for ${name}: ${error.message}.`;
      throw new AgentToolsError('not-found', message);
    }
    const scoped = withScope(reference);
    const isMeant = scoped !== undefined && (await find(scoped).catch(() => undefined)) !== undefined;
    const hint = isMeant ? ` Did you mean "${scoped}"?` : '';
    throw new AgentToolsError(
      'not-found',
      `${what} The package ${name} is neither installed nor in the registry.${hint}`,
    );
  });
  if (!published) {
    throw new AgentToolsError(
      'not-found',
      `${what} The registry has a package ${name}, which is not an extension.`,
    );
  }
  const { publishedFacts } = await import('./published-facts.js');
  noteFaults({ name, manifest: published.content }, place);
  const installations = async (server: string) =>
    place.receipts ? await findInstallations(server, place.receipts) : [];
  const facts = await publishedFacts(published, item, installations);
  if (facts) return facts;
  throw new AgentToolsError(
    'not-found',
    unknownItemError({ name, manifest: published.content }, item ?? name),
  );
}

function isUnknownToRegistry(error: AgentToolsError): boolean {
  return 'fault' in error && error.fault === 'not-found';
}

/** Package of a reference, alone or with an item. */
function packageIn(reference: string): { readonly package: string; readonly item?: string } | undefined {
  if (isPathArgument(reference)) return undefined;
  return isPackageName(reference) ? { package: reference } : parseQualifiedName(reference);
}

interface ShownReference {
  readonly extension: Extension;
  readonly item?: string;
  /** The path of a reference that is one, if nothing is there. */
  readonly missing?: string | undefined;
}

/** Package of a reference, with its item if any. */
async function findNamed(
  reference: string,
  { workspace, cwd, homeDirectory }: ShowPlace,
): Promise<ShownReference | undefined> {
  if (isPathArgument(reference)) {
    const target = path.resolve(cwd, reference.replace(/^~(?=$|[\\/])/, homeDirectory));
    if (await hasPackageJson(target)) return { extension: await workspace.open(target) };
    const parent = path.dirname(target);
    if (!(await hasPackageJson(parent))) return undefined;
    const missing = (await stat(target).catch(() => undefined)) ? undefined : target;
    return { extension: await workspace.open(parent), item: path.basename(target), missing };
  }
  const builtin = (await workspace.builtins()).find((one) =>
    kinds.some((kind) => one.isDeclared(kind, reference)),
  );
  if (builtin) return { extension: builtin, item: reference };
  const asPackage = /^(?:@[^/]+\/)?[^/]+$/.test(reference)
    ? await workspace.findPackage(reference)
    : undefined;
  if (asPackage) return { extension: asPackage };
  const qualified = parseQualifiedName(reference);
  const extension = qualified && (await workspace.findPackage(qualified.package));
  return extension && { extension, item: qualified.item };
}

async function hasPackageJson(folder: string): Promise<boolean> {
  const info = await stat(path.join(folder, 'package.json')).catch(() => undefined);
  return info?.isFile() ?? false;
}

async function serverFacts(found: FoundServer, { workspace, receipts }: ShowPlace): Promise<ServerFacts> {
  const { extension } = found;
  const spec = await composeServer(found, workspace);
  const { skills, lost } = await skillSummaries(spec.skills);
  const { title } = spec.info;
  const definition =
    found.server === undefined ? undefined : await extension.definition('servers', found.server);
  const sandbox = found.server === undefined ? undefined : await declaredSandbox(extension, found.server);
  return {
    kind: 'server',
    name: spec.qualifiedName,
    title: typeof title === 'string' ? title : null,
    description: spec.description ?? aboutPackage(extension),
    version: spec.info.version,
    package: extension.name,
    location: extension.manifest.directory,
    directory: extension.manifest.directory,
    configKey: spec.hasOwnKey ? spec.configKey : deriveKey(spec.configKey),
    transport: definition?.value.transport === 'http' ? 'http' : 'stdio',
    ...(spec.adapt !== 'auto' && { adapt: spec.adapt }),
    ...(sandbox !== undefined && { sandbox }),
    tools: spec.registry.all('tools').map(toolSummary),
    upstreams: spec.upstreams.map(upstreamFacts),
    prompts: spec.registry.all('prompts').map(promptSummary),
    resources: spec.registry.all('resources').map(resourceSummary),
    apps: [...spec.apps.values()].map((app) => ({
      ...appSummary(app),
      hidden: app.hidden,
      tools: appToolNames(app, spec),
    })),
    skills,
    instructions: spec.instructions ?? null,
    leftOut: [...spec.leftOut.map(leftOutFacts), ...lost],
    installations: receipts
      ? await findInstallations(spec.qualifiedName, receipts, sandbox !== undefined)
      : [],
  };
}

/** Client view of skills, and the skills that are invalid. */
async function skillSummaries(
  folders: readonly SkillFolder[],
): Promise<{ readonly skills: readonly SkillSummary[]; readonly lost: readonly LeftOutFacts[] }> {
  if (folders.length === 0) return { skills: [], lost: [] };
  const { readSkill } = await import('../skills/read-skill.js');
  const skills: SkillSummary[] = [];
  const lost: LeftOutFacts[] = [];
  for (const folder of folders) {
    const { name, file } = folder;
    try {
      const { skill } = await readSkill(folder);
      skills.push({ name, description: skill.frontmatter.description, uri: skill.uri });
    } catch (error) {
      const message = `Skill "${name}" cannot be served: ${(error as Error).message}.`;
      lost.push({ item: name, code: 'invalid-skill', message, file });
    }
  }
  return { skills, lost };
}

/** Default description of the servers of a package, as in listings. */
function aboutPackage({ origin, manifest: { packageJson } }: Extension): string | null {
  if (origin !== 'package' || !isRecord(packageJson.value)) return null;
  return stringOrNull(packageJson.value.description);
}

/** Ignores damaged records, which `list-installed` reports. */
async function findInstallations(
  server: string,
  receipts: Receipts,
  declaresSandbox = false,
): Promise<readonly InstallationFacts[]> {
  const { records } = await reconcileRecords(receipts);
  const known = records.flatMap((record) => record.receipts).filter((receipt) => receipt.server === server);
  return known.map(({ client, scope, file, key, entry }) => ({
    client,
    scope,
    file,
    key,
    sandbox: levelOf(entry, declaresSandbox),
    apps: showsApps(client, entry),
  }));
}

/** False if a variable of an entry switches UI apps off. */
function showsApps(id: string, entry: ConfigEntry): boolean {
  const client = clients.find((one) => one.id === id);
  const env = client?.manual === undefined ? client?.launchOf(entry)?.env : undefined;
  return env?.MCP_APPS_ENABLED?.trim().toLowerCase() !== 'false';
}

/** Level of the sandbox that `start` opens for a config entry. Its options precede a command. */
function levelOf(entry: ConfigEntry, declaresSandbox: boolean): string | null {
  const words = Object.values(entry).flatMap((value) => (Array.isArray(value) ? value.map(String) : []));
  const [own = words] = words.includes('--') ? [words.slice(0, words.indexOf('--'))] : [];
  if (own.includes('--no-sandbox')) return null;
  const option = own.findLast((word) => /^--sandbox(?:=|$)/.test(word));
  if (option === undefined) return declaresSandbox ? strongestLevel : null;
  return option.split('=')[1] ?? strongestLevel;
}

function leftOutFacts({ item, code, message, location }: ServerSpec['leftOut'][number]): LeftOutFacts {
  return { item, code, message, file: location.file };
}

/** Names of the server's tools with this app. */
function appToolNames({ uri }: AppSpec, { registry }: ServerSpec): readonly string[] {
  const bound = registry.all('tools').filter(({ ui }) => ui?.app?.uri === uri);
  return bound.map(({ name }) => name);
}

function toolSummary(tool: ToolSpec): ToolSummary {
  const { name, item, wire, hidden, upstream } = tool;
  return {
    name,
    item,
    title: String(wire.title),
    description: stringOrNull(wire.description),
    inputSchema: wire.inputSchema,
    outputSchema: wire.outputSchema ?? null,
    category: stringOrNull(isRecord(wire._meta) ? wire._meta.category : undefined),
    annotations: isRecord(wire.annotations) ? wire.annotations : {},
    ...(hasUi(tool) && { ui: toolUiFacts(tool.ui!) }),
    ...(upstream && { upstream: { server: upstream.upstream.name, tool: upstream.tool } }),
    hidden,
  };
}

function upstreamFacts({ upstream, choice, changes, ...kinds }: UpstreamEntry): UpstreamFacts {
  const factsOf = (one: ItemChoice | undefined) => (one ? choiceFacts(one) : null);
  return {
    server: upstream.name,
    variables: upstream.exposure?.variables ?? [],
    host: upstream.exposure?.host ?? null,
    ...choiceFacts(choice),
    hidden: changes.hidden ?? false,
    prompts: factsOf(kinds.prompts),
    resources: factsOf(kinds.resources),
    apps: factsOf(kinds.apps),
  };
}

function choiceFacts({ prefix, only, except, rename }: ItemChoice): UpstreamChoiceFacts {
  return { prefix, only: only ?? null, except, rename };
}

function toolUiFacts({ app, visibility, when, written }: ToolUi): ToolUiFacts {
  return {
    uri: app?.uri ?? stringOrNull(written?.['ui/resourceUri']),
    visibility,
    gated: when !== undefined,
  };
}

function promptSummary({ name, item, wire, hidden }: PromptSpec): PromptSummary {
  return {
    name,
    item,
    title: String(wire.title),
    description: stringOrNull(wire.description),
    arguments: wire.arguments as readonly PromptArgumentFacts[],
    hidden,
  };
}

function resourceSummary({ name, item, wire, uri, uriTemplate, hidden }: ResourceSpec): ResourceSummary {
  return {
    name,
    item,
    title: String(wire.title),
    description: stringOrNull(wire.description),
    ...(uri !== undefined && { uri }),
    ...(uriTemplate !== undefined && { uriTemplate }),
    mimeType: stringOrNull(wire.mimeType),
    hidden,
  };
}

function appSummary({ name, item, uri, wire }: AppSpec): Omit<AppSummary, 'hidden' | 'tools'> {
  return { name, item, uri, title: String(wire.title), description: stringOrNull(wire.description) };
}

async function installedPackageFacts(extension: Extension): Promise<PackageFacts> {
  const { name, manifest } = extension;
  const { packageVersion, directory, packageJson } = manifest;
  const declared = async (kind: Kind): Promise<readonly DeclarationFacts[]> =>
    (await extension.declared(kind)).map((one) => ({
      name: one.name,
      item: extension.qualify(one.name),
      description: one.description ?? null,
    }));
  return {
    kind: 'package',
    name,
    description: stringOrNull((packageJson.value as Record<string, unknown>).description),
    version: packageVersion,
    location: directory,
    directory,
    servers: await declared('servers'),
    tools: await declared('tools'),
    prompts: await declared('prompts'),
    resources: await declared('resources'),
    apps: await declared('apps'),
    skills: (await skillSummaries(await findSkillFolders(manifest))).skills,
  };
}

type ShowableKind = Exclude<Kind, 'servers'>;

/** Kinds of items in order of precedence, with the reader of their facts. */
const factReaders = {
  tools: toolFacts,
  prompts: promptFacts,
  resources: resourceFacts,
  apps: appFacts,
} as const satisfies Record<
  ShowableKind,
  (extension: Extension, item: string, workspace: Workspace) => Promise<Facts>
>;

async function itemFacts(
  { extension, item, missing }: ShownReference & { readonly item: string },
  workspace: Workspace,
): Promise<Facts> {
  const searched = Object.keys(factReaders) as ShowableKind[];
  const kind = searched.find((one) => extension.isDeclared(one, item));
  if (kind) return await factReaders[kind](extension, item, workspace);
  if (await extension.has('tools', item)) return await toolFacts(extension, item, workspace);
  const tools = await extension.declared('tools');
  const { declarations } = extension.manifest;
  const found = { name: extension.name, manifest: { declarations: { ...declarations, tools } } };
  const message = unknownItemError(found, item);
  throw new AgentToolsError(
    'not-found',
    missing === undefined ? message : `There is no folder ${missing}, and ${message}`,
  );
}

function unknownItemError(
  { name, manifest }: { readonly name: string; readonly manifest: Pick<ManifestContent, 'declarations'> },
  item: string,
): string {
  const declared = kinds.flatMap((kind) =>
    manifest.declarations[kind].map((one) => ({ kind, name: one.name })),
  );
  const meant = didYouMean(
    item,
    declared.map((one) => one.name),
  );
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  const list = declared.map((one) => `${one.name} (${singular[one.kind]})`).join(', ') || 'nothing';
  return `${name} declares nothing named "${item}".${hint} It declares: ${list}.`;
}

async function toolFacts(extension: Extension, item: string, workspace: Workspace): Promise<ToolFacts> {
  const definition = await extension.definition('tools', item);
  const [bound] = await bindApps([await readTool(definition)], { workspace, leftOut: [] });
  const spec = bound!;
  const { handler } = definition.value;
  return {
    kind: 'tool',
    ...toolSummary(spec),
    ...itemOrigin(extension, definition.file.file),
    options: spec.options,
    requires: needsNothing(spec.requires) ? null : spec.requires,
    timeoutMs: spec.timeoutMs,
    handler: stringOrNull(handler),
  };
}

async function promptFacts(extension: Extension, item: string): Promise<PromptFacts> {
  const definition = await extension.definition('prompts', item);
  const { content, messages } = definition.value;
  return {
    kind: 'prompt',
    ...promptSummary(await readPrompt(definition)),
    ...itemOrigin(extension, definition.file.file),
    content: typeof content === 'string' || isRecord(content) ? content : null,
    messages: messages ?? null,
  };
}

async function resourceFacts(extension: Extension, item: string): Promise<ResourceFacts> {
  const definition = await extension.definition('resources', item);
  const spec = await readResource(definition);
  return {
    kind: 'resource',
    ...resourceSummary(spec),
    ...itemOrigin(extension, definition.file.file),
    subscribable: definition.value.subscribable === true,
  };
}

async function appFacts(extension: Extension, item: string): Promise<AppFacts> {
  const definition = await extension.definition('apps', item);
  const app = await readAppDefinition(definition);
  const { csp, permissions, domain, prefersBorder } = (await app.metadata()).meta.ui ?? {};
  return {
    kind: 'app',
    ...appSummary(app),
    ...itemOrigin(extension, definition.file.file),
    csp: csp ?? null,
    permissions: permissions ?? null,
    domain: stringOrNull(domain),
    prefersBorder: typeof prefersBorder === 'boolean' ? prefersBorder : null,
  };
}

function itemOrigin({ name, manifest }: Extension, file: string): ItemOrigin {
  return { package: name, version: manifest.packageVersion, file };
}

function needsNothing({ client, env, bin }: Requirements): boolean {
  return client.length + env.length + bin.length === 0;
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
