import { createHash, randomInt } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const letterOrDigit = `${letters}0123456789`;

/** Whether a session may be called so. */
export function isSessionId(id) {
  return /^[A-Za-z]\w{0,63}$/.test(id);
}

/** An id that nobody has. */
export function newSessionId() {
  const from = (characters) => characters[randomInt(characters.length)];
  return from(letters) + Array.from({ length: 7 }, () => from(letterOrDigit)).join('');
}

/** The context that a session's symbols are in. Contexts know no underscore, ids no dollar. */
export function contextOf(id) {
  return `AgentToolsSession\`${id.replaceAll('_', '$')}\``;
}

/** The sessions that are kept in a folder, a file each, so that a kernel that starts anew takes them up. */
export class SavedSessions {
  #folder;
  #writer;

  /** @param {string} writer What no other server that writes sessions there calls itself. */
  constructor(folder, writer = `${process.pid}`) {
    this.#folder = folder;
    this.#writer = writer;
  }

  /** Makes the folder, for its owner only: what is in it is run when it is read. */
  async prepare() {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
  }

  /** The file of a session. Ids that differ in capital letters have different ones on every system. */
  file(id) {
    const name = /^[a-z0-9_]+$/.test(id)
      ? id
      : `${id}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
    return path.join(this.#folder, `${name}.mx`);
  }

  async has(id) {
    try {
      return (await stat(this.file(id))).isFile();
    } catch {
      return false;
    }
  }

  /** Where the kernel of a server writes a session, until {@link keep} makes it the one that counts. */
  draft(id) {
    return this.file(id).replace(/\.mx$/, `.${this.#writer}${draftEnd}`);
  }

  /** Makes what the kernel has written count. @returns whether there was anything */
  async keep(id) {
    try {
      await rename(this.draft(id), this.file(id));
      return true;
    } catch {
      return false;
    }
  }

  async dropDraft(id) {
    await rm(this.draft(id), { force: true }).catch(() => {});
  }

  /**
   * Removes what is too old, too many or too much; the newest stay, and `current` in any case.
   * @param {{ current: string, maxCount: number, maxBytes: number, maxAgeMs: number, now?: number }} limits
   */
  async tidy({ current, maxCount, maxBytes, maxAgeMs, now = Date.now() }) {
    const kept = this.file(current);
    const files = await this.#list();
    let count = 1;
    let bytes = files.find(({ file }) => file === kept)?.size ?? 0;
    for (const { file, size, time } of files) {
      if (file === kept) continue;
      const isDraft = file.endsWith(draftEnd);
      const isWanted = !isDraft && now - time <= maxAgeMs && count < maxCount && bytes + size <= maxBytes;
      if (isWanted) {
        count += 1;
        bytes += size;
        continue;
      }
      // Another server may be writing a draft right now.
      if (isDraft && now - time < draftMs) continue;
      await rm(file, { force: true }).catch(() => {});
    }
  }

  /** Newest first. */
  async #list() {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.mx')).map((name) => path.join(this.#folder, name));
    const found = await Promise.all(
      files.map(async (file) => {
        const facts = await stat(file).catch(() => undefined);
        return facts?.isFile() ? [{ file, size: facts.size, time: facts.mtimeMs }] : [];
      }),
    );
    return found.flat().sort((a, b) => b.time - a.time);
  }
}

/** Names of sessions hold no dot. */
const draftEnd = '.new.mx';

/** A draft that is older was left by a kernel that ended. */
const draftMs = 10 * 60_000;
