// The state of a build's inputs as one hash, so that a build with the same inputs is skipped.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const inputs = ['src', '.scripts', 'package.json', 'package-lock.json', 'tsconfig.json', '.types.json'];

/** Outside dist/, which is published. */
const stamp = 'node_modules/.cache/agenttools-build';

/** Whether the last recorded build had the inputs that are here now. */
export function isBuilt(root) {
  const file = path.join(root, stamp);
  return (
    existsSync(path.join(root, 'dist/cli.js')) &&
    existsSync(file) &&
    readFileSync(file, 'utf8') === hashInputs(root)
  );
}

/** Records a finished build. */
export function recordBuild(root) {
  const file = path.join(root, stamp);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, hashInputs(root));
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
