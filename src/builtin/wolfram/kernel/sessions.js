import { createHash, randomInt } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const letterOrDigit = `${letters}0123456789`;

/** Reports if a text is a valid session id. */
export function isSessionId(id) {
  return /^[A-Za-z]\w{0,63}$/.test(id);
}

/** A random session id. */
export function newSessionId() {
  const from = (characters) => characters[randomInt(characters.length)];
  return from(letters) + Array.from({ length: 7 }, () => from(letterOrDigit)).join('');
}

/** The context of a session's symbols. Contexts cannot contain underscores, ids cannot contain dollar signs. */
export function contextOf(id) {
  return `AgentToolsSession\`${id.replaceAll('_', '$')}\``;
}

/** Sessions stored in a folder, one file each, so that a restarted kernel can load them. */
export class SavedSessions {
  #folder;
  #writer;

  /** @param {string} writer Unique name of this server among the servers that write sessions there. */
  constructor(folder, writer = `${process.pid}`) {
    this.#folder = folder;
    this.#writer = writer;
  }

  /** Creates the folder for its owner only, because its files are run when they are loaded. */
  async prepare() {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
  }

  /** The file of a session. Ids that differ in case only have different files on every platform. */
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

  /** The file that the kernel of a server writes, until {@link keep} makes it current. */
  draft(id) {
    return this.file(id).replace(/\.mx$/, `.${this.#writer}${draftEnd}`);
  }

  /** Makes the kernel's draft current. @returns true if there was a draft */
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
   * Removes sessions above the limits of age, number and size. Keeps the newest ones and `current`.
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
      // Another server can be writing a draft.
      if (isDraft && now - time < draftMs) continue;
      await rm(file, { force: true }).catch(() => {});
    }
  }

  /** Stored sessions, newest first. */
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

/** Session names contain no dot. */
const draftEnd = '.new.mx';

/** Older drafts come from a kernel that ended. */
const draftMs = 10 * 60_000;
