/** Replaces `node:fs/promises` on platforms without files: nothing is found. */
async function none(): Promise<never> {
  throw Object.assign(new Error('There are no files on this platform.'), { code: 'ENOENT' });
}

export const access: typeof none = none;
export const readdir: typeof none = none;
export const readFile: typeof none = none;
export const realpath: typeof none = none;
export const stat: typeof none = none;
export const constants = { X_OK: 1, R_OK: 4 } as const;
