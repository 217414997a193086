import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../base/errors.js';
import { isLoopback } from '../base/loopback.js';
import { parseUrl } from '../base/parse-url.js';
import { decodeUriText } from '../base/text-codecs.js';
import { visibleLine } from '../base/visible-text.js';
import { isPublishedName } from '../extension/names.js';
import { isRegistryName } from '../mcp-registry/registry-entry.js';
import { shownUrl, shownWords } from './hide-secrets.js';

/** A server, as a command line names it. */
export type ServerReference =
  /**
   * A server of an extension, or one of the user's own. `npm`: the npm package of that name, the
   * meaning without such a server. `isBare`: a word without a scope, which is never an npm package by itself.
   */
  | { readonly kind: 'name'; readonly text: string; readonly npm?: NpmReference; readonly isBare?: boolean }
  /** A folder: an extension, or a server in it; or an executable file. */
  | { readonly kind: 'path'; readonly path: string }
  | NpmReference
  /** `name` may end with extras: `markitdown[all]`. `script`: a program with another name than the package. */
  | { readonly kind: 'pypi'; readonly name: string; readonly version?: string; readonly script?: string }
  | { readonly kind: 'docker'; readonly image: string }
  | { readonly kind: 'nuget'; readonly name: string; readonly version?: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'registry'; readonly name: string; readonly version?: string }
  /** A bundle: `isRemote` for a URL, else a file. */
  | { readonly kind: 'bundle'; readonly place: string; readonly isRemote: boolean }
  /** A JSON, TOML or YAML file. Its content decides about its kind. `choice`: the server that is meant in it. */
  | {
      readonly kind: 'document';
      readonly place: string;
      readonly isRemote: boolean;
      readonly choice?: string;
    }
  | { readonly kind: 'command'; readonly words: readonly [string, ...string[]] };

/** An npm package; `version`: a version, range or tag; `bin`: one of its programs. */
export interface NpmReference {
  readonly kind: 'npm';
  readonly name: string;
  readonly version?: string;
  readonly bin?: string;
}

/** The words after `--`. @throws AgentToolsError `usage` without a word */
export function commandReference(words: readonly string[]): Extract<ServerReference, { kind: 'command' }> {
  const [command, ...args] = words;
  if (command) return { kind: 'command', words: [command, ...args] };
  throw usage('After "--", the command of a server is expected: -- python server.py');
}

/**
 * Reads a reference. Opens no file and sends no request.
 * @throws AgentToolsError `usage` if no server can be meant
 */
export function readServerReference(text: string): ServerReference {
  if (text.trim() === '')
    throw usage('An empty text names no server. Write for example npm:@playwright/mcp.');
  if (text !== text.trim())
    throw usage(`${JSON.stringify(text)} names no server. Remove the blanks around it.`);
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  if (Object.hasOwn(schemes, scheme)) return schemes[scheme]!(rest, text);
  if (/^https?:\/\//i.test(text)) return readAddress(text);
  if (/^(?:\.{1,2}|~)?[\\/]|^\.{1,2}$|^~$|^[a-z]:[\\/]/i.test(text)) return readPath(text);
  if (/\s/.test(text))
    throw usage(
      `"${visibleLine(text)}" contains blanks. Write a command after "--": -- ${visibleLine(text)}`,
    );
  if (/\.(?:mcpb|dxt)$|\.json(?:#.+)?$/i.test(text)) return readPath(text);
  if (/^[\w.-]+(?:\[[\w.,-]+\])?==[\w.!+-]+$/.test(text)) return readPyPi(text);
  if (isOciImage(text)) return { kind: 'docker', image: text };
  const [name, version] = splitVersion(text);
  const isEntry: boolean = isRegistryName(name);
  if (isEntry) return { kind: 'registry', name, ...(version !== undefined && { version }) };
  const isBare = !text.includes('/');
  const npm = isBare || text.startsWith('@') ? parseNpm(text) : undefined;
  return { kind: 'name', text, ...(npm && { npm, ...(isBare && { isBare }) }) };
}

/** Prefixes that name the kind of a reference. */
const schemes: Readonly<Record<string, (rest: string, text: string) => ServerReference>> = {
  npm: readNpm,
  pypi: readPyPi,
  uv: readPyPi,
  uvx: readPyPi,
  docker: readImage,
  oci: readImage,
  nuget: readNuGet,
  registry(rest, text) {
    const [name, version] = splitVersion(rest);
    if (!isRegistryName(name)) throw malformed(text, 'registry:io.github.acme/tickets');
    return { kind: 'registry', name, ...(version !== undefined && { version }) };
  },
  mcpb: (rest, text) => {
    if (rest === '') throw malformed(text, 'mcpb:./server.mcpb');
    const isRemote = /^https?:\/\//i.test(rest);
    if (isRemote) requireHttps(parseAddress(rest));
    return { kind: 'bundle', place: rest, isRemote };
  },
  file: (rest, text) => {
    const place = pathOfFileUrl(rest);
    if (place === '' || /^https?:\/\/|\0/i.test(place)) throw malformed(text, 'file:./server.json');
    return readPath(place);
  },
  github: (rest) => {
    throw usage(
      `github:${rest} is a repository. AgentTools installs published packages: name one with npm:, pypi: or docker:, or clone the repository and give the path of the folder.`,
    );
  },
};

function readNpm(rest: string, text: string): ServerReference {
  const npm = parseNpm(rest);
  if (npm) return npm;
  throw malformed(text, 'npm:@playwright/mcp@1.2.3');
}

/** Versions, ranges and tags. Excludes other npm specs, which are folders, URLs, aliases and repositories. */
const npmVersion = /^[\w.+^~<>=|*-]+(?: [\w.+^~<>=|*-]+)*$/;

/** Reads `name`, `name@version` and `name@version#bin`; undefined for other text. */
function parseNpm(text: string): NpmReference | undefined {
  const [, plain = '', bin] = /^([^#]*)(?:#(.+))?$/s.exec(text) ?? [];
  const [name, version] = splitVersion(plain);
  if (!isPublishedName(name) || (version !== undefined && !npmVersion.test(version))) return undefined;
  return {
    kind: 'npm',
    name,
    ...(version !== undefined && { version }),
    ...(bin !== undefined && { bin }),
  };
}

const pypiPattern =
  /^([a-z0-9](?:[\w.-]*[a-z0-9])?(?:\[[\w.,-]+\])?)(?:(?:==|@)([\w.!+-]+))?(?:#([\w.-]+))?$/i;

function readPyPi(rest: string): ServerReference {
  const [, name, version, script] = pypiPattern.exec(rest) ?? [];
  if (name === undefined || script?.startsWith('-'))
    throw malformed(`pypi:${rest}`, 'pypi:mcp-server-fetch==1.2.3');
  return {
    kind: 'pypi',
    name,
    // uvx has this word for the newest version, which is the same as no version.
    ...(version !== undefined && version !== 'latest' && { version }),
    ...(script !== undefined && { script }),
  };
}

function readNuGet(rest: string, text: string): ServerReference {
  const [, name, version] = /^([a-z0-9][\w.-]*)(?:@([\w.+-]+))?$/i.exec(rest) ?? [];
  if (name === undefined) throw malformed(text, 'nuget:Acme.Mcp@1.2.3');
  return { kind: 'nuget', name, ...(version !== undefined && { version }) };
}

function readImage(rest: string, text: string): ServerReference {
  if (!imagePattern.test(rest)) throw malformed(text, 'docker:mcp/postgres:1.2');
  return { kind: 'docker', image: rest };
}

/** An image: host with an optional port, path, tag, digest. */
const imagePattern =
  /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]*)?(?:@sha256:[0-9a-f]{64})?$/i;

/** Hosts of images that look like names of the MCP Registry. */
const imageHosts =
  /^(?:docker\.io|ghcr\.io|quay\.io|mcr\.microsoft\.com|registry\.gitlab\.com|public\.ecr\.aws|[\w.-]+\.pkg\.dev|[\w.-]+\.azurecr\.io|[\w.-]+\.amazonaws\.com|[\w.-]+:\d+)\//i;

function isOciImage(text: string): boolean {
  const isPinnedPath = /^[^@:]+\/[^@:]+\/.+(?::\w[\w.-]*$|@sha256:)/.test(text);
  return !text.startsWith('@') && (imageHosts.test(text) || isPinnedPath) && imagePattern.test(text);
}

function readAddress(text: string): ServerReference {
  const url = parseAddress(text);
  if (/\.(?:mcpb|dxt)$/i.test(url.pathname)) {
    requireHttps(url);
    return { kind: 'bundle', place: text, isRemote: true };
  }
  return /\/server\.json$/.test(url.pathname)
    ? { kind: 'document', place: text, isRemote: true }
    : { kind: 'url', url: text };
}

function parseAddress(text: string): URL {
  const url = parseUrl(text);
  if (!url) throw usage(`${text} is not a valid URL.`);
  if (url.username === '' && url.password === '') return url;
  url.username = '';
  url.password = '';
  const message = `The URL ${shownUrl(url.href)} must not contain a user or a password. Pass them as a header: --header "Authorization: …"`;
  throw usage(message);
}

function requireHttps({ protocol, hostname, href }: URL): void {
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw usage(`${href} is a bundle without https. Its content could be changed on the way.`);
}

/** The path of `file:///path`; other text is a path already. */
function pathOfFileUrl(rest: string): string {
  return rest.startsWith('///') ? decodeUriText(rest.slice(2)).replace(/^\/(?=[a-z]:)/i, '') : rest;
}

function readPath(text: string): ServerReference {
  if (/\.(?:mcpb|dxt)$/i.test(text)) return { kind: 'bundle', place: text, isRemote: false };
  const [, place, choice] = /^(.*\.(?:json|jsonc|toml|ya?ml))(?:#(.+))?$/is.exec(text) ?? [];
  if (place === undefined) return { kind: 'path', path: text };
  return { kind: 'document', place, isRemote: false, ...(choice !== undefined && { choice }) };
}

/** Splits `name@version`. The `@` of a scope is part of the name. */
function splitVersion(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('@', 1);
  return at === -1 || at === text.length - 1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The reference in its canonical spelling, which reads back as the same reference. A command has none. */
export function formatReference(reference: ServerReference): string | undefined {
  switch (reference.kind) {
    case 'name':
      return reference.text;
    case 'path':
      return spell(reference.path, 'file:', reference);
    case 'npm':
      return `npm:${withVersion(reference)}${suffix(reference.bin)}`;
    case 'pypi':
      return `pypi:${withVersion(reference)}${suffix(reference.script)}`;
    case 'nuget':
      return `nuget:${withVersion(reference)}`;
    case 'docker':
      return `docker:${reference.image}`;
    case 'url':
      return reference.url;
    case 'registry':
      return spell(withVersion(reference), 'registry:', reference);
    case 'bundle':
      return reference.isRemote ? spell(reference.place, 'mcpb:', reference) : `mcpb:${reference.place}`;
    case 'document':
      return spell(`${reference.place}${suffix(reference.choice)}`, 'file:', reference);
    case 'command':
      return undefined;
  }
}

function suffix(part: string | undefined): string {
  return part === undefined ? '' : `#${part}`;
}

/** Adds the prefix of the kind if the plain text would mean something else. */
function spell(plain: string, prefix: string, reference: ServerReference): string {
  return readsAs(plain, reference) ? plain : prefix + plain;
}

function readsAs(text: string, reference: ServerReference): boolean {
  try {
    return isDeepStrictEqual(readServerReference(text), reference);
  } catch (error) {
    if (!(error instanceof AgentToolsError)) throw error;
    return false;
  }
}

/** False if a part means something else to the runner of the package, such as the version `git+https://…` to npm. */
export function isPlainReference(reference: ServerReference): boolean {
  return readsAs(formatReference(reference) ?? '', reference);
}

function withVersion({ name, version }: { readonly name: string; readonly version?: string }): string {
  return version === undefined ? name : `${name}@${version}`;
}

/** Text of a URL or a command without its secrets; undefined for other references. */
export function shownReference(reference: ServerReference): string | undefined {
  if (reference.kind === 'url') return shownUrl(reference.url);
  return reference.kind === 'command' ? shownWords(reference.words) : undefined;
}

/** Meaning of a reference, as the end of the sentence "… is understood as". */
export function describeReference(reference: ServerReference): string {
  switch (reference.kind) {
    case 'name':
      return `the server ${reference.text}`;
    case 'path':
      return `the folder or file ${reference.path}`;
    case 'npm':
      return `the npm package ${withVersion(reference)}`;
    case 'pypi':
      return `the PyPI package ${withVersion(reference)}`;
    case 'nuget':
      return `the NuGet package ${withVersion(reference)}`;
    case 'docker':
      return `the container image ${reference.image}`;
    case 'url':
      return `the remote server ${shownReference(reference)}`;
    case 'registry':
      return `the MCP Registry entry ${withVersion(reference)}`;
    case 'bundle':
      return `the bundle ${reference.place}`;
    case 'document':
      return `the server ${reference.choice === undefined ? '' : `"${reference.choice}" `}in ${reference.place}`;
    case 'command':
      return `the command ${shownReference(reference)}`;
  }
}

function malformed(text: string, example: string): AgentToolsError {
  return usage(`"${text}" is malformed. Expected the form of: ${example}`);
}

function usage(message: string): AgentToolsError {
  return new AgentToolsError('usage', message);
}
