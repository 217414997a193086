/** Quotes a word for a shell if necessary. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-][\w@%+=:,./~-]*$/.test(text)) return text;
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
