import { existsSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../base/thrown-value.js';
import { shortenText, visibleMessage } from '../base/visible-text.js';
import type { UpstreamEndpoint } from '../runtime/upstream.js';
import type { ChildExit } from './child-transport.js';

/** Shorter values are no secrets, and are part of too many words. */
const shortestSecret = 6;

/** The longest that is quoted of what an upstream server says. */
const longestQuote = 300;

/** Makes what may be shown of a text of an upstream server: one line, cut, and without values it was given. */
export type Quote = (text: string) => string;

/** Quotes what a server at a place says: no value of its variables and headers is repeated. */
export function createQuote(place: UpstreamEndpoint): Quote {
  const secrets = listEndpointSecrets(place)
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  return (text) => {
    const shown = secrets.reduce((sofar, secret) => sofar.replaceAll(secret, '[hidden]'), text);
    return shortenText(visibleMessage(shown), longestQuote);
  };
}

function listEndpointSecrets(place: UpstreamEndpoint): readonly string[] {
  if (!('url' in place)) return Object.values(place.env);
  const url = URL.canParse(place.url) ? new URL(place.url) : undefined;
  const inUrl = url ? [url.username, url.password, ...url.searchParams.values()] : [];
  // Of `Bearer abc` the word before the token is none.
  const inHeaders = Object.values(place.headers).flatMap((value) => [value, value.split(/\s+/).at(-1)!]);
  return [...inHeaders, ...inUrl, ...inUrl.map(encodeURIComponent)];
}

/** How a program ended, as the end of a sentence. */
export function endingWords({ code, signal }: ChildExit, stderr: string, quote: Quote): string {
  const how = signal ? `it was ended by ${signal}` : `it exited with code ${code ?? 'unknown'}`;
  const line = tellingLine(stderr);
  return line ? `${how}. It wrote to stderr: ${quote(line)}` : how;
}

/** Lines that say what went wrong. Of npm's the first are codes, and places in its own code. */
const failureLines = [
  /\b\w*error: /i,
  /^npm (?:error|ERR!) (?!(?:code|syscall|path|errno|command|signal) |A complete log)\S+ +\S/,
];

/** What Node, npm and stack traces say after that. */
const trailingLines = [
  /^at\s/,
  /^Node\.js v\d/,
  /A complete log of this run/,
  /^npm (?:error|notice|warn)\s*$/,
  /^[{}^~]+$/,
];

/** The line of what a program wrote last that says most of why it ended. */
function tellingLine(stderr: string): string | undefined {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const error = lines.find((line) => failureLines.some((shape) => shape.test(line)));
  return error ?? lines.findLast((line) => !trailingLines.some((shape) => shape.test(line)));
}

/** Why a program could not be started, as the end of a sentence. */
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

/** What is said of a server that keeps silent, as the end of a sentence. */
export function silenceWords(
  { waitedMs, impure }: { readonly waitedMs: number; readonly impure: string | undefined },
  quote: Quote,
): string {
  const silence = `it does not answer within ${secondsWords(waitedMs)}, which is its "startTimeoutMs"`;
  return impure === undefined
    ? silence
    : `${silence}. It wrote ${JSON.stringify(quote(impure))} to stdout, which is no message of MCP`;
}

/** What an answer of HTTP that is no success means, as the end of a sentence; to the first request, `transport` says how it was asked. */
export function statusWords(status: number, transport?: 'http' | 'sse'): string {
  const words = answerWords(status);
  if (transport === undefined || ![400, 404, 405].includes(status)) return words;
  const other = transport === 'sse' ? '"http", or absent' : '"sse", if it speaks the transport of 2024';
  return `${words}. If the address is right, its "type" may be wrong: it may have to be ${other}`;
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

/** A sentence of its parts, with one full stop. */
export function withFullStop(text: string): string {
  return `${text.replace(/\.$/, '')}.`;
}

/** How long is left, in words: `4 s`. */
export function secondsWords(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}
