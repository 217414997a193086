import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

const mostRead = 4 * 1024 * 1024;

/** What an evaluation prints: a file that the kernel writes to, with a mark after what each expression printed. */
export class Transcript {
  /** A word that nothing printed can know beforehand. */
  mark = randomBytes(8).toString('hex');

  constructor(folder) {
    this.file = path.join(folder, 'transcript.txt');
  }

  async create() {
    await writeFile(this.file, '');
  }

  /** Of a file that is gone: 0. */
  async size() {
    return await stat(this.file).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** What expression 0, 1, … printed, and what came after the last. Of very much, the beginning and the end. */
  async prints() {
    return (await readBounded(this.file)).split(`\n@@${this.mark}\n`);
  }
}

async function readBounded(file) {
  // Code may have put a pipe in its place, which nobody writes to.
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
