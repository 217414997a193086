/** A word as a shell takes it: as it is where that is safe, else between quotes. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-][\w@%+=:,./~-]*$/.test(text)) return text;
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
