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

/**
 * Points the link in the data folder at the running Node, so that entries stay valid after an update of Node. Returns
 * the command for entries: the link, or on Windows the Node itself, since links need a privilege there.
 * @throws AgentToolsError if the link cannot be written
 */
export async function linkNode({ dataFolder, execPath, platform }: NodeLinkFacts): Promise<string> {
  const link = nodeCommand({ dataFolder, execPath, platform });
  if (link === execPath || (await targetOf(link)) === execPath) return link;
  await guardWrite(link, async () => {
    await mkdir(path.dirname(link), { recursive: true, mode: 0o700 });
    // Replaced in one step, since clients may start a server at any moment.
    const temporary = temporaryFile(path.dirname(link));
    try {
      await symlink(execPath, temporary);
      await rename(temporary, link);
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  });
  return link;
}

/** Points an existing link at the running Node. Best effort: entries work as long as the former Node exists. Never rejects. */
export async function renewNodeLink(facts: NodeLinkFacts): Promise<void> {
  const target = await targetOf(nodeCommand(facts));
  if (target !== undefined && target !== facts.execPath) await linkNode(facts).catch(() => undefined);
}

async function targetOf(link: string): Promise<string | undefined> {
  return await readlink(link).catch(() => undefined);
}
