/** Removes user information from URLs in a text: `https://ada:secret@host/` becomes `https://host/`. */
export function withoutUserinfo(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#]*@/gi, '$1');
}
