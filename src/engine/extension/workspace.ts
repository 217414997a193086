import path from 'node:path';
import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
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
import { findSkillFolder, findSkillFolders, type SkillFolder, skillFile } from './skill-folders.js';

/** Where packages are looked for. Every folder is absolute. */
export interface WorkspaceOptions {
  readonly cwd: string;
  readonly homeDirectory: string;
  /** The bundled extensions: each folder in it is one. */
  readonly builtinFolder: string;
  /** The `node_modules` of packages that AgentTools itself installed. */
  readonly packagesFolder: string;
  /** The `node_modules` of `npm install --global`. */
  readonly globalFolder: string;
  /** The `node_modules` that this program itself is installed in, if it is in one. */
  readonly siblingsFolder?: string;
  /** The extension that holds the servers which the user made; absent: there are none. */
  readonly userServersFolder?: string;
  readonly loadCode?: LoadCode;
  /** Code of extensions runs in another process, which describes it. */
  readonly isSurface?: boolean;
  /**
   * Look for packages neither at the working directory nor above it: what a client's entry names must not depend on
   * where the client happens to run.
   */
  readonly ignoreProject?: boolean;
  /** The folder of an added package that counts in place of the one in `packagesFolder`; undefined: that one. */
  readonly pinned?: ((name: string) => string | undefined) | undefined;
}

/** A server that was found: its package and, unless the package has no server definition, its item name. */
export interface FoundServer {
  readonly extension: Extension;
  /** Absent: the package declares no server, and everything it declares is served. */
  readonly server?: string;
}

/** The qualified name of a server. */
export function serverName({ extension, server }: FoundServer): string {
  return extension.qualify(server ?? implicitServerName(extension));
}

/** A reference to an item that leads nowhere. `foreign` if it names another package. */
export class UnknownItemError extends DefinitionError {
  readonly foreign: boolean;
  /** The package that would have to be here; absent if it is, or nothing says which. */
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

/** A name that leads to no server. */
export class NoServerError extends AgentToolsError {
  /** The message without the way out, for those who know a better one. */
  readonly what: string;

  constructor(what: string, wayOut: string) {
    super('not-found', `${what} ${wayOut}`);
    this.what = what;
  }
}

/** A server whose package is not here. */
export class MissingPackageError extends NoServerError {
  readonly packageName: string;
  /** Qualified name, or the package where nothing else was named. */
  readonly server: string;

  constructor(packageName: string, server: string, what: string, wayOut: string) {
    super(what, wayOut);
    this.packageName = packageName;
    this.server = server;
  }
}

/** Names to extensions and items, by the rules of one place: the working directory and the folders around it. */
export class Workspace {
  readonly #options: WorkspaceOptions;
  readonly #opened = new Map<string, Promise<Extension>>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  /** The extension in a folder. @throws as {@link Extension.open} does. */
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
   * A package by name: the referring one, `node_modules` from it upwards, the package at the working directory,
   * `node_modules` from there upwards, our package folder, the global npm folder. What servers of the user name is the
   * same wherever they are started from: only the last two count.
   */
  async findPackage(name: string, from?: Extension): Promise<Extension | undefined> {
    if (!isPackageName(name)) return undefined;
    if (from?.name === name) return from;
    const isUsers = from?.origin === 'user';
    const own =
      from && !isUsers
        ? ancestors(from.manifest.directory).map((folder) => path.join(folder, 'node_modules'))
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

  /** The package at the working directory, or one in a `node_modules` from there upwards. */
  async #findInProject(name: string): Promise<Extension | undefined> {
    const here = await this.packageHere();
    if (here?.name === name) return here;
    for (const folder of ancestors(this.#options.cwd).map((above) => path.join(above, 'node_modules'))) {
      const found = await this.#openIfPackage(path.join(folder, name));
      if (found) return found;
    }
    return undefined;
  }

  async #openIfPackage(directory: string): Promise<Extension | undefined> {
    return isPackageFolder(directory) ? await this.open(directory) : undefined;
  }

  /** The package at the working directory, or around it, if it is an extension. */
  async packageHere(): Promise<Extension | undefined> {
    return await this.extensionHere().catch(() => undefined);
  }

  /** As {@link packageHere}, where one that cannot be read is no reason to go on. @throws as {@link Extension.open} does. */
  async extensionHere(): Promise<Extension | undefined> {
    const folder = firstPackage(ancestors(this.#options.cwd));
    if (folder === undefined) return undefined;
    return await this.open(folder).catch((error: unknown) => {
      if (error instanceof ManifestError && error.code === 'no-extension') return undefined;
      throw error;
    });
  }

  /** The bundled extensions. */
  async builtins(): Promise<readonly Extension[]> {
    const { readdir } = await import('node:fs/promises');
    const names = await readdir(this.#options.builtinFolder);
    const found = await Promise.all(
      names.sort().map((name) => this.#openIfPackage(path.join(this.#options.builtinFolder, name))),
    );
    return found.filter((extension) => extension !== undefined);
  }

  /** What holds the servers that the user made; undefined if there is none. @throws as {@link Extension.open} does. */
  async userServers(): Promise<Extension | undefined> {
    const { userServersFolder } = this.#options;
    return userServersFolder === undefined ? undefined : await this.#openIfPackage(userServersFolder);
  }

  async #builtinOf(kind: Kind, item: string): Promise<Extension | undefined> {
    return (await this.builtins()).find((extension) => extension.isDeclared(kind, item));
  }

  /**
   * What a name in a definition of `from` leads to: its own declared item, then a built-in one, then a qualified name.
   * @throws UnknownItemError if it leads nowhere; DefinitionError if there is no usable definition.
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
      // A toolkit that cannot be read may be what would have it.
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
   * Whose toolkit a name in a definition of `from` means: its own, or, by a qualified name, another package's.
   * @throws UnknownItemError if it leads nowhere
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
   * The skill that a name in a definition of `from` means: of its own package, or, by a qualified name, of another.
   * @throws UnknownItemError if it leads nowhere
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
      const message = `The skill "${reference}" belongs to no package. Skills of packages go by qualified names such as @scope/name/skill.`;
      throw new UnknownItemError('unknown-skill', message, location, { foreign: false });
    }
    const { directory } = extension.manifest;
    const found = await findSkillFolder(directory, name);
    if (found) return found;
    const known = (await findSkillFolders(directory)).map((one) => one.name);
    const meant = didYouMean(name, known);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    const place = name.includes('/') ? '' : ` Expected ${skillFile(name)}.`;
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
      const message = `There is no built-in ${what} "${reference}". The ${kind} of packages go by qualified names such as @scope/name/${what}.`;
      return new UnknownItemError(`unknown-${what}`, message, location, { foreign: false });
    }
    const message = `${from.name} declares no ${singular[kind]} "${reference}", and no built-in one has that name.${hint} Declared: ${declared.join(', ') || 'none'}.`;
    return new UnknownItemError(`unknown-${singular[kind]}`, message, location, { foreign: false });
  }

  /**
   * The server a command line names: a path (`./plugin`, `./plugin/weather`), one of the user's, a built-in one, a
   * qualified name, or a package with exactly one server.
   * @throws AgentToolsError saying what was looked for and where.
   */
  async findServer(reference: string): Promise<FoundServer> {
    if (isPathArgument(reference)) return await this.#serverAtPath(reference);
    const bare = reference.includes('/') ? undefined : await this.#bareServer(reference);
    if (bare) return { extension: bare, server: reference };
    const asPackage = await this.findPackage(reference);
    if (asPackage) return onlyServer(asPackage);
    const qualified = parseQualifiedName(reference);
    const extension = qualified && (await this.findPackage(qualified.package));
    if (qualified && extension) return namedServer(extension, qualified.item);
    const isScopedPackage = reference.startsWith('@') && isPackageName(reference);
    throw await this.#noServer(reference, isScopedPackage ? reference : qualified?.package);
  }

  /**
   * Who has a server of a bare name. That the user's cannot be read is no reason to go without the built-in ones, but
   * nothing else is taken for one of theirs.
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
    if (isPackageFolder(parent)) return namedServer(await this.open(parent), path.basename(target));
    throw new AgentToolsError(
      'not-found',
      `There is no package at ${target}: neither this folder nor the one that holds it has a package.json.`,
    );
  }

  async #noServer(reference: string, packageName: string | undefined): Promise<AgentToolsError> {
    const made = await this.userServers().catch(() => undefined);
    const bare = [...(made ? [made] : []), ...(await this.builtins())].flatMap(
      ({ manifest }) => manifest.declarations.servers,
    );
    const scoped = withScope(reference);
    const isScoped = scoped !== undefined && (await this.findPackage(scoped).catch(() => undefined));
    const meant = isScoped
      ? scoped
      : didYouMean(
          reference,
          bare.map(({ name }) => name),
        );
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
      'Give a path such as ./my-plugin, a qualified name such as @scope/name/server, or a server that is built in or your own.';
    // A bare word is never obtained: mistyped, it may be the name of a stranger's package.
    const asPackage = isPublishedName(reference)
      ? ` If it is a package of the registry, add it with: agenttools add ${reference}, or name its server: ${reference}/<server>.`
      : '';
    return new NoServerError(what, `${wayOut}${asPackage}`);
  }

  /** Whether a reference would lead to a package, or to something in one, if it were a path. */
  #isPathWithoutDot(reference: string): boolean {
    const target = path.resolve(this.#options.cwd, reference);
    if (reference === '' || isPackageFolder(target)) return reference !== '';
    return reference.includes('/') && isPackageFolder(path.dirname(target));
  }
}

/** What another package does not have, or would have if it were here. */
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

/** Whether a command-line argument is a path: it begins with `.`, `/`, `~` or a drive letter. */
export function isPathArgument(text: string): boolean {
  return /^(?:[./~\\]|[A-Za-z]:[\\/])/.test(text);
}

/** `spell` says how the user would name one of several. */
function onlyServer(extension: Extension, spell = (name: string) => extension.qualify(name)): FoundServer {
  const servers = extension.manifest.declarations.servers.map(({ name }) => name);
  if (servers.length === 0 && !hasItems(extension.manifest)) {
    const wayOut = `See what is wrong with: agenttools validate ${extension.manifest.directory}`;
    throw new AgentToolsError(
      'not-found',
      [
        `${extension.name} declares nothing that could be served.`,
        ...listFaults(extension.manifest),
        wayOut,
      ].join(' '),
    );
  }
  if (servers.length === 0) return { extension };
  if (servers.length === 1) return { extension, server: servers[0]! };
  const names = servers.map(spell).join(', ');
  throw new AgentToolsError('ambiguous', `${extension.name} has several servers. Name one of: ${names}.`);
}

function namedServer(extension: Extension, server: string): FoundServer {
  const servers = extension.manifest.declarations.servers.map(({ name }) => name);
  if (servers.includes(server)) return { extension, server };
  if (servers.length === 0 && hasItems(extension.manifest) && server === implicitServerName(extension))
    return { extension };
  const meant = didYouMean(server, servers);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  const known = servers.join(', ') || (hasItems(extension.manifest) ? implicitServerName(extension) : 'none');
  throw new AgentToolsError(
    'not-found',
    `${extension.name} has no server "${server}".${hint} Its servers: ${known}.`,
  );
}

/** The qualified names of an extension's servers, whether it declares them or not. */
export function serverNames(extension: Extension): readonly string[] {
  const declared = extension.manifest.declarations.servers.map(({ name }) => name);
  const implicit = hasItems(extension.manifest) ? [implicitServerName(extension)] : [];
  return (declared.length > 0 ? declared : implicit).map((name) => extension.qualify(name));
}

/** A package without servers has one that is named like its last segment. */
export function implicitServerName(extension: Extension): string {
  return shortName(extension.name);
}

function ancestors(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

function isPackageFolder(folder: string): boolean {
  return statFile(path.join(folder, 'package.json'))?.isFile() ?? false;
}

function firstPackage(folders: readonly string[]): string | undefined {
  return folders.find(isPackageFolder);
}
