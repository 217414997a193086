/** Returns a URL; undefined if the text is not one. `URL.canParse` of Node 20 and 22 refuses valid texts. */
export function parseUrl(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
