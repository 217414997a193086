import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import type { Account } from '../sign-in/account.js';
import type { Challenge } from '../sign-in/challenge.js';
import { askForChallenge, type SignInChoices, signInMachine, signInUser } from '../sign-in/sign-in.js';
import type { SignInRecord } from '../sign-in/sign-in-record.js';
import { type RemoteServer, verifyRemote } from './verify-remote.js';

export interface LogInChoices extends SignInChoices {
  readonly account: Account;
  /** True for client credentials, without a user. */
  readonly isMachine: boolean;
}

export interface LogIn {
  readonly record: SignInRecord;
  /** Number of tools that the server lists to this user. */
  readonly tools: number;
}

/** Longest wait for each answer of the server, in milliseconds. */
const timeoutMs = 30_000;

/**
 * Signs in to a remote server, and lists its tools. Signs in once more if the list needs a larger scope.
 * @throws AgentToolsError if the sign-in fails, or the server refuses its tokens
 */
export async function logIn(server: RemoteServer, choices: LogInChoices): Promise<LogIn> {
  try {
    return await signInAndList(server, choices);
  } catch (error) {
    if (error instanceof AgentToolsError || choices.signal.aborted) throw error;
    const { cause } = error as Error;
    const reason = errorMessage(cause instanceof Error ? cause : error).replace(/\.$/, '');
    throw new AgentToolsError('failed', `The sign-in to ${server.url} failed: ${reason}.`, { cause: error });
  }
}

async function signInAndList(
  { url, headers, transport }: RemoteServer,
  { account, isMachine, ...choices }: LogInChoices,
): Promise<LogIn> {
  const { client, signal } = choices;
  const signIn = async (challenge: Challenge | undefined) =>
    isMachine && client
      ? await signInMachine(account, { ...choices, client }, challenge)
      : await signInUser(account, choices, challenge);
  await signIn(await askForChallenge(url, { headers, transport, signal }));
  const withStepUp = async (challenge: Challenge) => {
    if (!challenge.isScopeTooSmall || isMachine) throw refusal(url, challenge);
    return await signIn(challenge);
  };
  const { tools, wantsSignIn } = await verifyRemote(
    { url, headers, transport },
    { timeoutMs, signal, signIn: { account, signIn: withStepUp } },
  );
  const record = await account.current();
  if (!record || wantsSignIn) throw refusal(url, undefined);
  return { record, tools };
}

function refusal(url: string, challenge: Challenge | undefined): AgentToolsError {
  const scope = challenge?.scope === undefined ? '' : ` It asks for this scope: ${challenge.scope}.`;
  return new AgentToolsError('failed', `The sign-in worked, but ${url} does not accept its token.${scope}`);
}
