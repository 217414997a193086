/** True if a server matches a pattern. */
export type MatchesServer = (server: {
  readonly name: string;
  readonly package: string | undefined;
}) => boolean;

/**
 * Parses a pattern: the name of a server or package, with `*` for any characters, in any case. `scope/…` also
 * matches `@scope/…`, as on every command line.
 */
export function readPattern(pattern: string): MatchesServer {
  const spellings = pattern.includes('/') && !pattern.startsWith('@') ? [pattern, `@${pattern}`] : [pattern];
  const expressions = spellings.map(globToRegExp);
  return ({ name, package: packageName }) =>
    expressions.some(
      (expression) => expression.test(name) || (packageName !== undefined && expression.test(packageName)),
    );
}

/**
 * Returns a predicate: true if a package may contain servers that match, under any name. Default: every
 * package may.
 */
export function readMeaning(pattern: string | undefined): (packageName: string) => boolean {
  if (pattern === undefined) return () => true;
  const matches = readPattern(pattern);
  const beginnings = Array.from(pattern, (_, index) => readPattern(pattern.slice(0, index + 1)));
  return (name) =>
    matches({ name, package: name }) ||
    beginnings.some((begins) => begins({ name: `${name}/`, package: undefined }));
}

function globToRegExp(pattern: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is');
}
