export interface ServerOptions {
  readonly accessTokenSeconds?: number;
  readonly codeSeconds?: number;
  /** Registered clients, as `oidc-provider` takes them. */
  readonly clients?: readonly object[];
}

export interface SignInServers {
  /** Address of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** Requests to the authorization server: method and path. */
  readonly requests: string[];
  /** MCP methods that the server has executed. */
  readonly calls: string[];
  /** Makes all access tokens of before invalid. */
  readonly endAccessTokens: () => void;
  readonly close: () => Promise<void>;
}

export declare function startSignInServers(options?: ServerOptions): Promise<SignInServers>;
export declare function browse(address: string | URL): Promise<string>;
