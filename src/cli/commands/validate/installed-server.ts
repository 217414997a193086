import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { ancestorFolders } from '../../../engine/base/files/ancestor-folders.js';
import { ownProgram } from '../../../engine/base/folders.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import { programFile } from '../../../engine/existing-servers/npm-program.js';
import { isPublishedName } from '../../../engine/extension/names.js';
import type { Host } from '../../../host.js';
import { findInstalled } from '../../shared/existing.js';

/**
 * The existing server of a name that is installed: an npm package at the working directory, or a server that `install` wrote.
 * Undefined if the word is a path or an extension. Nothing is downloaded.
 * @throws AgentToolsError if a scoped name is neither a folder nor installed
 */
export async function findInstalledServer(word: string, host: Host): Promise<NamedReference | undefined> {
  const { cwd } = host;
  if (!isPublishedName(word.replace(/(?!^)@[^/]*$/, '')) || existsSync(path.resolve(cwd, word)))
    return undefined;
  const folder = ancestorFolders(cwd)
    .map((one) => path.join(one, 'node_modules', word))
    .find((one) => existsSync(path.join(one, 'package.json')));
  if (folder === undefined) {
    const installed = await findInstalled(word, host);
    if (installed) return installed;
    if (!word.startsWith('@')) return undefined;
    const message = `${word} is neither a folder here nor an installed package, and validate installs nothing by a bare name. Write npm:${word} for the npm package, a URL, or a command: -- node server.js`;
    throw new AgentToolsError('not-found', message);
  }
  const packageJson = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  if (packageJson.agenttools !== undefined || packageJson.bin === undefined) return undefined;
  const file = path.resolve(folder, programFile(packageJson, word, undefined));
  return { text: word, meant: { kind: 'command', words: [ownProgram().command, file] } };
}
