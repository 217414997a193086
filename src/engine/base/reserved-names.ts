/** Names that JavaScript objects inherit. Most clients are written in JavaScript. */
export const objectNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** True if JavaScript programs may misread a key of this name. */
export function isObjectName(name: string): boolean {
  return objectNames.includes(name);
}

/**
 * True if Windows treats a file of this name as a device, with any extension.
 * @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}
