// The state of a build's inputs as one hash, so that a build with the same inputs is skipped.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const inputs = ['src', '.scripts', 'package.json', 'package-lock.json', 'tsconfig.json', '.types.json'];

/** Not published: see `files` of package.json. */
const stamp = 'dist/.inputs';

/** Whether the last recorded build had the inputs that are here now. */
export function isBuilt(root) {
  const file = path.join(root, stamp);
  return existsSync(file) && readFileSync(file, 'utf8') === hashInputs(root);
}

/** Records a finished build. */
export function recordBuild(root) {
  writeFileSync(path.join(root, stamp), hashInputs(root));
}

function hashInputs(root) {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of filesOf(path.join(root, input))) {
      hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

function filesOf(place) {
  if (path.extname(place) !== '') return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
