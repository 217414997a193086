import process from 'node:process';
import type { Writable } from 'node:stream';

/** How long the last words may take to reach who reads stderr, if anybody does. */
const lastWordsMs = 500;

/** Waits until what was printed and reported has left this process, for as long as that may take. */
export async function flushOutput(stderr: Writable): Promise<void> {
  const limit = new Promise<void>((resolve) => void setTimeout(resolve, lastWordsMs).unref());
  await Promise.race([limit, waitUntilWritten(process.stdout).then(() => waitUntilWritten(stderr))]);
}

async function waitUntilWritten(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}
