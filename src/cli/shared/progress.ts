import type { Host } from '../../host.js';

/**
 * Runs work that reports its progress on one line of stderr. The line is overwritten and finally cleared.
 * Prints nothing if stderr is not a terminal.
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
