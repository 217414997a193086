import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { pathFault } from '../base/files/path-containment.js';
import { visibleLine } from '../base/visible-text.js';
import type { ExistingServer, ProgramRunner } from '../existing-servers/existing-server.js';
import { shortServerName } from '../existing-servers/server-name.js';
import { readUserConfig } from './bundle-inputs.js';
import { type BundleManifest, type ManifestLaunch, readManifest } from './bundle-manifest.js';
import { expandVariables, ManifestTexts, variableValues } from './bundle-variables.js';
import { type LocatedDocument, malformedAt } from './locate.js';

/** Machine that a bundle is prepared for. */
export interface BundleMachine {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Command of the Node that runs the programs of bundles. */
  readonly node: string;
}

export interface BundlePlace {
  /** Name of the bundle for messages. */
  readonly label: string;
  readonly reference: string;
  /** Folder of the content, for a name; it need not exist. */
  readonly folderFor: (name: string) => string;
  /** True for a file of the bundle; relative, with `/`. */
  readonly hasFile: (file: string) => boolean;
}

/** A server of a bundle, and the files that it executes. */
export interface BundleServer {
  readonly server: ExistingServer;
  /** Absolute path. */
  readonly folder: string;
  /** Relative, with `/`. */
  readonly executables: readonly string[];
}

/**
 * Reads the manifest of a bundle as an existing server. Unpacks nothing.
 * @throws AgentToolsError if the manifest is malformed, or the bundle is for other platforms
 */
export async function readBundleServer(
  document: LocatedDocument,
  place: BundlePlace,
  machine: BundleMachine,
): Promise<BundleServer> {
  const manifest = readManifest(document, machine.platform);
  const { name, version, title, description, author, homepage, repository, platforms } = manifest;
  if (platforms && !platforms.includes(machine.platform)) {
    const message = `${place.label} is for ${platforms.join(', ')}, and this is ${machine.platform}. Get the bundle for ${machine.platform}, if its publisher has one.`;
    throw new AgentToolsError('refused', message);
  }
  const { locate } = document;
  const entryPath = ['server', 'entry_point'];
  if (pathFault(manifest.entryPoint) !== undefined)
    throw malformedAt(
      locate,
      entryPath,
      '"entry_point" is not in the bundle. Expected a relative path below it.',
    );
  const folder = place.folderFor(name);
  const values = variableValues({ folder, ...machine, userFolders: await readUserFolders(machine) });
  const expand = (text: string): string => expandVariables(text, values);
  const inputs = readUserConfig(manifest.userConfig, { locate, expand });
  const texts = new ManifestTexts(values, inputs);
  const launch = manifest.launch ?? usualLaunch(manifest);
  const command = findCommand(launch.command, { folder, expand, ...place, ...machine });
  if (command === undefined) {
    const message = `"command" is not a fixed program: ${visibleLine(launch.command)}. Expected a program on the PATH, or a file of the bundle.`;
    throw malformedAt(locate, ['server', 'mcp_config', 'command'], message);
  }
  const { file } = command;
  if (file !== undefined && !place.hasFile(path.posix.normalize(file))) {
    const message = `The bundle has no file "${visibleLine(file)}", which starts its server.`;
    throw malformedAt(locate, ['server', 'mcp_config', 'command'], message);
  }
  const hasEntry = place.hasFile(path.posix.normalize(manifest.entryPoint));
  const missing = `The bundle has no file "${visibleLine(manifest.entryPoint)}", which its manifest names as entry point.`;
  const server: ExistingServer = {
    source: 'bundle',
    reference: place.reference,
    name: shortServerName(name),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(version !== undefined && { version }),
    ...(author !== undefined && { publisher: author }),
    ...(homepage !== undefined && { websiteUrl: homepage }),
    ...(repository !== undefined && { repository }),
    inputs,
    template: {
      kind: 'program',
      runner: file === undefined ? programOf(command.text, machine) : fileRunner(folder, file),
      args: texts.readArguments(launch.args),
      env: texts.readEnv(launch.env),
    },
    notes: [...texts.notes, ...(hasEntry || file !== undefined ? [] : [missing])],
  };
  const executables = [file ?? [], manifest.type === 'binary' ? manifest.entryPoint : []].flat();
  return { server, folder, executables: [...new Set(executables.map((one) => path.posix.normalize(one)))] };
}

/** The launch of a manifest without `mcp_config`. */
function usualLaunch({ type, entryPoint }: BundleManifest): ManifestLaunch {
  const file = `\${__dirname}/${entryPoint}`;
  const launches: Readonly<Record<BundleManifest['type'], readonly [string, ...string[]]>> = {
    node: ['node', file],
    python: ['python', file],
    binary: [file],
    uv: ['uv', 'run', '--directory', `\${__dirname}`, entryPoint],
  };
  const [command, ...args] = launches[type];
  return { command, args, env: {} };
}

interface BundleContext extends Pick<BundlePlace, 'hasFile'>, Pick<BundleMachine, 'platform'> {
  readonly folder: string;
  readonly expand: (text: string) => string;
}

/** Command of a launch. `file`: it is a file of the bundle. Undefined if it contains a reference. */
function findCommand(
  command: string,
  { folder, expand, hasFile, platform }: BundleContext,
): { readonly text: string; readonly file?: string } | undefined {
  // On Windows, the manifest may leave out the ending.
  const withEnding = (file: string): string =>
    platform === 'win32' && !hasFile(file) && hasFile(`${file}.exe`) ? `${file}.exe` : file;
  const text = expand(command);
  if (text.includes('${')) return undefined;
  const plain = text.replaceAll('\\', '/');
  const root = `${folder.replaceAll('\\', '/')}/`;
  if (plain.startsWith(root)) return { text, file: withEnding(plain.slice(root.length)) };
  const file = withEnding(plain.replace(/^\.\//, ''));
  const isHere = !pathFault(text) && (hasFile(path.posix.normalize(file)) || /[\\/]/.test(text));
  return isHere ? { text, file } : { text };
}

function fileRunner(folder: string, file: string): ProgramRunner {
  return { by: 'command', command: path.join(folder, file) };
}

/** Names of interpreters that bundles use for each other. */
const pythons = /^(?:python|python3|python\.exe|py)$/i;

function programOf(command: string, { node, platform }: BundleMachine): ProgramRunner {
  if (/^node(?:\.exe)?$/i.test(command)) return { by: 'command', command: node };
  if (pythons.test(command))
    return { by: 'path', names: platform === 'win32' ? ['python', 'py', 'python3'] : ['python3', 'python'] };
  return path.isAbsolute(command) ? { by: 'command', command } : { by: 'path', names: [command] };
}

/** The desktop's list of user folders; undefined if it is missing. */
async function readUserFolders({ home, env, platform }: BundleMachine): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  const folder = env.XDG_CONFIG_HOME || path.join(home, '.config');
  return await readFile(path.join(folder, 'user-dirs.dirs'), 'utf8').catch(() => undefined);
}
