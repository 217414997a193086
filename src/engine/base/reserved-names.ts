/** Names that objects of JavaScript, in which most clients are written, have without being given them. */
export const objectNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Whether programs in JavaScript may misread a key of this name. */
export function isObjectName(name: string): boolean {
  return objectNames.includes(name);
}

/**
 * Whether Windows takes a file of this name for a device, whatever its ending.
 * @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}
