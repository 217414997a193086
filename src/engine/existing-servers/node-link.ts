import { existsSync } from 'node:fs';
import { mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { guardWrite } from '../base/file-fault.js';
import { temporaryFile } from '../base/files/temporary.js';

/** The running Node, and the place of its link. */
export interface NodeLinkFacts {
  /** Data folder of AgentTools. */
  readonly dataFolder: string;
  /** Absolute path of the running Node. */
  readonly execPath: string;
  readonly platform: NodeJS.Platform;
}

/** The command for entries, also if the link does not exist yet. */
export function nodeCommand({ dataFolder, execPath, platform }: NodeLinkFacts): string {
  return platform === 'win32' ? execPath : path.join(dataFolder, 'bin', 'node');
}

/** AgentTools itself, and the place of its link. */
export interface ScriptLinkFacts extends NodeLinkFacts {
  /** Absolute path of the script that runs. */
  readonly script: string;
}

/** The script for entries that start AgentTools, also if the link does not exist yet. */
export function scriptArgument({ dataFolder, script, platform }: ScriptLinkFacts): string {
  return platform === 'win32' ? script : path.join(dataFolder, 'bin', 'agenttools.js');
}

/**
 * Points the link in the data folder at the running Node, so that entries stay valid after an update of Node. Returns
 * the command for entries: the link, or on Windows the Node itself, since links need a privilege there.
 * @throws AgentToolsError if the link cannot be written
 */
export async function linkNode(facts: NodeLinkFacts): Promise<string> {
  return await pointLink(nodeCommand(facts), facts.execPath);
}

/**
 * Points the link in the data folder at the script of AgentTools, which moves with the folder of global packages. Returns the
 * script for entries, as {@link linkNode}.
 * @throws AgentToolsError if the link cannot be written
 */
export async function linkScript(facts: ScriptLinkFacts): Promise<string> {
  return await pointLink(scriptArgument(facts), facts.script);
}

async function pointLink(link: string, target: string): Promise<string> {
  if (link === target || (await targetOf(link)) === target) return link;
  await guardWrite(link, async () => {
    await mkdir(path.dirname(link), { recursive: true, mode: 0o700 });
    // Replaced in one step, since clients may start a server at any moment.
    const temporary = temporaryFile(path.dirname(link));
    try {
      await symlink(target, temporary);
      await rename(temporary, link);
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  });
  return link;
}

/**
 * Points existing links at the running Node and at the script. A script in a folder that other tools clean up replaces only a
 * missing one. Best effort: entries work as long as the former files exist. Never rejects.
 */
export async function renewLinks(facts: ScriptLinkFacts): Promise<void> {
  const { execPath, script } = facts;
  await renewLink(nodeCommand(facts), execPath, true);
  await renewLink(scriptArgument(facts), script, !isPassingScript(script));
}

async function renewLink(link: string, target: string, isLasting: boolean): Promise<void> {
  const present = await targetOf(link);
  if (present === undefined || present === target) return;
  if (isLasting || !existsSync(link)) await pointLink(link, target).catch(() => undefined);
}

async function targetOf(link: string): Promise<string | undefined> {
  return await readlink(link).catch(() => undefined);
}

/**
 * Matches this program below the `node_modules` of a project, the first one in its path. Excludes the folders
 * in which npm and similar tools keep global packages.
 */
export const inProjectFolder =
  /^(?:(?![\\/]node_modules[\\/]).)*(?<![\\/](?:lib|npm|nodejs|npm-global|packages|_npx[\\/][^\\/]+|global(?:[\\/][^\\/]+)?|v?\d[\d.]*))[\\/]node_modules[\\/].*\bagenttools[\\/]bin[\\/]agenttools\.js$/;

/** Matches a file in the cache of npx. */
export const inNpxCache = /[\\/]_npx[\\/]/;

function isPassingScript(script: string): boolean {
  return inProjectFolder.test(script) || inNpxCache.test(script);
}
