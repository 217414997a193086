import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite } from '../base/file-fault.js';
import { statFile } from '../base/files/disk.js';
import { temporaryFile } from '../base/files/temporary.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import { archiveLimits } from './archive.js';

export interface DownloadDeps {
  /** Source of proxies and certificates: the settings of the user's npm. */
  readonly npm: NpmDeps;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
  /** Receives progress messages. */
  readonly tell?: (text: string) => void;
}

/** Longest wait for data, in milliseconds. */
const timeoutMs = 30_000;

/**
 * Downloads a bundle into the cache, unless it holds the expected file. Returns the path.
 * @throws AgentToolsError if the download fails
 */
export async function downloadBundle(
  url: string,
  expected: string | undefined,
  deps: DownloadDeps,
): Promise<string> {
  const folder = path.join(deps.cacheFolder, 'bundles');
  const fileFor = (sha256: string): string => path.join(folder, `${sha256}.mcpb`);
  const isHash = expected !== undefined && /^[0-9a-f]{64}$/.test(expected);
  if (isHash && statFile(fileFor(expected))?.isFile()) return fileFor(expected);
  deps.tell?.(`Downloading ${path.basename(new URL(url).pathname)}`);
  const bytes = await download(url, archiveLimits.fileBytes, deps);
  const file = fileFor(createHash('sha256').update(bytes).digest('hex'));
  await guardWrite(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = temporaryFile(folder);
    try {
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  });
  return file;
}

/** Downloads a file. @throws AgentToolsError `failed` with the reason */
export async function download(
  url: string,
  maxBytes: number,
  { npm, signal }: Pick<DownloadDeps, 'npm' | 'signal'>,
): Promise<Buffer> {
  const [{ readNpmSettings }, { getFile, RegistryError }] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
  ]);
  try {
    return await getFile(url, { settings: await readNpmSettings(npm), maxBytes, timeoutMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RegistryError)) throw error;
    const reason = error.message.replace(/\.$/, '');
    throw new AgentToolsError('failed', `${url} was not downloaded: ${reason}.`, { cause: error });
  }
}
