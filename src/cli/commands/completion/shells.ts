/** Shells, and `suggest`, which the scripts of the shells call. */
export const shells = ['bash', 'zsh', 'fish', 'powershell', 'suggest'] as const;
