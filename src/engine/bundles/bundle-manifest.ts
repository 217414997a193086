import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord, isString, isStringList, type UnknownRecord } from '../base/value-checks.js';
import { type LocatedDocument, malformedAt } from './locate.js';

/** Name of the manifest in a bundle. */
export const manifestName = 'manifest.json';

type ServerType = (typeof serverTypes)[number];

const serverTypes = ['node', 'python', 'binary', 'uv'] as const;

/** Versions of the format, as `manifest_version`, or `dxt_version` in older bundles. */
const knownVersions = ['0.1', '0.2', '0.3', '0.4'];

/** Command line of a server. Its texts contain variables. */
export interface ManifestLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The parts of a bundle's manifest that are used. */
export interface BundleManifest {
  readonly name: string;
  readonly version: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly author: string | undefined;
  readonly homepage: string | undefined;
  readonly repository: string | undefined;
  readonly type: ServerType;
  readonly entryPoint: string;
  /** For the platform; undefined: the usual one for the server type. */
  readonly launch: ManifestLaunch | undefined;
  /** Platforms that it runs on; undefined: all. */
  readonly platforms: readonly string[] | undefined;
  /** Unchecked `user_config`. */
  readonly userConfig: Readonly<Record<string, unknown>>;
}

/**
 * Reads the manifest of a bundle, of any version of the format. Unknown keys are ignored.
 * @see https://github.com/modelcontextprotocol/mcpb MANIFEST.md
 * @throws AgentToolsError `malformed-document` with the position
 */
export function readManifest(document: LocatedDocument, platform: NodeJS.Platform): BundleManifest {
  const { data, locate } = document;
  const fail = (path: DocumentPath, message: string) => malformedAt(locate, path, message);
  if (!isRecord(data)) throw fail([], 'The manifest of a bundle is an object.');
  checkVersion(data, fail);
  const name = textIn(data, 'name');
  if (name === undefined) throw fail(['name'], '"name" is missing. Expected the name of the bundle.');
  const { server } = data;
  if (!isRecord(server))
    throw fail(['server'], '"server" is missing. Expected: {"type", "entry_point", "mcp_config"}');
  const type = serverTypes.find((one) => one === server.type);
  if (!type) throw fail(['server', 'type'], `"type" is unknown. Expected one of ${serverTypes.join(', ')}.`);
  const config = server.mcp_config;
  if (config !== undefined && !isRecord(config))
    throw fail(['server', 'mcp_config'], '"mcp_config" is not an object.');
  const entryPoint = textIn(server, 'entry_point');
  if (entryPoint === undefined)
    throw fail(
      ['server', 'entry_point'],
      '"entry_point" is missing. Expected a file of the bundle: "server/index.js"',
    );
  const { author, repository, user_config: userConfig = {}, compatibility } = data;
  if (!isRecord(userConfig)) throw fail(['user_config'], '"user_config" is not an object.');
  const platforms = isRecord(compatibility) ? compatibility.platforms : undefined;
  return {
    name,
    version: textIn(data, 'version'),
    title: textIn(data, 'display_name'),
    description: textIn(data, 'description'),
    author: isRecord(author) ? textIn(author, 'name') : isString(author) ? author : undefined,
    homepage: textIn(data, 'homepage'),
    repository: isRecord(repository) ? textIn(repository, 'url') : undefined,
    type,
    entryPoint,
    launch: config && readLaunch(config, platform, fail),
    platforms: isStringList(platforms) && platforms.length > 0 ? platforms : undefined,
    userConfig,
  };
}

type Fail = (path: DocumentPath, message: string) => Error;

function checkVersion(data: UnknownRecord, fail: Fail): void {
  const key = ['manifest_version', 'dxt_version'].find((one) => Object.hasOwn(data, one));
  if (key === undefined)
    throw fail([], '"manifest_version" is missing, so this is not the manifest of a bundle.');
  const version = String(data[key]);
  if (knownVersions.includes(version)) return;
  const message = `The ${key} ${JSON.stringify(data[key])} is unknown. Known are ${knownVersions.join(', ')}. Update agenttools, or get an older bundle.`;
  throw fail([key], message);
}

/** The launch for a platform. Each field of an override replaces the whole field, as clients do it. */
function readLaunch(config: UnknownRecord, platform: NodeJS.Platform, fail: Fail): ManifestLaunch {
  const base: DocumentPath = ['server', 'mcp_config'];
  const { platform_overrides: overrides } = config;
  const override = isRecord(overrides) ? overrides[platform] : undefined;
  const used = isRecord(override) ? override : {};
  const read = (key: string): readonly [unknown, DocumentPath] =>
    Object.hasOwn(used, key)
      ? [used[key], [...base, 'platform_overrides', platform, key]]
      : [config[key], [...base, key]];
  const [command, commandPath] = read('command');
  if (!isString(command) || command.trim() === '')
    throw fail(commandPath, '"command" is missing. Expected a program.');
  const [args = [], argsPath] = read('args');
  if (!isStringList(args)) throw fail(argsPath, '"args" is not a list of strings.');
  const [env = {}, envPath] = read('env');
  if (!isRecord(env) || !Object.values(env).every(isString))
    throw fail(envPath, '"env" is not an object of strings.');
  return { command, args, env: env as Readonly<Record<string, string>> };
}

function textIn(held: UnknownRecord, key: string): string | undefined {
  const value = Object.hasOwn(held, key) ? held[key] : undefined;
  return isString(value) && value.trim() !== '' ? value : undefined;
}
