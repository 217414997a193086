import { createHash } from 'node:crypto';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { AgentToolsError } from '../base/errors.js';
import { maxDocumentBytes } from '../base/files/document.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { type Archive, openArchive } from './archive.js';
import { readBundleFile } from './bundle-file.js';
import { manifestName } from './bundle-manifest.js';
import { type BundleMachine, readBundleServer } from './bundle-server.js';
import { type DownloadDeps, downloadBundle } from './download.js';
import { parseLocated } from './locate.js';
import { bundlesFolder } from './unused-bundles.js';

/** A bundle as references and registry entries name it. */
export interface BundleRequest {
  /** Path or https URL. */
  readonly place: string;
  readonly isRemote: boolean;
  /** Expected SHA-256 of the file; undefined: any. */
  readonly sha256?: string | undefined;
}

export interface BundleDeps extends DownloadDeps {
  readonly machine: BundleMachine;
  readonly cwd: string;
  /** Data folder that holds the unpacked bundles. */
  readonly dataFolder: string;
}

/**
 * Reads a bundle as an existing server. Downloads a remote one into the cache, and unpacks nothing.
 * @throws AgentToolsError if the bundle cannot be used
 */
export async function readBundle(request: BundleRequest, deps: BundleDeps): Promise<ExistingServer> {
  const { place, isRemote } = request;
  const expected = request.sha256?.toLowerCase();
  const file = isRemote ? await downloadBundle(place, expected, deps) : resolvePath(place, deps);
  const bytes = await readBundleFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  requireHash(place, sha256, expected);
  const label = path.basename(isRemote ? new URL(place).pathname : place);
  const archive = await openArchive(bytes, label);
  const document = await parseLocated(await readManifestText(archive, label), `${label}/${manifestName}`);
  const all = bundlesFolder(deps.dataFolder);
  const { server, folder, executables } = await readBundleServer(
    document,
    {
      label,
      reference: isRemote ? place : `mcpb:${file}`,
      folderFor: (name) => path.join(all, folderName(name, sha256)),
      hasFile: (one) => archive.files.has(one),
    },
    deps.machine,
  );
  const notes = [
    ...server.notes,
    ...(archive.isSigned ? [`The signature of ${label} is not verified.`] : []),
    ...(isRemote && expected === undefined
      ? [`${label} has the SHA-256 ${sha256}. To accept only this file, pass: --sha256 ${sha256}`]
      : []),
  ];
  return { ...server, notes, content: { file, sha256, folder, executables } };
}

/** Absolute path of a file in a reference. */
export function resolvePath(place: string, { cwd, machine }: Pick<BundleDeps, 'cwd' | 'machine'>): string {
  const [, rest] = /^~(?:[\\/](.*))?$/s.exec(place) ?? [];
  return place.startsWith('~') && (rest !== undefined || place === '~')
    ? path.join(machine.home, rest ?? '')
    : path.resolve(cwd, place);
}

/** @throws AgentToolsError if the hash is malformed or differs */
function requireHash(place: string, sha256: string, expected: string | undefined): void {
  if (expected === undefined || expected === sha256) return;
  if (!/^[0-9a-f]{64}$/.test(expected))
    throw new AgentToolsError('usage', `"${expected}" is not a SHA-256. Expected 64 hexadecimal digits.`);
  const message = `${place} is not the expected file: its SHA-256 is ${sha256}, and ${expected} is expected. Nothing was unpacked.`;
  throw new AgentToolsError('refused', message);
}

/** Name for people, and enough digits of the hash that no other content has the same ones. */
function folderName(name: string, sha256: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return `${slug === '' ? 'bundle' : slug}-${sha256.slice(0, 32)}`;
}

async function readManifestText({ files }: Archive, label: string): Promise<string> {
  const manifest = files.get(manifestName);
  if (!manifest) {
    const nested = [...files.keys()].find((file) => file.endsWith(`/${manifestName}`));
    const hint = nested === undefined ? '' : ` It has ${nested}: pack the content of that folder.`;
    throw new AgentToolsError('refused', `${label} has no ${manifestName}, so it is not a bundle.${hint}`);
  }
  if (manifest.size > maxDocumentBytes)
    throw new AgentToolsError(
      'refused',
      `The ${manifestName} of ${label} is larger than ${maxDocumentBytes / 1024 ** 2} MB.`,
    );
  try {
    return await readText(await manifest.open());
  } catch (cause) {
    const message = `The ${manifestName} of ${label} is damaged. Get the file again.`;
    throw new AgentToolsError('refused', message, { cause });
  }
}
