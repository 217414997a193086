import type { Command, OptionValues } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { HttpOptions } from '../../../engine/serve/http/start-http.js';
import {
  address,
  bytes,
  collect,
  portNumber,
  positiveSeconds,
  variableName,
} from '../../shared/grammar/option-values.js';

/** Adds the options of `start` for HTTP. */
export function addHttpOptions(start: Command): void {
  start
    .option('--http', 'serve over Streamable HTTP instead')
    .option('--host <address>', 'with --http: where to listen', address, '127.0.0.1')
    .option('--port <number>', 'with --http: the port, 0 for any that is free', portNumber, 3000)
    .option(
      '--allowed-host <names>',
      "with --http: names that clients reach the server by; else this machine's own; repeatable",
      collect,
      [],
    )
    .option(
      '--allowed-origin <origins>',
      'with --http: origins of pages that may use the server, such as https://app.example.com; repeatable',
      collect,
      [],
    )
    .option(
      '--token-env <name>',
      'with --http: the variable that holds the token which clients must send',
      variableName,
    )
    .option('--issuer <url>', 'with --http: OAuth issuer of the tokens that clients must send')
    .option('--audience <name>', 'with --issuer: required token audience; default: the --public-url')
    .option('--scope <scopes>', 'with --issuer: scopes that tokens must have; repeatable', collect, [])
    .option('--public-url <url>', 'with --issuer: the URL that clients know the server by')
    .option('--event-bus <module>', 'with --http: a module that carries events between processes')
    .option('--max-body <bytes>', 'with --http: the longest body that is read', bytes)
    .option('--timeout <seconds>', 'with --http: the longest that a request may take', positiveSeconds)
    .option('--session-idle <seconds>', 'with --http: how long a session lives unused', positiveSeconds)
    .option('--drain <seconds>', 'with --http: how long calls may go on after a signal', positiveSeconds)
    .option('--insecure', 'with --http: require neither a token nor host names, also at a public address')
    .option('--json', 'with --http: print the URL on stdout as JSON');
}

/**
 * Reads the HTTP options.
 * @throws AgentToolsError `usage` for OAuth options without an issuer: ignoring them would leave the server
 *   open
 */
export function httpInput(options: OptionValues): HttpOptions {
  const { maxBody, timeout, sessionIdle, drain, issuer, audience, publicUrl, scope } = options;
  if (issuer === undefined && (audience ?? publicUrl ?? scope[0]) !== undefined) {
    throw new AgentToolsError(
      'usage',
      '--audience, --scope and --public-url require --issuer. Add --issuer <url>, or omit them.',
    );
  }
  return {
    host: options.host,
    port: options.port,
    allowedHosts: options.allowedHost,
    allowedOrigins: options.allowedOrigin,
    tokenEnv: options.tokenEnv,
    insecure: options.insecure ?? false,
    ...(issuer !== undefined && { oauth: { issuer, audience, publicUrl, scopes: scope } }),
    eventBus: options.eventBus,
    limits: {
      maxBodyBytes: maxBody,
      requestTimeoutMs: inMs(timeout),
      sessionIdleMs: inMs(sessionIdle),
    },
    drainMs: inMs(drain),
  };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
