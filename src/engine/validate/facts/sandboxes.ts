import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseUrl } from '../../base/parse-url.js';
import { isRecord, isString } from '../../base/value-checks.js';
import { checkSandbox } from '../../extension/check-sandbox.js';
import { declaredSandbox, type WrittenSandbox } from '../../extension/declared-sandbox.js';
import { describeFault } from '../../extension/describe-fault.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import type { Extension } from '../../extension/extension.js';
import { withoutVariables } from '../../extension/variables.js';
import { declaredEndpoints } from '../../runtime/declared-endpoints.js';
import { locate } from '../../runtime/read-definition.js';
import { readExposure } from '../../runtime/upstream-exposure.js';
import { permitsHost } from '../../sandbox/permitted-hosts.js';
import type { ItemSnapshot } from './items.js';
import type { ModuleReader, ModuleSnapshot } from './modules.js';

/** The sandbox that a server declares. */
export interface SandboxSnapshot {
  readonly ref: ItemRef;
  /** Faults of a sandbox in the manifest. The check of definitions finds the others. */
  readonly faults: readonly { readonly location: Location; readonly message: string }[];
  /** Uses of the package that it does not permit. */
  readonly lacks: readonly MissingPermission[];
}

/** Something that a package uses and a sandbox does not permit. */
interface MissingPermission {
  /** Key of the permission: `network`. */
  readonly key: string;
  /** The use in words: `connects to api.acme.example`. */
  readonly use: string;
  /** The module, or undefined for a definition. */
  readonly file: string | undefined;
  readonly location: Location;
}

interface SandboxInput {
  readonly extension: Extension;
  readonly items: readonly ItemSnapshot[];
  readonly modules: readonly ModuleSnapshot[];
  readonly reader: ModuleReader;
}

/** The sandboxes of a package, compared with its modules and upstream servers. Runs no code. */
export async function gatherSandboxes(input: SandboxInput): Promise<readonly SandboxSnapshot[]> {
  const servers = input.extension.manifest.declarations.servers.map(async (declaration) => {
    const { name } = declaration;
    const written = await declaredSandbox(input.extension, name);
    if (written === undefined) return [];
    const item = input.items.find((one) => one.kind === 'servers' && one.name === name);
    const inManifest = declaration.metadata.sandbox === written;
    const { file } = input.extension.manifest.document;
    const place = (at: readonly (string | number)[], key = false): Location =>
      inManifest || !item?.definition
        ? { file, path: [...declaration.path, ...at], key }
        : locate(item.definition, at);
    const ref: ItemRef = { kind: 'server', name };
    const found = [...checkSandbox(written, ['sandbox'])];
    const what = `Server "${name}"`;
    const faults = inManifest ? found : [];
    const snapshot = {
      ref,
      faults: faults.map((fault) => ({
        location: place(fault.path, fault.problem === 'unknown'),
        message: describeFault(what, fault),
      })),
    };
    if (found.length > 0) return [{ ...snapshot, lacks: [] }];
    return [
      {
        ...snapshot,
        lacks: await missingPermissions(name, written as WrittenSandbox, place(['sandbox']), input),
      },
    ];
  });
  return (await Promise.all(servers)).flat();
}

type Use = Pick<MissingPermission, 'key' | 'use' | 'file'>;

async function missingPermissions(
  server: string,
  sandbox: WrittenSandbox,
  location: Location,
  { items, modules, reader }: SandboxInput,
): Promise<readonly MissingPermission[]> {
  const closures = await Promise.all(modules.map(({ file }) => reader.closure(file)));
  const files = [...new Set(closures.flat())].sort();
  const inModules = files.map(async (file) => {
    const source = await readFile(path.join(reader.directory, file), 'utf8').catch(() => '');
    return usesOfSource(withoutComments(source), sandbox).map((use) => ({ ...use, file }));
  });
  const used = items.filter(({ kind, name }) => kind !== 'servers' || name === server);
  const inDefinitions = used.flatMap(({ definition }) =>
    definition
      ? [...declaredEndpoints(definition)].flatMap(({ place }) => usesOfEndpoint(place, sandbox))
      : [],
  );
  const uses: readonly Use[] = [...inDefinitions, ...(await Promise.all(inModules)).flat()];
  const first = new Map(uses.toReversed().map((one) => [`${one.key} ${one.use}`, one]));
  return [...first.values()].reverse().map((one) => ({ ...one, location }));
}

/** Removes whole-line comments. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** Variables that every sandbox has, or that programs read to adapt their output. */
const harmless = new Set(['HOME', 'TMPDIR', 'PATH', 'LANG', 'NODE_ENV', 'DEBUG', 'NO_COLOR', 'CI']);

function usesOfSource(
  source: string,
  { files = {}, network = [], run = [], env = [] }: WrittenSandbox,
): Use[] {
  const found: Use[] = [];
  const add = (key: string, use: string) => found.push({ key, use, file: undefined });
  const imports = (names: string) =>
    new RegExp(`(?:from|import|require)\\s*\\(?\\s*['"](?:node:)?(?:${names})['"]`).test(source);
  if (run.length === 0 && imports('child_process')) add('run', 'starts programs (child_process)');
  for (const [, dotted, quoted] of source.matchAll(/process\.env(?:\.(\w+)|\[['"](\w+)['"]\])/g)) {
    const name = dotted ?? quoted!;
    if (!env.includes(name) && !harmless.has(name)) add('env', `reads the variable ${name}`);
  }
  const writes = /\b(?:writeFile|appendFile|createWriteStream|copyFile|rename|unlink)(?:Sync)?\s*\(/;
  const isTemporary = /\btmpdir\s*\(|TMPDIR/.test(source);
  if ((files.write ?? []).length === 0 && imports('fs|fs/promises') && writes.test(source) && !isTemporary)
    add('files.write', 'writes files');
  const hasNetwork =
    /\bfetch\s*\(/.test(source) || imports('https?|http2|net|tls|undici|axios|got|node-fetch');
  for (const [text] of hasNetwork ? source.matchAll(/(?<=['"`])https?:\/\/[^'"`\s$]+/g) : []) {
    const host = hostLack(text, network);
    if (host !== undefined) add('network', `connects to ${host}`);
  }
  return found;
}

/** The host of a URL if it is not permitted; with the port if it is unusual. */
function hostLack(text: string, network: readonly string[]): string | undefined {
  const url = parseUrl(text);
  if (!url?.hostname) return undefined;
  const { hostname: host, port, protocol } = url;
  const target = { host, port: Number(port || (protocol === 'http:' ? 80 : 443)) };
  return permitsHost(network, target) ? undefined : url.host;
}

function usesOfEndpoint(
  place: unknown,
  { network = [], run = [], env = [] }: WrittenSandbox,
): readonly Use[] {
  if (!isRecord(place)) return [];
  const { command, url } = place;
  const isProgram = isString(command) && command !== 'node' && !/^\.{1,2}[\\/]/.test(command);
  const isPermitted = run.includes('*') || (isString(command) && run.includes(command));
  const host = isString(url) ? hostLack(withoutVariables(url), network) : undefined;
  const variables = readExposure(place).variables.filter((name) => !env.includes(name));
  return [
    ...(isProgram && !isPermitted ? [{ key: 'run', use: `starts ${command}` }] : []),
    ...(host === undefined ? [] : [{ key: 'network', use: `connects to ${host}` }]),
    ...variables.map((name) => ({ key: 'env', use: `reads the variable ${name}` })),
  ].map((use) => ({ ...use, file: undefined }));
}
