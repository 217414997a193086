/** Replaces `engine/secrets/stored-secrets.ts` on platforms without files: there are no stored secrets. */
export function revealFrom(): never {
  throw new Error('There are no stored secrets on this platform. Use a variable.');
}
