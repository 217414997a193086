/** Accepts any result. Checked later, item by item, since one invalid item must not hide the others. */
export const anyResult = {
  '~standard': { version: 1 as const, vendor: 'agenttools', validate: (value: unknown) => ({ value }) },
};
