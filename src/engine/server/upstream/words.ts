import { existsSync } from 'node:fs';
import { messageOf } from '../../extension/modules.js';
import type { UpstreamPlace } from '../../items/upstream.js';
import { shortened, visibleMessage } from '../../visible-text.js';
import type { Ending } from '../child-transport.js';

/** Shorter values are no secrets, and are part of too many words. */
const shortestSecret = 6;

/** The longest that is quoted of what an upstream server says. */
const longestQuote = 300;

/** Makes what may be shown of a text of an upstream server: one line, cut, and without values it was given. */
export type Quote = (text: string) => string;

/** Quotes what a server at a place says: no value of its variables and headers is repeated. */
export function quoting(place: UpstreamPlace): Quote {
  const secrets = secretsOf(place)
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  return (text) => {
    const shown = secrets.reduce((sofar, secret) => sofar.replaceAll(secret, '[hidden]'), text);
    return shortened(visibleMessage(shown), longestQuote);
  };
}

function secretsOf(place: UpstreamPlace): readonly string[] {
  if (!('url' in place)) return Object.values(place.env);
  const url = URL.canParse(place.url) ? new URL(place.url) : undefined;
  const inUrl = url ? [url.username, url.password, ...url.searchParams.values()] : [];
  // Of `Bearer abc` the word before the token is none.
  const inHeaders = Object.values(place.headers).flatMap((value) => [value, value.split(/\s+/).at(-1)!]);
  return [...inHeaders, ...inUrl, ...inUrl.map(encodeURIComponent)];
}

/** How a program ended, as the end of a sentence. */
export function endingWords({ code, signal }: Ending, stderr: string, quote: Quote): string {
  const how = signal ? `it was ended by ${signal}` : `it exited with code ${code ?? 'unknown'}`;
  const last = stderr.trim().split('\n').at(-1)?.trim();
  return last ? `${how}. The last line it wrote to stderr: ${quote(last)}` : how;
}

/** Why a program could not be started, as the end of a sentence. */
export function spawnWords(
  error: unknown,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && !existsSync(cwd)) return `the folder ${cwd} that it is to run in does not exist`;
  if (code === 'ENOENT')
    return `the program "${command}" is not there. Install it, or give its absolute path`;
  if (code === 'EACCES') return `the program "${command}" may not be executed`;
  return `the program "${command}" cannot be started: ${messageOf(error)}`;
}

/** What an answer of HTTP that is no success means, as the end of a sentence. */
export function statusWords(status: number): string {
  if (status === 401)
    return 'it refuses the headers it is sent (HTTP 401): a token is missing or no longer good';
  if (status === 403) return 'it refuses the headers it is sent (HTTP 403): they do not allow this';
  if (status === 404) return 'there is no MCP server at its address (HTTP 404)';
  if (status >= 300 && status < 400)
    return `it sends us elsewhere (HTTP ${status}), which is not followed. Give the address that it leads to`;
  return `it answers with HTTP ${status}`;
}

/** A sentence of its parts, with one full stop. */
export function sentence(text: string): string {
  return `${text.replace(/\.$/, '')}.`;
}

/** How long is left, in words: `4 s`. */
export function secondsWords(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}
