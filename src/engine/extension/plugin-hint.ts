import path from 'node:path';
import { statFile } from '../base/files/disk.js';

/** Files that make a folder a plugin of a client, relative to it. */
export const pluginManifests = [
  '.claude-plugin/plugin.json',
  '.codex-plugin/plugin.json',
  '.cursor-plugin/plugin.json',
  'gemini-extension.json',
  'plugin.json',
  '.mcp.json',
] as const;

/** A sentence with the way to use the plugin of a client in a folder without package.json, after a space; else empty. */
export function pluginHint(folder: string): string {
  const manifest = pluginManifests.find((file) => statFile(path.join(folder, file)));
  return manifest === undefined
    ? ''
    : ` It is a plugin of a client (${manifest}). Write an extension with its servers and skills: agenttools create <new folder> --from ${folder}`;
}
