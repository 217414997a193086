import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../engine/base/folders.js';

/** URL of a page of `docs/`, as a browser shows it: in the repository of package.json, else in the published package. */
export function pageUrl(page: string, about: PackageFacts = ownPackage()): string {
  const { name, version, repository } = about;
  const address = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const [, repositoryName] =
    /^(?:.*github\.com[/:]|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(address) ?? [];
  return repositoryName === undefined
    ? `https://app.unpkg.com/${name}@${version}/files/docs/${page}`
    : `https://github.com/${repositoryName}/blob/v${version}/docs/${page}`;
}

interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly repository?: string | { readonly url?: string };
}

function ownPackage(): PackageFacts {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as PackageFacts;
}
