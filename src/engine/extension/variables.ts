/**
 * `${NAME}`, `${NAME:-default}`, and `$${` for what would be read as one; `${env:NAME}` is how VS Code spells the first.
 * Names are those that Windows has, too, such as `ProgramFiles(x86)`.
 */
const slot = /\$\$\{|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_()]*)(?::-([^}]*))?\}/g;

/** A variable that a text asks for. */
export interface VariableReference {
  readonly name: string;
  /** What stands for it where it is not set. */
  readonly fallback: string | undefined;
}

/** A variable without a default is not set. */
export class UnsetVariableError extends Error {
  override readonly name = 'UnsetVariableError';

  constructor(readonly variable: string) {
    super(`needs the environment variable ${variable}, which is not set`);
  }
}

/** The variables that a text asks for, in its order. */
export function findVariables(text: string): readonly VariableReference[] {
  return [...text.matchAll(slot)].flatMap(([, name, fallback]) =>
    name === undefined ? [] : [{ name, fallback }],
  );
}

/** A text with its variables filled in. One that is set to nothing counts as not set, as in a shell. @throws UnsetVariableError */
export function substituteVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(slot, (_, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return '${';
    const value = env[name] || fallback;
    if (value === undefined) throw new UnsetVariableError(name);
    return value;
  });
}

/** What of a text is its author's own: what is known before any variable is. */
export function withoutVariables(text: string): string {
  return text.replace(slot, (_, name: string | undefined, fallback = '') =>
    name === undefined ? '${' : fallback,
  );
}

/** The first thing of a text that looks like a variable and is none, such as `${input:token}`. */
export function noVariable(text: string): string | undefined {
  return text.replace(slot, '').match(/\$\{[^}]*\}?/)?.[0];
}
