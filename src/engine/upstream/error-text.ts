import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseUrl } from '../base/parse-url.js';
import { tellingLine } from '../base/telling-line.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { shortenText, visibleMessage } from '../base/visible-text.js';
import type { UpstreamEndpoint } from '../runtime/upstream.js';
import type { Challenge } from '../sign-in/challenge.js';
import { loginCommand } from '../sign-in/login-command.js';
import type { ChildExit } from './child-transport.js';

/** In characters. Shorter values are not secrets, and occur in too many words. */
const shortestSecret = 6;

/** Longest quote of an upstream server, in characters. Longer texts lose their middle. */
const longestQuote = 10_000;

/** Longest quote of output that is no message, in characters. */
const longestOutput = 300;

/** Cleans a text of an upstream server for display: one line, bounded, without its secrets. */
export type Quote = (text: string) => string;

/** Hides the secrets of an endpoint in a text. */
export type HideSecrets = (text: string) => string;

/** Returns a function that hides the variables, headers and URL credentials of an endpoint. */
export function createSecretFilter(place: UpstreamEndpoint): HideSecrets {
  const secrets = listEndpointSecrets(place)
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((sofar, secret) => sofar.replaceAll(secret, '[hidden]'), text);
}

/** Hides the secrets of an endpoint in all texts of JSON data. */
export function hideSecretsIn(data: unknown, hide: HideSecrets): unknown {
  if (typeof data === 'string') return hide(data);
  if (Array.isArray(data)) return data.map((one) => hideSecretsIn(one, hide));
  if (!isRecord(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, hideSecretsIn(value, hide)]));
}

/** Returns a quote function that hides the secrets of an endpoint. */
export function createQuote(place: UpstreamEndpoint): Quote {
  const hide = createSecretFilter(place);
  return (text) => shortenMiddle(visibleMessage(hide(text)), longestQuote);
}

/** The start and the end of a text. The end of an error often has the reason. */
function shortenMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** A quote of output that is no message. */
export function quoteOutput(text: string, quote: Quote): string {
  return shortenText(quote(text), longestOutput);
}

function listEndpointSecrets(place: UpstreamEndpoint): readonly string[] {
  if (!('url' in place)) return Object.values(place.env);
  const url = parseUrl(place.url);
  const inUrl = url ? [url.username, url.password, ...url.searchParams.values()] : [];
  // The token of `Bearer abc` is hidden without its scheme, too.
  const inHeaders = Object.values(place.headers).flatMap((value) => [value, value.split(/\s+/).at(-1)!]);
  return [...inHeaders, ...inUrl, ...inUrl.map(encodeURIComponent)];
}

/** Describes the exit of a program, as the end of a sentence. */
export function endingWords({ code, signal }: ChildExit, stderr: string, quote: Quote): string {
  const how = signal ? `it was ended by ${signal}` : `it exited with code ${code ?? 'unknown'}`;
  const line = tellingLine(stderr);
  return line ? `${how}. It wrote to stderr: ${quote(line)}` : how;
}

/** Describes the failed start of a program, as the end of a sentence. */
export function spawnWords(
  error: unknown,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && !existsSync(cwd)) return `the folder ${cwd} that it is to run in does not exist`;
  if (code === 'ENOENT')
    return path.isAbsolute(command)
      ? `there is no program ${command}`
      : `there is no program "${command}" on the PATH. Install it, or give its absolute path`;
  if (code === 'EACCES') return `the program "${command}" may not be executed`;
  return `the system does not run the program "${command}": ${errorMessage(error)}`;
}

/** Describes a server that does not answer, as the end of a sentence. */
export function silenceWords(
  { waitedMs, impure }: { readonly waitedMs: number; readonly impure: string | undefined },
  quote: Quote,
): string {
  const silence = `it does not answer within ${secondsWords(waitedMs)}, which is its "startTimeoutMs"`;
  return impure === undefined
    ? silence
    : `${silence}. It wrote ${JSON.stringify(quoteOutput(impure, quote))} to stdout, which is no message of MCP`;
}

/** Describes an HTTP error status, as the end of a sentence. `transport` is set for the first request only. */
export function statusWords(status: number, transport?: 'http' | 'sse'): string {
  const words = answerWords(status);
  if (transport === undefined || ![400, 404, 405].includes(status)) return words;
  const other = transport === 'sse' ? '"http", or absent' : '"sse", if it speaks the transport of 2024';
  return `${words}. If the address is right, its "type" may be wrong: it may have to be ${other}`;
}

/** A refusal of a server that wants a sign-in. */
export interface SignInRefusal {
  /** Address of the server. */
  readonly server: string;
  readonly challenge: Challenge;
  /** Why the sign-in could not be renewed, as the end of a sentence. */
  readonly problem: string | undefined;
}

/** Describes a server that wants a sign-in, as the end of a sentence. */
export function signInWords({ server, challenge, problem }: SignInRefusal, quote: Quote): string {
  const { status, isScopeTooSmall } = challenge;
  const command = loginCommand(server, challenge);
  if (isScopeTooSmall)
    return `the sign-in to it does not allow this (HTTP 403). To sign in with more rights, run: ${command}`;
  if (status === 403) return `it does not allow this to the user who is signed in (HTTP 403)`;
  const why = problem === undefined ? '' : `, and the sign-in of before cannot be renewed: ${quote(problem)}`;
  return `it wants a sign-in (HTTP 401)${why}. Run: ${command}`;
}

function answerWords(status: number): string {
  if (status === 401)
    return 'it refuses the headers it is sent (HTTP 401): a token is missing or no longer good';
  if (status === 403) return 'it refuses the headers it is sent (HTTP 403): they do not allow this';
  if (status === 404) return 'there is no MCP server at its address (HTTP 404)';
  if (status >= 300 && status < 400)
    return `it sends us elsewhere (HTTP ${status}), which is not followed. Give the address that it leads to`;
  return `it answers with HTTP ${status}`;
}

/** Ends a text with exactly one full stop. */
export function withFullStop(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

/** Formats a duration in seconds, rounded up, at least one: `4 s`. */
export function secondsWords(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}
