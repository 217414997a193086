import type { Launch } from '../../clients/client.js';
import { platformPaths } from '../../clients/table/folders.js';
import { linkNode, linkScript, nodeCommand, scriptArgument } from '../../existing-servers/node-link.js';
import { npmServerFolder } from '../../existing-servers/npm-servers.js';
import { isThroughAgentTools } from '../../installation/entry-inputs.js';
import { againCommand, commandLine, fixCommand } from '../commands.js';
import { nodeFacts } from '../entry-launch.js';
import { npmOf } from '../entry-package.js';
import type { Check, Found, Repair } from '../finding.js';
import { belowPresentHome, formerHomes } from '../former-home.js';
import type { EntryPicture, Picture } from '../picture.js';
import { repairWords } from '../repairs.js';

/** Dead paths, from the most to the least specific cause: one finding for each word of an entry. */
export const deadPaths: Check = function* (picture) {
  const homes = formerHomes(picture);
  for (const entry of picture.entries) {
    const { launch, disabledBy } = entry;
    if (!launch || disabledBy !== undefined) continue;
    const moved = movedWords(launch, homes, picture);
    if (moved.size > 0) yield movedHome(entry, moved, picture);
    const program = deadProgram(entry, launch, picture);
    if (program && !moved.has(launch.command)) yield program;
    const missing = missingServer(entry, launch, picture);
    const script = deadScript(launch, picture);
    if (missing) yield missing;
    else if (script !== undefined && !moved.has(script)) yield deadScriptFound(entry, script, picture);
  }
};

function isMissing(file: string, { surroundings }: Picture): boolean {
  return platformPaths(surroundings).isAbsolute(file) && !surroundings.exists(file);
}

/** Missing paths in a former home folder that exist in the present one, with their new spelling. */
function movedWords(
  { command, args, env, cwd }: Launch,
  homes: readonly string[],
  picture: Picture,
): ReadonlyMap<string, string> {
  const words = [command, ...args, ...Object.values(env), ...(cwd === undefined ? [] : [cwd])];
  const moved = words.flatMap((word) => {
    const now = isMissing(word, picture) ? belowPresentHome(word, homes, picture.surroundings) : undefined;
    return now === undefined ? [] : [[word, now] as const];
  });
  return new Map(moved);
}

function movedHome(entry: EntryPicture, moved: ReadonlyMap<string, string>, picture: Picture): Found {
  const [[before, after] = ['', '']] = moved;
  const more = moved.size > 1 ? `, and ${moved.size - 1} more of its paths` : '';
  return {
    code: 'doctor/moved-home',
    entry,
    message: `"${entry.key}" has a path in a former home folder: ${before}${more}. The file is now ${after}.`,
    fix: fixCommand(entry.config.client.id),
    repair: repairWords(entry, moved, { does: `Write the present home folder into "${entry.key}"`, picture }),
  };
}

/** Programs that are the same wherever they are installed. A Python may belong to a virtual environment. */
const launchers = new Set([
  'node',
  'npx',
  'npm',
  'pnpm',
  'bun',
  'bunx',
  'deno',
  'uv',
  'uvx',
  'docker',
  'podman',
]);

/** Ways to get programs that are not on the PATH. */
const sources: Readonly<Record<string, string>> = {
  npx: 'Install Node: https://nodejs.org/en/download',
  node: 'Install Node: https://nodejs.org/en/download',
  uvx: 'Install uv: https://docs.astral.sh/uv/',
  uv: 'Install uv: https://docs.astral.sh/uv/',
  docker: 'Install Docker: https://docs.docker.com/get-started/get-docker/',
  dnx: 'Install the .NET SDK: https://dotnet.microsoft.com/download',
};

function deadProgram(entry: EntryPicture, launch: Launch, picture: Picture): Found | undefined {
  const { command } = launch;
  const name = nameOf(command);
  if (!/[\\/]/.test(command)) {
    const isBuiltIn = picture.surroundings.platform === 'win32' && name === 'cmd';
    if (command === '' || isBuiltIn || picture.programs.get(command) !== undefined) return undefined;
    const source = Object.hasOwn(sources, name)
      ? sources[name]!
      : `Install ${name}, or write its absolute path.`;
    return {
      code: 'doctor/missing-program',
      entry,
      message: `"${entry.key}" runs ${command}, which is not on the PATH.`,
      fix: source,
    };
  }
  if (!isMissing(command, picture)) return undefined;
  const repair = programRepair(entry, launch, picture);
  return {
    code: 'doctor/dead-program',
    entry,
    message: `"${entry.key}" runs ${command}, which does not exist.`,
    fix: repair ? fixCommand(entry.config.client.id) : `Write the present path of ${name} into the entry.`,
    ...(repair && { repair }),
  };
}

function nameOf(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:exe|cmd)$/i, '').toLowerCase();
}

/** The link to Node in a former data folder. */
const formerLink = /[\\/]agenttools[\\/]bin[\\/]node$/;

/** Undefined unless the program is certain. */
function programRepair(entry: EntryPicture, { command, args }: Launch, picture: Picture): Repair | undefined {
  const { program, programs, surroundings } = picture;
  const name = nameOf(command);
  const node = nodeFacts(picture);
  const link = nodeCommand(node);
  const isNode = name === 'node' || (entry.installed && isThroughAgentTools(args));
  const isLinked = command === link || formerLink.test(command) || (entry.installed && isNode);
  if (surroundings.platform !== 'win32' && isLinked) {
    const words = new Map([[command, link]]);
    return {
      ...(command !== link && repairWords(entry, words, { does: '', picture })),
      does: `Let "${entry.key}" run the present Node by ${link}`,
      async prepare({ dryRun }) {
        if (!dryRun) await linkNode(node);
      },
    };
  }
  const present = isNode
    ? program.command
    : launchers.has(name)
      ? programs.get(baseName(command))
      : undefined;
  if (present === undefined) return undefined;
  const does = `Let "${entry.key}" run ${present}`;
  return repairWords(entry, new Map([[command, present]]), { does, picture });
}

function baseName(command: string): string {
  return command.split(/[\\/]/).at(-1) ?? '';
}

const scriptFile = /\.(?:[cm]?[jt]s|py|rb|php|jar|sh|ps1|exe|dll)$/i;

/** The first missing script or folder; undefined without one. */
function deadScript({ command, args, cwd }: Launch, picture: Picture): string | undefined {
  const isInterpreter = /^(?:node|bun|deno|python[\d.]*|ruby|php|java|dotnet|bash|sh)$/.test(nameOf(command));
  const first = isInterpreter ? args.find((word) => !word.startsWith('-')) : undefined;
  const words = [
    ...(first === undefined ? [] : [first]),
    ...args.filter((word) => scriptFile.test(word)),
    ...(cwd === undefined ? [] : [cwd]),
  ];
  return words.find((word) => isMissing(word, picture));
}

function deadScriptFound(entry: EntryPicture, script: string, picture: Picture): Found {
  const { installed, launch, config } = entry;
  const [ownScript = ''] = picture.program.args;
  const isOwn = launch?.args[0] === script && isThroughAgentTools(launch.args);
  const facts = { ...nodeFacts(picture), script: ownScript };
  const present = scriptArgument(facts);
  const words = new Map([
    [script, present],
    // An AgentTools that has moved often came with its Node.
    ...(launch && nameOf(launch.command) === 'node' && isMissing(launch.command, picture)
      ? [[launch.command, picture.program.command] as const]
      : []),
  ]);
  const again = installed ? againCommand(entry, installed) : undefined;
  return {
    code: 'doctor/dead-script',
    entry,
    message: `"${entry.key}" needs ${script}, which does not exist.`,
    fix: isOwn
      ? fixCommand(config.client.id)
      : (again ?? 'Write the present path into the entry, or install the server again.'),
    ...(isOwn && {
      repair: {
        ...(script !== present && repairWords(entry, words, { does: '', picture })),
        does: `Let "${entry.key}" run the present AgentTools by ${present}`,
        async prepare({ dryRun }: { readonly dryRun: boolean }) {
          if (!dryRun) await linkScript(facts);
        },
      },
    }),
  };
}

/** Packages and folders of servers that AgentTools installed. */
function missingServer(entry: EntryPicture, { args }: Launch, picture: Picture): Found | undefined {
  const { installed, config } = entry;
  if (!installed) return undefined;
  const { receipt } = installed;
  const npm = receipt.kind === 'npm' ? npmOf(installed) : undefined;
  const folder = npm ? npmServerFolder(picture.dataFolder, npm) : receipt.folder;
  const words = [folder, ...args].filter((word) => word !== undefined);
  const lost = words.find(
    (word) => folder !== undefined && word.startsWith(folder) && isMissing(word, picture),
  );
  const isUnfound =
    installed.state === 'server missing' &&
    !receipt.existing &&
    !/no longer exists/.test(installed.reason ?? '');
  if (lost === undefined && !isUnfound) return undefined;
  const found = { code: 'doctor/server-missing', entry } as const;
  if (lost !== undefined && npm)
    return {
      ...found,
      message: `The package of "${entry.key}", ${npm.name}@${npm.version}, is no longer in ${folder}.`,
      fix: fixCommand(config.client.id),
      repair: npmRepair(npm, receipt.allowedScripts ?? []),
    };
  const what = lost === undefined ? installed.reason : `${lost} does not exist.`;
  const [scope = '', name = ''] = receipt.argument.split('/');
  const isPackage = lost === undefined && receipt.argument.startsWith('@') && name !== '';
  const version = receipt.serverVersion === undefined ? '' : `@${receipt.serverVersion}`;
  return {
    ...found,
    message: `The server of "${entry.key}" is missing: ${what}`,
    fix: isPackage ? commandLine('add', `${scope}/${name}${version}`) : againCommand(entry, installed),
  };
}

/** Installs the same version again, into the same folder. */
function npmRepair(
  npm: { readonly name: string; readonly version: string; readonly bin?: string },
  allowScripts: readonly string[],
): Repair {
  return {
    does: `Install ${npm.name}@${npm.version} again`,
    async prepare({ dryRun, npm: setting, dataFolder, signal, tell }) {
      if (dryRun) return;
      tell(`Installing ${npm.name}@${npm.version}`);
      const { installNpmServer } = await import('../../existing-servers/npm-servers.js');
      await installNpmServer({ ...npm, allowScripts }, { npm: setting, dataFolder, signal });
    },
  };
}
