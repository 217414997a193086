/**
 * Protocol between this process and the loop in the kernel. Each message is one line: JSON in Base64, because kernels
 * encode characters beyond ASCII differently on each platform. A response repeats a random word of its request, so that
 * output of evaluated code cannot imitate one.
 */

/** The line of a request. */
export function requestLine(request) {
  return `${Buffer.from(JSON.stringify(request), 'utf8').toString('base64')}\n`;
}

/**
 * Parses a line: the response to the request with `word`, or an interim message.
 * @returns {{ isFinal: boolean, message: object } | undefined} undefined for other lines
 */
export function readLine(line, word) {
  const found = /^@@([0-9a-f]+)([:+])([A-Za-z0-9+/=]*)\s*$/.exec(line);
  if (!found || found[1] !== word) return undefined;
  try {
    const message = JSON.parse(Buffer.from(found[3], 'base64').toString('utf8'));
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
    return { isFinal: found[2] === ':', message };
  } catch {
    return undefined;
  }
}

/**
 * Code in ASCII, with the language's escapes for other characters.
 * @see https://reference.wolfram.com/language/tutorial/InputSyntax.html, Character Codes
 */
export function asciiCode(code) {
  return code.replace(/\r\n?/g, '\n').replace(/[^\n\t\x20-\x7e]/gu, (character) => {
    const number = character.codePointAt(0);
    if (number > 0xffff) return `\\|${hex(number, 6)}`;
    return number > 0xff ? `\\:${hex(number, 4)}` : `\\.${hex(number, 2)}`;
  });
}

function hex(number, digits) {
  return number.toString(16).padStart(digits, '0');
}
