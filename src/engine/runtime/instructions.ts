/** Joins several texts of `instructions` by a blank line; undefined without any text. */
export function joinInstructions(texts: readonly unknown[]): string | undefined {
  return texts.filter((part) => typeof part === 'string').join('\n\n') || undefined;
}
