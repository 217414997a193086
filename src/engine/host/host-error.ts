/** The extension host ended before it answered. The message completes a sentence about the host. */
export class HostEndedError extends Error {
  override readonly name = 'HostEndedError';
}

/** The host ended before it began the request: another host may answer it. */
export class NeverBegunError extends HostEndedError {}

/** A request was not answered in time. The message completes a sentence about the requested work. */
export class HostTimeoutError extends Error {
  override readonly name = 'HostTimeoutError';
}

/** The host failed to answer but is still alive: extension code has harmed it. */
export class HostFailureError extends Error {
  override readonly name = 'HostFailureError';
}
