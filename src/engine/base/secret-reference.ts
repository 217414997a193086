/** Name of a secret that users set. */
const namePattern = '[A-Za-z_][A-Za-z0-9_.-]{0,127}';

const wholeName = new RegExp(`^${namePattern}$`);

/** `secret:NAME`, also after the scheme of a header: `Bearer secret:NAME`. */
const whole = new RegExp(`^(?<scheme>(?:[A-Za-z][A-Za-z0-9-]* )?)secret:(?<name>${namePattern})$`);

/** `{secret:NAME}` within a text. URLs encode the braces in their path. */
const embedded = new RegExp(`(?:\\{|%7B)secret:(${namePattern})(?:\\}|%7D)`, 'g');

/** True if users can set a secret of this name. */
export function isSecretName(text: string): boolean {
  return wholeName.test(text);
}

/** The names of the secrets that a text refers to. */
export function findSecretReferences(text: string): readonly string[] {
  if (!text.includes('secret:')) return [];
  const name = whole.exec(text)?.groups?.name;
  const names = name === undefined ? [...text.matchAll(embedded)].map((found) => found[1]!) : [name];
  return [...new Set(names)];
}

export function hasSecretReference(text: string): boolean {
  return findSecretReferences(text).length > 0;
}

/** Replaces references by the values of their secrets. Does not search values for references. */
export function fillSecretReferences(text: string, reveal: (name: string) => string): string {
  const { scheme = '', name } = whole.exec(text)?.groups ?? {};
  if (name !== undefined) return scheme + reveal(name);
  return text.replace(embedded, (_, found: string) => reveal(found));
}
