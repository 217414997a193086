import type { Fix } from '../../extension/diagnostics.js';
import type { Manifest } from '../../extension/manifest.js';
import { isPublished } from '../facts/packaging.js';
import { packageListFix } from '../rule-fixes.js';
import { defineRule, type Rule } from './rule.js';

export const notPacked: Rule = defineRule({
  code: 'not-packed',
  severity: 'error',
  summary:
    'Every file that the extension needs is in the package that npm publishes, and every package comes with it.',
  *check({ packaging, manifest }) {
    if (!manifest || !isPublished(packaging)) return;
    const { hasFilesList, unpacked, uninstalled } = packaging;
    for (const { file, what, location, item, isInstalled } of unpacked) {
      if (isInstalled) {
        yield { location, ...(item && { item }), facts: misplacedFile(file, what) };
        continue;
      }
      const at = hasFilesList ? { file: 'package.json', path: ['files'] } : location;
      const fix = hasFilesList ? packingFix(file, manifest) : undefined;
      yield { location: at, ...(item && { item }), facts: missingFile(file, what, hasFilesList), fix };
    }
    for (const { name, file, item } of uninstalled) {
      const facts = `${file} imports "${name}", which npm install does not provide. Move it to "dependencies" or "peerDependencies" in package.json.`;
      yield { location: { file }, ...(item && { item }), facts };
    }
  },
  message: (reason) => reason,
});

/** Adds the folder of the definitions, or the file. A name with characters of patterns would need an escape. */
function packingFix(file: string, { root, packageJson }: Manifest): Fix | undefined {
  const folder = root.replace(/^\.\/|\/+$/g, '');
  const entry = file.startsWith(`${folder}/`) ? folder : file;
  return /^[\w@.+/-]+$/.test(entry) ? packageListFix(packageJson.value, 'files', entry) : undefined;
}

function missingFile(file: string, what: string, hasFilesList: boolean): string {
  const wayOut = hasFilesList
    ? 'Add it, or its folder, to "files" in package.json.'
    : 'An ignore file leaves it out; list what is to be shipped as "files" in package.json.';
  return `${what}, ${file}, is not in the package that npm would publish. ${wayOut}`;
}

/** A dependency is found only by its name: npm decides on its folder. */
function misplacedFile(file: string, what: string): string {
  const name = file.match(/^node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\//)?.[1];
  const wayOut = name === undefined ? 'its package as "package"' : `"package": "${name}"`;
  return `${what}, ${file}, is a file of a dependency, which npm may install in another folder. Write ${wayOut} instead of the path.`;
}
