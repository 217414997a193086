/** Whether a server is one of those asked for. */
export type Matches = (server: { readonly name: string; readonly package: string | undefined }) => boolean;

/**
 * Reads a pattern: the name of a server or of a package, in which `*` stands for anything. `scope/…` means `@scope/…`
 * as it does on every command line.
 */
export function readPattern(pattern: string): Matches {
  const spellings = pattern.includes('/') && !pattern.startsWith('@') ? [pattern, `@${pattern}`] : [pattern];
  const expressions = spellings.map(expressionOf);
  return ({ name, package: packageName }) =>
    expressions.some(
      (expression) => expression.test(name) || (packageName !== undefined && expression.test(packageName)),
    );
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
