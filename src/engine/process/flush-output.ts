import process from 'node:process';
import type { Writable } from 'node:stream';

/** Longest wait until the reader has taken the last output, in milliseconds. */
const lastWordsMs = 500;

/** Flushes stdout and stderr before exit, within a time limit. */
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
