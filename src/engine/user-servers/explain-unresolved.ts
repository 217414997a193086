import path from 'node:path';
import { didYouMean } from '../base/did-you-mean.js';
import type { Extension } from '../extension/extension.js';
import { type Kind, singular } from '../extension/item-kinds.js';
import { isPackageName, parseQualifiedName } from '../extension/names.js';
import { isPathArgument, Workspace } from '../extension/workspace.js';
import type { UserServerFolders } from './store.js';

/** Explains in sentences why a name does not resolve, and the way out. */
export async function explainUnresolved(kind: Kind, name: string, place: UserServerFolders): Promise<string> {
  const workspace = new Workspace({ ...place, ignoreProject: true });
  const what = singular[kind];
  if (isPathArgument(name)) {
    return `it is a path, and a server lists names. Add the package (agenttools add ${path.dirname(name)}) and name its ${what} as @scope/name/${what}.`;
  }
  const qualified = parseQualifiedName(name);
  const packageName = qualified?.package ?? name;
  const found = isPackageName(packageName) ? await openPackage(workspace, packageName) : undefined;
  if (typeof found === 'string') return found;
  if (found) return explainUndeclared(kind, qualified?.item, found);
  if (!qualified && !isPackageName(name))
    return `it is neither the name of a built-in ${what} nor a qualified name such as @scope/name/${what}.`;
  if (!qualified && !name.startsWith('@')) return await explainNotBuiltIn(kind, name, workspace);
  const inProject = await openPackage(new Workspace({ ...place, ignoreProject: false }), packageName);
  if (inProject !== undefined && typeof inProject !== 'string') return explainProjectOnly(inProject, place);
  return `the package ${packageName} is not installed. Add it with: agenttools add ${packageName}`;
}

/** Returns a package, or the reason why it cannot be read. */
async function openPackage(workspace: Workspace, name: string): Promise<Extension | string | undefined> {
  return await workspace.findPackage(name).catch((error: Error) => error.message);
}

function explainUndeclared(kind: Kind, item: string | undefined, { name, manifest }: Extension): string {
  const declared = manifest.declarations[kind].map((one) => one.name);
  const known = declared.map((one) => `${name}/${one}`).join(', ') || 'none';
  if (item === undefined) return `it is a package. Name one of its ${kind}: ${known}.`;
  const meant = didYouMean(item, declared);
  const hint = meant === undefined ? '' : ` Did you mean "${name}/${meant}"?`;
  return `${name} declares no ${singular[kind]} "${item}".${hint} It declares: ${known}.`;
}

async function explainNotBuiltIn(kind: Kind, name: string, workspace: Workspace): Promise<string> {
  const builtin = (await workspace.builtins()).flatMap(({ manifest }) =>
    manifest.declarations[kind].map((one) => one.name),
  );
  const meant = didYouMean(name, builtin);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `there is no built-in ${singular[kind]} of that name.${hint} Built in: ${builtin.join(', ') || 'none'}. Items of packages have qualified names such as @scope/name/${singular[kind]}.`;
}

/** A client starts servers from any folder, so it cannot search a project. */
function explainProjectOnly({ name, manifest }: Extension, { cwd }: UserServerFolders): string {
  const spelled = path.relative(cwd, manifest.directory).split(path.sep).join('/');
  const copy = spelled === '' ? '.' : spelled.startsWith('..') ? spelled : `./${spelled}`;
  return `${name} is a package of this project only, where a client does not look. Add it for all clients (agenttools add ${name}), or this copy of it (agenttools add ${copy}).`;
}
