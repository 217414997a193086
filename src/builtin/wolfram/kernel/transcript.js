import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

const mostRead = 4 * 1024 * 1024;

/** Printed text of an evaluation: a file that the kernel writes, with a mark after the output of each expression. */
export class Transcript {
  /** Random, so that printed text cannot contain it. */
  mark = randomBytes(8).toString('hex');

  constructor(folder) {
    this.file = path.join(folder, 'transcript.txt');
  }

  async create() {
    await writeFile(this.file, '');
  }

  /** Size of the file; 0 if it is missing. */
  async size() {
    return await stat(this.file).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Printed text of each expression, then text after the last one. Keeps beginning and end of very long text. */
  async prints() {
    return (await readBounded(this.file)).split(`\n@@${this.mark}\n`);
  }
}

async function readBounded(file) {
  // Evaluated code can replace the file by a pipe without a writer.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
  if (!handle) return '';
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) return '';
    const { size } = facts;
    const take = async (length, position) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
      return buffer.subarray(0, bytesRead).toString('utf8');
    };
    if (size <= 2 * mostRead) return await take(size, 0);
    return `${await take(mostRead, 0)}\n…\n${await take(mostRead, size - mostRead)}`;
  } finally {
    await handle.close();
  }
}
