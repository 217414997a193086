/** Replacements for globals that only Node has. The build puts them in place of these globals. */

type Encoding = 'base64' | 'base64url' | 'utf8';

/** Bytes with a text form. */
class TextBytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8'): string {
    if (encoding === 'utf8') return new TextDecoder().decode(this);
    const text = btoa(Array.from(this, (byte) => String.fromCharCode(byte)).join(''));
    if (encoding === 'base64') return text;
    return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  }
}

export const Buffer = {
  from(data: string | Uint8Array, encoding: Encoding = 'utf8'): TextBytes {
    if (typeof data !== 'string') return new TextBytes(data);
    if (encoding === 'utf8') return new TextBytes(new TextEncoder().encode(data));
    const text = atob(data.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextBytes(Array.from(text, (character) => character.charCodeAt(0)));
  },
} as const;

/** Runs `work` in a later turn of the event loop. */
export function setImmediate(work: () => void): void {
  setTimeout(work, 0);
}
