import path from 'node:path';
import { didYouMean, inAnyCase } from '../base/did-you-mean.js';
import { AgentToolsError, type ErrorCode } from '../base/errors.js';
import { ancestorFolders } from '../base/files/ancestor-folders.js';
import { findRealPath, statFile } from '../base/files/disk.js';
import type { Location } from './diagnostics.js';
import { type Definition, DefinitionError, Extension, type LoadCode, type Origin } from './extension.js';
import { type Kind, singular } from './item-kinds.js';
import { hasItems, listFaults, ManifestError } from './manifest.js';
import {
  isPackageName,
  isPublishedName,
  parseQualifiedName,
  qualify,
  shortName,
  withScope,
} from './names.js';
import { pluginHint } from './plugin-hint.js';
import { findSkillFolder, findSkillFolders, type SkillFolder, skillFile } from './skill-folders.js';

/** Folders that are searched for packages. Each is an absolute path. */
export interface WorkspaceOptions {
  readonly cwd: string;
  readonly homeDirectory: string;
  /** Folder of the bundled extensions, one per subfolder. */
  readonly builtinFolder: string;
  /** `node_modules` of packages that AgentTools installed. */
  readonly packagesFolder: string;
  /** `node_modules` of `npm install --global`. */
  readonly globalFolder: string;
  /** `node_modules` that contains AgentTools itself, if it is installed in one. */
  readonly siblingsFolder?: string;
  /** Folder of the extension that contains the user's servers. Undefined if the user has none. */
  readonly userServersFolder?: string;
  readonly loadCode?: LoadCode;
  /** True if extension code runs in another process, which describes it. Default: false. */
  readonly isSurface?: boolean;
  /**
   * True to skip the working directory and the folders above it. The target of a config entry must not depend
   * on the folder that the client app runs in. Default: false.
   */
  readonly ignoreProject?: boolean;
  /**
   * Returns the folder that replaces an added package's folder in `packagesFolder`; undefined for no
   * replacement.
   */
  readonly pinned?: ((name: string) => string | undefined) | undefined;
}

/** A server's package and, if the package has a server definition, its item name. */
export interface FoundServer {
  readonly extension: Extension;
  /** Undefined if the package declares no server; then all its items are served. */
  readonly server?: string;
}

/** Returns the qualified name of a server. */
export function serverName({ extension, server }: FoundServer): string {
  return extension.qualify(server ?? implicitServerName(extension));
}

/** A reference to an item that does not resolve. `foreign` is true if it names another package. */
export class UnknownItemError extends DefinitionError {
  readonly foreign: boolean;
  /** The package to install; undefined if it is installed or unknown. */
  readonly missingPackage: string | undefined;

  constructor(
    code: string,
    message: string,
    location: Location,
    { foreign, missingPackage }: { readonly foreign: boolean; readonly missingPackage?: string | undefined },
  ) {
    super(code, message, location);
    this.foreign = foreign;
    this.missingPackage = missingPackage;
  }
}

/** A name that does not resolve to a server. */
export class NoServerError extends AgentToolsError {
  /** Message without advice, for callers that have better advice. */
  readonly what: string;

  constructor(what: string, wayOut: string, code: ErrorCode = 'not-found') {
    super(code, `${what} ${wayOut}`);
    this.what = what;
  }
}

/** A server of a package that is not installed. Its code is `not-installed`. */
export class MissingPackageError extends NoServerError {
  readonly packageName: string;
  /** Qualified name, or the package name if no item was named. */
  readonly server: string;

  constructor(packageName: string, server: string, what: string, wayOut: string) {
    super(what, wayOut, 'not-installed');
    this.packageName = packageName;
    this.server = server;
  }
}

/** Resolves names of extensions and items, relative to a working directory. */
export class Workspace {
  readonly #options: WorkspaceOptions;
  readonly #opened = new Map<string, Promise<Extension>>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  /** Opens the extension in a folder. @throws as {@link Extension.open} does. */
  async open(directory: string): Promise<Extension> {
    const real = findRealPath(directory) ?? directory;
    const known = this.#opened.get(real);
    if (known) return await known;
    const opening = this.#open(real);
    this.#opened.set(real, opening);
    opening.catch(() => this.#opened.delete(real));
    return await opening;
  }

  async #open(directory: string): Promise<Extension> {
    const { loadCode, isSurface = false } = this.#options;
    const origin = this.#originOf(directory);
    return await Extension.open(directory, { origin, isSurface, ...(loadCode && { loadCode }) });
  }

  #originOf(directory: string): Origin {
    const { builtinFolder, userServersFolder } = this.#options;
    const bundled = findRealPath(builtinFolder) ?? builtinFolder;
    if (path.dirname(directory) === bundled) return 'builtin';
    const made = userServersFolder && (findRealPath(userServersFolder) ?? userServersFolder);
    return directory === made ? 'user' : 'package';
  }

  /**
   * Finds a package by name. Search order: the referring package, `node_modules` from it upwards, the package
   * at the working directory, `node_modules` from there upwards, `packagesFolder`, `globalFolder`,
   * `siblingsFolder`. References from the user's servers use only the last three, so that they do not depend
   * on the working directory.
   */
  async findPackage(name: string, from?: Extension): Promise<Extension | undefined> {
    if (!isPackageName(name)) return undefined;
    if (from?.name === name) return from;
    const isUsers = from?.origin === 'user';
    const own =
      from && !isUsers
        ? ancestorFolders(from.manifest.directory).map((folder) => path.join(folder, 'node_modules'))
        : [];
    for (const folder of own) {
      const found = await this.#openIfPackage(path.join(folder, name));
      if (found) return found;
    }
    const { packagesFolder, globalFolder, siblingsFolder } = this.#options;
    const inProject = isUsers || this.#options.ignoreProject ? undefined : await this.#findInProject(name);
    if (inProject) return inProject;
    const added = this.#options.pinned?.(name) ?? path.join(packagesFolder, name);
    const others = [globalFolder, ...(siblingsFolder ? [siblingsFolder] : [])];
    for (const directory of [added, ...others.map((folder) => path.join(folder, name))]) {
      const found = await this.#openIfPackage(directory);
      if (found) return found;
    }
    return undefined;
  }

  /** Finds a package at the working directory, or in a `node_modules` from there upwards. */
  async #findInProject(name: string): Promise<Extension | undefined> {
    const here = await this.packageHere();
    if (here?.name === name) return here;
    for (const folder of ancestorFolders(this.#options.cwd).map((above) =>
      path.join(above, 'node_modules'),
    )) {
      const found = await this.#openIfPackage(path.join(folder, name));
      if (found) return found;
    }
    return undefined;
  }

  async #openIfPackage(directory: string): Promise<Extension | undefined> {
    return isPackageFolder(directory) ? await this.open(directory) : undefined;
  }

  /** Returns the extension at or above the working directory; undefined if it is missing or unreadable. */
  async packageHere(): Promise<Extension | undefined> {
    return await this.extensionHere().catch(() => undefined);
  }

  /**
   * As {@link packageHere}, but rejects if the extension cannot be read.
   * @throws as {@link Extension.open} does.
   */
  async extensionHere(): Promise<Extension | undefined> {
    const folder = firstPackage(ancestorFolders(this.#options.cwd));
    if (folder === undefined) return undefined;
    return await this.open(folder).catch((error: unknown) => {
      if (error instanceof ManifestError && error.code === 'no-extension') return undefined;
      throw error;
    });
  }

  /** Returns the bundled extensions. */
  async builtins(): Promise<readonly Extension[]> {
    const { readdir } = await import('node:fs/promises');
    const names = await readdir(this.#options.builtinFolder);
    const found = await Promise.all(
      names.sort().map((name) => this.#openIfPackage(path.join(this.#options.builtinFolder, name))),
    );
    return found.filter((extension) => extension !== undefined);
  }

  /**
   * Returns the extension that contains the user's servers; undefined if missing.
   * @throws as {@link Extension.open} does.
   */
  async userServers(): Promise<Extension | undefined> {
    const { userServersFolder } = this.#options;
    return userServersFolder === undefined ? undefined : await this.#openIfPackage(userServersFolder);
  }

  async #builtinOf(kind: Kind, item: string): Promise<Extension | undefined> {
    return (await this.builtins()).find((extension) => extension.isDeclared(kind, item));
  }

  /**
   * Resolves an item name in a definition of `from`: its own declared item, then a built-in one, then a
   * qualified name.
   * @throws UnknownItemError if it does not resolve; DefinitionError if its definition is unusable.
   */
  async resolveItem(kind: Kind, reference: string, from: Extension, location: Location): Promise<Definition> {
    const found = await this.locateItem(kind, reference, from, location);
    return await found.extension.definition(kind, found.item);
  }

  /** As {@link resolveItem}, without reading the definition. @throws UnknownItemError */
  async locateItem(
    kind: Kind,
    reference: string,
    from: Extension,
    location: Location,
  ): Promise<{ extension: Extension; item: string }> {
    if (!reference.includes('/')) {
      const own = await from.has(kind, reference).catch((error: unknown) => error);
      if (own === true) return { extension: from, item: reference };
      const builtin = await this.#builtinOf(kind, reference);
      if (builtin) return { extension: builtin, item: reference };
      // An unreadable toolkit may contain the item.
      throw own === false ? await this.#unknown(kind, reference, from, location) : own;
    }
    const qualified = parseQualifiedName(reference);
    if (!qualified) throw await this.#unknown(kind, reference, from, location);
    const { package: name, item } = qualified;
    const extension = await this.#referredPackage(name, from, location);
    if (await extension?.has(kind, item)) return { extension: extension!, item };
    if (extension === from) throw await this.#unknown(kind, item, from, location);
    throw unresolvedItemError(
      { what: singular[kind], reference, name, item, isHere: extension !== undefined },
      location,
    );
  }

  /**
   * Resolves a toolkit name in a definition of `from`: its own toolkit, or another package's by qualified
   * name.
   * @throws UnknownItemError if it does not resolve
   */
  async locateToolkit(
    reference: string,
    from: Extension,
    location: Location,
  ): Promise<{ extension: Extension; name: string }> {
    const qualified = reference.includes('/') ? parseQualifiedName(reference) : undefined;
    const extension = qualified ? await this.#referredPackage(qualified.package, from, location) : from;
    const name = qualified?.item ?? reference;
    const declared = extension?.manifest.toolkits.map((one) => one.name) ?? [];
    if (extension && declared.includes(name)) return { extension, name };
    if (qualified && extension !== from) {
      const { package: owner, item } = qualified;
      const isHere = extension !== undefined;
      throw unresolvedItemError({ what: 'toolkit', reference, name: owner, item, isHere }, location);
    }
    const meant = didYouMean(name, declared);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    const message = `${from.name} declares no toolkit "${name}".${hint} Declared: ${declared.join(', ') || 'none'}.`;
    throw new UnknownItemError('unknown-tool', message, location, { foreign: false });
  }

  /**
   * Resolves a skill name in a definition of `from`: its own package's skill, or another package's by
   * qualified name.
   * @throws UnknownItemError if it does not resolve
   */
  async locateSkill(reference: string, from: Extension, location: Location): Promise<SkillFolder> {
    const qualified = reference.includes('/') ? parseQualifiedName(reference) : undefined;
    const extension = qualified ? await this.#referredPackage(qualified.package, from, location) : from;
    const name = qualified?.item ?? reference;
    if (!extension) {
      const { package: owner, item } = qualified!;
      throw unresolvedItemError({ what: 'skill', reference, name: owner, item, isHere: false }, location);
    }
    if (!qualified && from.origin === 'user') {
      const message = `The skill "${reference}" belongs to no package. Skills of packages have qualified names such as @scope/name/skill.`;
      throw new UnknownItemError('unknown-skill', message, location, { foreign: false });
    }
    const { manifest } = extension;
    const found = await findSkillFolder(manifest, name);
    if (found) return found;
    const known = (await findSkillFolders(manifest)).map((one) => one.name);
    const meant = didYouMean(name, known);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    const place = name.includes('/') ? '' : ` Expected ${skillFile(manifest, name)}.`;
    const message = `${extension.name} has no skill "${name}".${place}${hint} It has: ${known.join(', ') || 'none'}.`;
    const foreign = extension !== from;
    const code = foreign ? 'unresolved-reference' : 'unknown-skill';
    throw new UnknownItemError(code, message, location, { foreign });
  }

  async #referredPackage(name: string, from: Extension, location: Location): Promise<Extension | undefined> {
    return await this.findPackage(name, from).catch((error) => {
      const { message } = error as Error;
      throw new UnknownItemError('unresolved-reference', message, location, { foreign: true });
    });
  }

  async #unknown(
    kind: Kind,
    reference: string,
    from: Extension,
    location: Location,
  ): Promise<UnknownItemError> {
    const declared = (await from.declared(kind)).map(({ name }) => name);
    const meant = didYouMean(reference, declared);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    if (from.origin === 'user') {
      const what = singular[kind];
      const message = `There is no built-in ${what} "${reference}". The ${kind} of packages have qualified names such as @scope/name/${what}.`;
      return new UnknownItemError(`unknown-${what}`, message, location, { foreign: false });
    }
    const message = `${from.name} declares no ${singular[kind]} "${reference}", and no built-in one has that name.${hint} Declared: ${declared.join(', ') || 'none'}.`;
    return new UnknownItemError(`unknown-${singular[kind]}`, message, location, { foreign: false });
  }

  /**
   * Finds the server of a command-line argument: a path (`./plugin`, `./plugin/weather`), a server of the
   * user, a built-in one, a package with exactly one server, or a qualified name. If no name is equal, in any case.
   * @throws AgentToolsError with the places that were searched.
   */
  async findServer(reference: string): Promise<FoundServer> {
    if (isPathArgument(reference)) return await this.#serverAtPath(reference);
    const found =
      (await this.#serverNamed(reference)) ??
      (await this.#bareServerInAnyCase(reference)) ??
      (await this.#serverNamed(packageInLowerCase(reference)));
    if (found) return found;
    const qualified = parseQualifiedName(reference);
    const isScopedPackage = reference.startsWith('@') && isPackageName(reference);
    throw await this.#noServer(reference, isScopedPackage ? reference : qualified?.package);
  }

  async #serverNamed(reference: string | undefined): Promise<FoundServer | undefined> {
    if (reference === undefined) return undefined;
    const bare = reference.includes('/') ? undefined : await this.#bareServer(reference);
    if (bare) return { extension: bare, server: reference };
    const asPackage = await this.findPackage(reference);
    if (asPackage) return onlyServer(asPackage);
    const qualified = parseQualifiedName(reference);
    const extension = qualified && (await this.findPackage(qualified.package));
    return qualified && extension && namedServer(extension, qualified.item);
  }

  /** The only server of the user, or built-in one, that has the name in another case. */
  async #bareServerInAnyCase(name: string): Promise<FoundServer | undefined> {
    const known = name.includes('/') ? [] : await this.#bareServers();
    const server = inAnyCase(name, known);
    const extension = server === undefined ? undefined : await this.#bareServer(server);
    return extension && { extension, server: server! };
  }

  /** Names of the servers of the user that can be read, and of the built-in ones. */
  async #bareServers(): Promise<readonly string[]> {
    const made = await this.userServers().catch(() => undefined);
    return [...(made ? [made] : []), ...(await this.builtins())].flatMap(({ manifest }) =>
      manifest.declarations.servers.map(({ name }) => name),
    );
  }

  /**
   * Returns the extension with a server of a bare name: the user's, else a built-in one.
   * @throws if the user's servers cannot be read and no built-in server has the name
   */
  async #bareServer(name: string): Promise<Extension | undefined> {
    const made = await this.userServers().catch((error: Error) => error);
    if (made instanceof Extension && made.isDeclared('servers', name)) return made;
    const builtin = await this.#builtinOf('servers', name);
    if (made instanceof Error && !builtin) throw made;
    return builtin;
  }

  async #serverAtPath(reference: string): Promise<FoundServer> {
    const expanded = reference.replace(/^~(?=$|[\\/])/, this.#options.homeDirectory);
    const target = path.resolve(this.#options.cwd, expanded);
    if (isPackageFolder(target))
      return onlyServer(await this.open(target), (name) => `${reference.replace(/[\\/]+$/, '')}/${name}`);
    const parent = path.dirname(target);
    if (!isPackageFolder(parent) && statFile(target)?.isFile()) {
      const message = `${target} is a file. If it is the program of an MCP server, write it after "--": -- ${reference}`;
      throw new AgentToolsError('not-found', message);
    }
    const isFolder = statFile(target) !== undefined;
    if (isPackageFolder(parent))
      return namedServer(await this.open(parent), path.basename(target), isFolder ? undefined : target);
    if (!isFolder) throw new AgentToolsError('not-found', `There is no folder ${target}.`);
    throw new AgentToolsError(
      'not-found',
      `There is no package at ${target}: neither this folder nor the one that holds it has a package.json.${pluginHint(target)}`,
    );
  }

  async #noServer(reference: string, packageName: string | undefined): Promise<AgentToolsError> {
    const scoped = withScope(reference);
    const isScoped = scoped !== undefined && (await this.findPackage(scoped).catch(() => undefined));
    const meant = isScoped ? scoped : didYouMean(reference, await this.#bareServers());
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    if (this.#isPathWithoutDot(reference)) {
      const message = `There is no server "${reference}".${hint} If it is meant as a path, write ./${reference}`;
      return new AgentToolsError('not-found', message);
    }
    const what = `There is no server "${reference}".${hint}`;
    if (packageName !== undefined) {
      const wayOut = `The package ${packageName} is not installed. Add it with: agenttools add ${packageName}`;
      const qualified = parseQualifiedName(reference);
      const server = qualified ? qualify(packageName, qualified.item) : reference;
      return new MissingPackageError(packageName, server, what, wayOut);
    }
    const wayOut =
      'Give a path such as ./my-plugin, a qualified name such as @scope/name/server, or the name of a built-in or user server.';
    // A bare word is never installed: a typo may be the name of an unrelated package.
    const asPackage = isPublishedName(reference)
      ? ` If it is a package of the registry, add it with: agenttools add ${reference}, or name its server: ${reference}/<server>.`
      : '';
    return new NoServerError(what, `${wayOut}${asPackage}`);
  }

  /** True if the reference, read as a path, is a package folder or a child of one. */
  #isPathWithoutDot(reference: string): boolean {
    const target = path.resolve(this.#options.cwd, reference);
    if (reference === '' || isPackageFolder(target)) return reference !== '';
    return reference.includes('/') && isPackageFolder(path.dirname(target));
  }
}

/** The error for an item that another package lacks, or for a package that is not installed. */
function unresolvedItemError(
  {
    what,
    reference,
    name,
    item,
    isHere,
  }: Readonly<Record<'what' | 'reference' | 'name' | 'item', string>> & { readonly isHere: boolean },
  location: Location,
): UnknownItemError {
  const reason = isHere
    ? `the package ${name} declares no ${what} "${item}"`
    : `the package ${name} is not installed; add it with: agenttools add ${name}`;
  const message = `The ${what} "${reference}" cannot be found: ${reason}.`;
  const missingPackage = isHere ? undefined : name;
  return new UnknownItemError('unresolved-reference', message, location, { foreign: true, missingPackage });
}

/** True if a command-line argument is a path: it begins with `.`, `/`, `\`, `~` or a drive letter. */
export function isPathArgument(text: string): boolean {
  return /^(?:[./~\\]|[A-Za-z]:[\\/])/.test(text);
}

/** The reference with the name of its package in lower case, as npm demands of new packages. Undefined: it is the same. */
function packageInLowerCase(reference: string): string | undefined {
  const { package: name = reference, item } = parseQualifiedName(reference) ?? {};
  const lower = name.toLowerCase();
  if (lower === name) return undefined;
  return item === undefined ? lower : qualify(lower, item);
}

/** `spell` returns the argument for one of several servers. */
function onlyServer(extension: Extension, spell = (name: string) => extension.qualify(name)): FoundServer {
  const servers = extension.manifest.declarations.servers.map(({ name }) => name);
  if (servers.length === 0 && !hasItems(extension.manifest)) {
    const wayOut = `See what is wrong with: agenttools validate ${extension.manifest.directory}`;
    throw new AgentToolsError(
      'not-found',
      [`${extension.name} declares no items to serve.`, ...listFaults(extension.manifest), wayOut].join(' '),
    );
  }
  if (servers.length === 0) return { extension };
  if (servers.length === 1) return { extension, server: servers[0]! };
  const names = servers.map(spell).join(', ');
  throw new AgentToolsError('ambiguous', `${extension.name} has several servers. Name one of: ${names}.`);
}

/** `missing`: a path that does not exist, if the argument can mean it. */
function namedServer(extension: Extension, server: string, missing?: string): FoundServer {
  const servers = extension.manifest.declarations.servers.map(({ name }) => name);
  if (servers.includes(server)) return { extension, server };
  if (servers.length === 0 && hasItems(extension.manifest)) {
    if (inAnyCase(server, [implicitServerName(extension)]) !== undefined) return { extension };
  }
  const other = inAnyCase(server, servers);
  if (other !== undefined) return { extension, server: other };
  const meant = didYouMean(server, servers);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  const known = servers.join(', ') || (hasItems(extension.manifest) ? implicitServerName(extension) : 'none');
  throw new AgentToolsError(
    'not-found',
    `${missing === undefined ? '' : `There is no folder ${missing}, and `}${extension.name} has no server "${server}".${hint} Its servers: ${known}.`,
  );
}

/** Returns the qualified names of an extension's servers, declared or implicit. */
export function serverNames(extension: Extension): readonly string[] {
  const declared = extension.manifest.declarations.servers.map(({ name }) => name);
  const implicit = hasItems(extension.manifest) ? [implicitServerName(extension)] : [];
  return (declared.length > 0 ? declared : implicit).map((name) => extension.qualify(name));
}

/**
 * Returns the name of the server that a package without declared servers has: the last segment of its name.
 */
export function implicitServerName(extension: Extension): string {
  return shortName(extension.name);
}

function isPackageFolder(folder: string): boolean {
  return statFile(path.join(folder, 'package.json'))?.isFile() ?? false;
}

function firstPackage(folders: readonly string[]): string | undefined {
  return folders.find(isPackageFolder);
}
