/** `instructions` may be several texts; they are joined by a blank line. */
export function joinInstructions(texts: readonly unknown[]): string | undefined {
  return texts.filter((part) => typeof part === 'string').join('\n\n') || undefined;
}
