/** Whether a server is one of those asked for. */
export type MatchesServer = (server: {
  readonly name: string;
  readonly package: string | undefined;
}) => boolean;

/**
 * Reads a pattern: the name of a server or of a package, in which `*` stands for anything. `scope/…` means `@scope/…`
 * as it does on every command line.
 */
export function readPattern(pattern: string): MatchesServer {
  const spellings = pattern.includes('/') && !pattern.startsWith('@') ? [pattern, `@${pattern}`] : [pattern];
  const expressions = spellings.map(globToRegExp);
  return ({ name, package: packageName }) =>
    expressions.some(
      (expression) => expression.test(name) || (packageName !== undefined && expression.test(packageName)),
    );
}

/** Whether a package may have servers that a pattern asks for, whatever they are called; absent: all are asked for. */
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
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
