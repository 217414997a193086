import { stat } from 'node:fs/promises';
import path from 'node:path';
import npa from 'npm-package-arg';
import { AgentToolsError } from '../base/errors.js';
import { withoutUserinfo } from './without-userinfo.js';

/** A package spec of the command line. */
export interface PackageSpec {
  readonly kind: 'registry' | 'folder' | 'tarball';
  /** Undefined if the name is only known after reading the package. */
  readonly name?: string;
  /** A version, a range, a tag, an absolute path, or the URL of a tarball. */
  readonly wanted: string;
}

/**
 * Parses `name`, `name@range`, `name@tag`, `./folder`, `./package.tgz` or the URL of a tarball.
 * @throws AgentToolsError `usage` for other text; `not-found` for a missing path.
 */
export async function readSpec(text: string, cwd: string): Promise<PackageSpec> {
  const { type, name, rawSpec, fetchSpec } = parseNpmSpec(text, cwd);
  switch (type) {
    case 'version':
    case 'range':
    case 'tag':
      if (!name) break;
      return {
        kind: 'registry',
        name,
        wanted: rawSpec === '*' || rawSpec === '' ? 'latest' : rawSpec,
      };
    case 'remote':
      requireNoPassword(fetchSpec!);
      return { kind: 'tarball', wanted: fetchSpec! };
    case 'file':
    case 'directory':
      return await specAt(path.resolve(cwd, fetchSpec!), suggestSpec(text));
  }
  throw new AgentToolsError(
    'usage',
    `"${withoutUserinfo(text)}" is not a package that can be added.${suggestSpec(text)} ${expectedSpec}`,
  );
}

const expectedSpec = 'Expected name, name@range, ./folder or ./package.tgz.';

function parseNpmSpec(text: string, cwd: string): ReturnType<typeof npa> {
  try {
    return npa(text, cwd);
  } catch {
    throw new AgentToolsError(
      'usage',
      `"${withoutUserinfo(text)}" is not the name of a package. ${expectedSpec}`,
    );
  }
}

/** Specs are recorded and printed, and passed to npm on a command line that other users can read. */
function requireNoPassword(address: string): void {
  const plain = withoutUserinfo(address);
  if (plain === address) return;
  const { host } = new URL(plain);
  const message = `The address ${plain} must not contain a user or password. Put them into .npmrc, such as: //${host}/:_authToken=…`;
  throw new AgentToolsError('usage', message);
}

/**
 * npm reads `acme/weather` as a repository, and `acme/weather@^1` as a folder; most likely a scoped package
 * is meant.
 */
function suggestSpec(text: string): string {
  const isUnscoped = /^\w[\w.~-]*\/[\w.~-]+(?:@[^/:]*)?$/.test(text);
  return isUnscoped ? ` Did you mean "@${text}"?` : '';
}

async function specAt(place: string, hint: string): Promise<PackageSpec> {
  const info = await stat(place).catch(() => undefined);
  if (info?.isDirectory()) return { kind: 'folder', wanted: place };
  if (info?.isFile()) return { kind: 'tarball', wanted: place };
  throw new AgentToolsError('not-found', `There is neither a folder nor a tarball at ${place}.${hint}`);
}
