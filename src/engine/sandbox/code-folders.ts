import path from 'node:path';
import { packageRoot, workspaceFolders } from '../base/folders.js';
import type { FolderFacts } from '../base/system-folders.js';
import { modulesAbove } from './program-files.js';

/** Folders with code that a server of an extension needs: the extension, added packages, global packages and AgentTools. */
export function codeFolders(extension: string, facts: FolderFacts): readonly string[] {
  const { packagesFolder, globalFolder, siblingsFolder, userServersFolder, dataFolder } =
    workspaceFolders(facts);
  const own = ['package.json', 'dist', path.join('src', 'builtin')];
  return [
    extension,
    ...modulesAbove(extension),
    ...modulesAbove(path.join(facts.cwd, 'package.json')),
    path.dirname(packagesFolder),
    globalFolder,
    ...(siblingsFolder === undefined ? [] : [siblingsFolder]),
    userServersFolder,
    // Records of the items that the model sees.
    path.join(dataFolder, 'frozen'),
    ...own.map((name) => path.join(packageRoot(), name)),
  ];
}
