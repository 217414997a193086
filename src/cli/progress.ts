import type { Host } from '../host.js';

/**
 * Does work that says what it is at: on a line of a terminal's stderr that is written over and gone at the end, and
 * nowhere else.
 */
export async function withProgress<T>(
  { stderr }: Pick<Host, 'stderr'>,
  work: (tell: (text: string) => void) => Promise<T>,
): Promise<T> {
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true;
  const tell = (text: string) => {
    if (isTerminal) stderr.write(`${clearLine}${text}`);
  };
  try {
    return await work(tell);
  } finally {
    tell('');
  }
}

const clearLine = '\r\u001b[2K';
