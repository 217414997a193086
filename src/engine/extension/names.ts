/** Item names: valid in manifests and file names. Same characters as MCP tool names. */
const itemName = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Names that clients see.
 * @see MCP 2025-11-25, server/tools, "Tool Names"
 */
const wireName = /^[A-Za-z0-9_.-]{1,128}$/;

export function isItemName(name: unknown): name is string {
  return typeof name === 'string' && itemName.test(name) && name !== '.' && name !== '..';
}

export function isWireName(name: unknown): name is string {
  return typeof name === 'string' && wireName.test(name);
}

/** Every name that npm has ever allowed, except paths and names with invisible characters. */
const packageName = (() => {
  const others = '\\s/\\\\@:%?#\\p{C}\\p{Default_Ignorable_Code_Point}';
  const part = `[^.${others}][^${others}]*`;
  return new RegExp(`^(?:@${part}/)?${part}$`, 'u');
})();

export function isPackageName(name: string): boolean {
  return packageName.test(name);
}

/**
 * True if a registry can hold a package of that name: at most 214 characters, and not a command-line option.
 */
export function isPublishedName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 214 && isPackageName(name) && !/^[-_.]/.test(name);
}

/** Returns the package name with the missing `@`: `scope/name` may mean `@scope/name`. */
export function withScope(text: string): string | undefined {
  const name = `@${text}`;
  return !text.startsWith('@') && text.includes('/') && isPackageName(name) ? name : undefined;
}

/** An item of a package: `@scope/name/item` or `name/item`. */
export interface QualifiedName {
  readonly package: string;
  readonly item: string;
}

/** Parses `@scope/name/item`, `scope/name/item` (same meaning) or `name/item`; undefined for other texts. */
export function parseQualifiedName(text: string): QualifiedName | undefined {
  const parts = text.split('/');
  const item = parts.pop();
  const prefix = parts.length === 2 && !text.startsWith('@') ? '@' : '';
  const name = prefix + parts.join('/');
  if (!isItemName(item) || !isPackageName(name)) return undefined;
  return { package: name, item };
}

/** Returns the canonical qualified name of an item. */
export function qualify(packageName: string, item: string): string {
  return `${packageName}/${item}`;
}

/** Returns the last segment of a package name: the name of its unnamed server. */
export function shortName(packageName: string): string {
  return packageName.slice(packageName.lastIndexOf('/') + 1);
}
