/** Item names: what may stand in a manifest and in a file name. The same letters as MCP tool names. */
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

/** Anything npm has ever let a package be called, and nothing that is a path or that cannot be seen. */
const packageName = (() => {
  const others = '\\s/\\\\@:%?#\\p{C}\\p{Default_Ignorable_Code_Point}';
  const part = `[^.${others}][^${others}]*`;
  return new RegExp(`^(?:@${part}/)?${part}$`, 'u');
})();

export function isPackageName(name: string): boolean {
  return packageName.test(name);
}

/** Whether a registry may have a package of that name. It is no option of a command line, and no longer than registries take. */
export function isPublishedName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 214 && isPackageName(name) && !/^[-_.]/.test(name);
}

/** The package that a name may mean whose `@` is missing: `scope/name` may mean `@scope/name`. */
export function withScope(text: string): string | undefined {
  const name = `@${text}`;
  return !text.startsWith('@') && text.includes('/') && isPackageName(name) ? name : undefined;
}

/** An item of a package: `@scope/name/item` or `name/item`. */
export interface QualifiedName {
  readonly package: string;
  readonly item: string;
}

/** Reads `@scope/name/item`, `scope/name/item` (means the same) or `name/item`; anything else is not qualified. */
export function parseQualifiedName(text: string): QualifiedName | undefined {
  const parts = text.split('/');
  const item = parts.pop();
  const prefix = parts.length === 2 && !text.startsWith('@') ? '@' : '';
  const name = prefix + parts.join('/');
  if (!isItemName(item) || !isPackageName(name)) return undefined;
  return { package: name, item };
}

/** The canonical spelling of a package's item. */
export function qualify(packageName: string, item: string): string {
  return `${packageName}/${item}`;
}

/** The last segment of a package name: what an unnamed server of it is called. */
export function shortName(packageName: string): string {
  return packageName.slice(packageName.lastIndexOf('/') + 1);
}
