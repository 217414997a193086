/** Replaces `node:path` on platforms without files: the functions in use, POSIX only. */
function normalize(path: string): string {
  const isAbsolutePath = isAbsolute(path);
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolutePath) parts.push(part);
  }
  return (isAbsolutePath ? '/' : '') + parts.join('/') || '.';
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

function join(...paths: readonly string[]): string {
  return normalize(paths.filter((path) => path !== '').join('/'));
}

function resolve(...paths: readonly string[]): string {
  const start = paths.findLastIndex(isAbsolute);
  return join('/', ...paths.slice(Math.max(start, 0)));
}

function dirname(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.startsWith('/') ? 1 : 0)) || '.';
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function relative(from: string, to: string): string {
  const [here, there] = [resolve(from), resolve(to)].map((path) => path.split('/').filter(Boolean));
  let shared = 0;
  while (shared < here!.length && here![shared] === there![shared]) shared += 1;
  return [...here!.slice(shared).map(() => '..'), ...there!.slice(shared)].join('/');
}

const posix = { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep: '/' } as const;

/** Without files there are no drives. */
export default { ...posix, posix, win32: posix };
