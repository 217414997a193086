import type { Account } from '../sign-in/account.js';
import type { Challenge } from '../sign-in/challenge.js';
import type { SignInRecord } from '../sign-in/sign-in-record.js';
import type { SignIns } from '../sign-in/sign-ins.js';
import type { SignInRefusal } from './error-text.js';
import type { RemoteSignIn } from './http-transport.js';

/** Signs the user in to a server. @throws if the user does not sign in */
export type SignInFor = (account: Account, challenge: Challenge) => Promise<SignInRecord | undefined>;

/** The sign-ins to remote servers. */
export interface SignInSource {
  /** Default: none. */
  readonly signIns?: SignIns | undefined;
  /** Signs the user in where a server asks for it. Default: no sign-in. */
  readonly signIn?: SignInFor | undefined;
}

/** The sign-in of connections to one server. */
export class ServerSignIn {
  readonly #account: Account;
  readonly #signIn: SignInFor | undefined;
  /** The last refusal of the server. */
  refusal: SignInRefusal | undefined;

  /** Undefined without sign-ins. */
  static open(url: string, { signIns, signIn }: SignInSource): ServerSignIn | undefined {
    return signIns && new ServerSignIn(signIns.account(url), signIn);
  }

  private constructor(account: Account, signIn: SignInFor | undefined) {
    this.#account = account;
    this.#signIn = signIn;
  }

  /** Options of the transport. */
  get remote(): RemoteSignIn {
    const account = this.#account;
    const signIn = this.#signIn;
    return {
      account,
      signIn: signIn && (async (challenge) => await signIn(account, challenge)),
      onRefused: (challenge) => {
        this.refusal = { server: account.server, challenge, problem: account.problem };
      },
    };
  }

  /** Hides the tokens in a text. */
  hide(text: string): string {
    return this.#account.hide(text);
  }
}
