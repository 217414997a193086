/**
 * `${NAME}`, `${NAME:-default}`, and `$${` for a literal `${`. `${env:NAME}` is VS Code's spelling of the
 * first. Windows names such as `ProgramFiles(x86)` are allowed.
 */
const slot = /\$\$\{|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_()]*)(?::-([^}]*))?\}/g;

/** A variable in a text. */
export interface VariableReference {
  readonly name: string;
  /** Value if the variable is not set. */
  readonly fallback: string | undefined;
}

/** A variable without a default is not set. */
export class UnsetVariableError extends Error {
  override readonly name = 'UnsetVariableError';

  constructor(readonly variable: string) {
    super(`needs the environment variable ${variable}, which is not set`);
  }
}

/** Returns the variables of a text, in order. */
export function findVariables(text: string): readonly VariableReference[] {
  return [...text.matchAll(slot)].flatMap(([, name, fallback]) =>
    name === undefined ? [] : [{ name, fallback }],
  );
}

/**
 * Replaces the variables of a text. An empty variable counts as not set, as in a shell.
 * @throws UnsetVariableError
 */
export function substituteVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(slot, (_, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return '${';
    const value = env[name] || fallback;
    if (value === undefined) throw new UnsetVariableError(name);
    return value;
  });
}

/** True for one variable with an empty default, `${NAME:-}`. An empty entry of `env` or `headers` is left out. */
export function isOptionalVariable(text: string): boolean {
  const [, name, fallback] = new RegExp(`^(?:${slot.source})$`).exec(text) ?? [];
  return name !== undefined && fallback === '';
}

/** Returns the literal part of a text, with each variable replaced by its default. */
export function withoutVariables(text: string): string {
  return text.replace(slot, (_, name: string | undefined, fallback = '') =>
    name === undefined ? '${' : fallback,
  );
}

/** Replaces the variables of a text, as they are written. */
export function replaceVariables(text: string, replace: (reference: string) => string): string {
  return text.replace(slot, (whole, name: string | undefined) =>
    name === undefined ? whole : replace(whole),
  );
}

/** Returns the first part of a text that looks like a variable but is not, such as `${input:token}`. */
export function findInvalidVariable(text: string): string | undefined {
  return text.replace(slot, '').match(/\$\{[^}]*\}?/)?.[0];
}
