/** File descriptors of an extension host, as it sees them: the pipes of the private channel, and the file of begun calls. */
export const descriptors = { toHost: 3, toFront: 4, begun: 5 } as const;

/** Characters of the key that starts each message of a host. All are ASCII. */
export const keyLength = 22;

/** Environment variable of an extension host and of the processes that it starts. Its value is unique to the host. */
export const hostMark = 'AGENTTOOLS_HOST';
