import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A new random key, as text. */
export function createKey(): string {
  return randomBytes(keyBytes).toString('base64');
}

/** True if a text is a key of {@link createKey}. */
export function isKey(text: string): boolean {
  return Buffer.from(text, 'base64').length === keyBytes;
}

/** Encrypts a value. It can only be decrypted under the same name, so that values cannot be exchanged. */
export function seal(value: string, { name, key }: { readonly name: string; readonly key: string }): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(name));
  const content = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64');
}

/** Decrypts a value; undefined if the key is another one, or the text was changed. */
export function unseal(
  sealed: string,
  { name, key }: { readonly name: string; readonly key: string },
): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, nonceBytes);
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
  try {
    const decipher = createDecipheriv(algorithm, Buffer.from(key, 'base64'), nonce, {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
    const content = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([content, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
