/** Stand in for globals that only Node has; the build puts them where those are named. */

type Encoding = 'base64' | 'base64url' | 'utf8';

/** Bytes that can be said as text. */
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

/** Once everything that can go on has had its turn. */
export function setImmediate(work: () => void): void {
  setTimeout(work, 0);
}
