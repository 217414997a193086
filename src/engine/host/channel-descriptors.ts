/** File descriptors in an extension host: the pipes of the private channel, and the file of begun calls. */
export const descriptors = { toHost: 3, toFront: 4, begun: 5 } as const;

/** Length of the key at the start of each message from a host, in ASCII characters. */
export const keyLength = 22;

/** Environment variable of an extension host and its child processes. The value is unique to the host. */
export const hostMark = 'AGENTTOOLS_HOST';
