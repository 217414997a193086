/** File descriptors of the private channel, as the extension host sees them. Both are pipes. */
export const descriptors = { toHost: 3, toFront: 4 } as const;

/** Environment variable of an extension host and of the processes that it starts. Its value is unique to the host. */
export const hostMark = 'AGENTTOOLS_HOST';
