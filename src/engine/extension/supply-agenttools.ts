import { readFileSync, statSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ancestorFolders } from '../base/files/ancestor-folders.js';
import { packageRoot } from '../base/folders.js';

/** `agenttools`, or one of its exports such as `agenttools/testing`. */
const ownName = /^agenttools(?:\/|$)/;

/** An import of `agenttools` in source text, or an entry of package.json. */
const mention = /['"]agenttools(?:\/[\w-]+)?['"]/;

/** The built-ins, captured because code of an extension can replace them. */
const readFile = readFileSync;
const stat = statSync;
const { register, registerHooks } = nodeModule as typeof nodeModule & { registerHooks?: RegisterHooks };

/** True for package folders that can import an installed `agenttools`. */
const installed = new Map<string, boolean>();

let isSupplied = false;

/**
 * Lets code without an installed `agenttools` import the running one, so that published extensions need no dependency.
 * Call it before each import of an extension's module; `file` is absolute. Registers module hooks for the first file that
 * needs them, since hooks slow down all imports. Returns true if it did.
 */
export function supplyAgentTools(file: string): boolean {
  if (isSupplied || !lacksAgentTools(file)) return false;
  isSupplied = true;
  // For modules of a package, its own name leads to its exports.
  const parent = pathToFileURL(path.join(packageRoot(), 'package.json')).href;
  if (registerHooks) registerHooks({ resolve: resolveSync(parent) });
  else registerInThread(parent);
  return true;
}

function lacksAgentTools(file: string): boolean {
  const folders = ancestorFolders(path.dirname(file));
  const folder = folders.find((one) => isThere(path.join(one, 'package.json'))) ?? path.dirname(file);
  let isInstalled = installed.get(folder);
  if (isInstalled === undefined) {
    isInstalled = folders.some((one) => isThere(path.join(one, 'node_modules', 'agenttools')));
    installed.set(folder, isInstalled);
  }
  return !isInstalled && (mentions(file) || isDependency(path.join(folder, 'package.json')));
}

function isThere(target: string): boolean {
  try {
    return stat(target, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A sandbox may refuse the folder. Code in it cannot import from there.
    return false;
  }
}

function mentions(file: string): boolean {
  return mention.test(readIfPresent(file));
}

/** True if the package names `agenttools` as a dependency of any kind. Its other modules may import it then. */
function isDependency(packageJson: string): boolean {
  const dependencies = /"(?:peer|dev|optional)?[dD]ependencies"\s*:\s*\{[^}]*"agenttools"/;
  return dependencies.test(readIfPresent(packageJson));
}

function readIfPresent(file: string): string {
  try {
    return readFile(file, 'utf8');
  } catch {
    return '';
  }
}

type Resolve = (specifier: string, context: object, next: Next) => object;
type Next = (specifier: string, context: object) => object;
type RegisterHooks = (hooks: { readonly resolve: Resolve }) => void;

/** @see https://nodejs.org/docs/latest-v24.x/api/module.html#synchronous-hooks-accepted-by-moduleregisterhooks */
function resolveSync(parentURL: string): Resolve {
  return (specifier, context, next) => {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!ownName.test(specifier)) throw error;
      return next(specifier, { ...context, parentURL });
    }
  };
}

/** Node before 22.15 has no hooks in the thread of the code, and its hooks do not see `require`. */
function registerInThread(parentURL: string): void {
  const source = `export async function resolve(specifier, context, next) {
    try {
      return await next(specifier, context);
    } catch (error) {
      if (!${ownName}.test(specifier)) throw error;
      return await next(specifier, { ...context, parentURL: ${JSON.stringify(parentURL)} });
    }
  }`;
  register(`data:text/javascript,${encodeURIComponent(source)}`);
  const require = createRequire(fileURLToPath(parentURL));
  const loader = nodeModule as unknown as {
    _resolveFilename: (request: string, ...rest: unknown[]) => string;
  };
  const resolveFilename = loader._resolveFilename;
  loader._resolveFilename = function resolveOwn(request, ...rest) {
    try {
      return Reflect.apply(resolveFilename, this, [request, ...rest]);
    } catch (error) {
      if (!ownName.test(request)) throw error;
      return require.resolve(request);
    }
  };
}
