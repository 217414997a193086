// The state of a build as hashes of its inputs and outputs, so that a build with the same inputs is skipped.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const inputs = ['src', '.scripts', 'package.json', 'package-lock.json', 'tsconfig.json', '.types.json'];

/** Not published: see `files` of package.json. */
const record = 'dist/.inputs';

/** Hash of everything that a build reads. Take it before the build: a file that changes meanwhile is built again. */
export function hashInputs(root) {
  return hashFiles(root, inputs);
}

/** True if dist/ is as the last recorded build left it, and the inputs are as they were then. */
export function isBuilt(root) {
  const file = path.join(root, record);
  return existsSync(file) && readFileSync(file, 'utf8') === `${hashInputs(root)} ${hashOutputs(root)}`;
}

/** Records a finished build of inputs with this hash. */
export function recordBuild(root, hash) {
  writeFileSync(path.join(root, record), `${hash} ${hashOutputs(root)}`);
}

function hashOutputs(root) {
  return hashFiles(root, ['dist']);
}

function hashFiles(root, places) {
  const hash = createHash('sha256');
  for (const file of places.flatMap((place) => filesOf(path.join(root, place)))) {
    const name = path.relative(root, file).replaceAll(path.sep, '/');
    if (name === record) continue;
    const content = readFileSync(file);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesOf(place) {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
