/** Members of the context that rules check. */
const checkedMembers = ['session', 'auth', 'meta'];

/** Longer sources are skipped: hooks are short, and generated code does not show the author's intent. */
const maxSourceLength = 20_000;

/**
 * The context members in the source of a function. Members that the function only passes on are not found.
 */
export function findContextMembers(value: unknown): readonly string[] {
  if (typeof value !== 'function') return [];
  const source = Function.prototype.toString.call(value);
  if (source.length > maxSourceLength) return [];
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return checkedMembers.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
}

/** The description of a function for rules: {@link findContextMembers} unless it is empty. */
export function describeContextUse(value: object): { readonly contextMembers?: readonly string[] } {
  const contextMembers = findContextMembers(value);
  return contextMembers.length > 0 ? { contextMembers } : {};
}
