import { parseUrl } from './parse-url.js';

const mostRedirects = 3;

/** Default limit of a response, in bytes. */
const longestText = 1024 * 1024;

/** Compares the origins of two URLs. A key is sent to one origin only. */
export const isSameOrigin = (from, to) => from.origin === to.origin;

/**
 * Sends a request and reads the response up to a limit.
 *
 * @param {URL} url
 * @param {object} options
 * @param {(from: URL, to: URL) => boolean} [options.mayFollow] Reports if a redirect is followed.
 * @returns status, media type, bytes, a flag for truncation, and headers. @throws errors of `fetch`
 */
export async function request(
  url,
  { method = 'GET', headers = {}, body, signal, longest = longestText, mayFollow = isSameOrigin },
) {
  let at = url;
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(at, { method, headers, body, signal, redirect: 'manual' });
    const next = redirection(response, at);
    if (!next || method !== 'GET' || followed === mostRedirects || !mayFollow(at, next)) {
      const read = await readBytes(response, longest);
      const type = (response.headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();
      return { status: response.status, headers: response.headers, type, ...read };
    }
    await response.body?.cancel();
    at = next;
  }
}

function redirection({ status, headers }, at) {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === null) return undefined;
  return parseUrl(location, at);
}

async function readBytes({ body }, longest) {
  const chunks = [];
  let size = 0;
  // Leaving the loop also closes the connection.
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > longest) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, longest), isCut: size > longest };
}
