/** Members of the context that rules ask about. */
const askedAbout = ['session', 'auth'];

/** Longer sources are not looked into: hooks are short, and what is generated is not what somebody thought. */
const maxSourceLength = 20_000;

/** The members of its context that the source of a function names. What it only hands on is not seen. */
export function findContextMembers(value: unknown): readonly string[] {
  if (typeof value !== 'function') return [];
  const source = Function.prototype.toString.call(value);
  if (source.length > maxSourceLength) return [];
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return askedAbout.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
}

/** The description of a function for rules: {@link findContextMembers} unless it is empty. */
export function describeContextUse(value: object): { readonly contextMembers?: readonly string[] } {
  const contextMembers = findContextMembers(value);
  return contextMembers.length > 0 ? { contextMembers } : {};
}
