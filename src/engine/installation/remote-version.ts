import { AgentToolsError } from '../base/errors.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import type { RemoteVerification } from '../preflight/verify-remote.js';

/** Longest wait for an answer, in milliseconds. */
const timeoutMs = 15_000;

interface RemoteDeps {
  readonly signal: AbortSignal;
  /** True to ask for no lists. */
  readonly isHandshakeOnly: boolean;
}

/**
 * Asks the remote server of an entry. Headers with references are not sent, since only the client knows their values.
 * @throws AgentToolsError if the server does not answer, or wants a sign-in
 */
export async function askRemote(
  { entry, server }: Pick<Receipt, 'entry' | 'server'>,
  { signal, isHandshakeOnly }: RemoteDeps,
): Promise<RemoteVerification> {
  const { url, transport, headers } = readRemoteEntry(entry) ?? {
    url: server,
    transport: undefined,
    headers: {},
  };
  const plain = Object.entries(headers).filter(([, value]) => !/[{$]/.test(value));
  if (/\{(?:arg:|\$)|\$\{/.test(url))
    throw new AgentToolsError('failed', 'Its address has inputs, whose values only the client has.');
  const { verifyRemote } = await import('../preflight/verify-remote.js');
  const answer = await verifyRemote(
    { url, headers: Object.fromEntries(plain), transport },
    { timeoutMs, signal, isHandshakeOnly },
  );
  if (!answer.wantsSignIn) return answer;
  throw new AgentToolsError('failed', 'It wants a sign-in, so its version is not known here.');
}
