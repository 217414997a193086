import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';

export interface BrowserCandidates {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
}

/** Names on the PATH of browsers that can take screenshots. */
const browserCommands = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge',
];

/** Default installation paths of the systems that do not use the PATH. */
const places = {
  darwin: () => [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ({ env }: BrowserCandidates) =>
    [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((folder) =>
      folder === undefined
        ? []
        : [
            path.join(folder, 'Google/Chrome/Application/chrome.exe'),
            path.join(folder, 'Chromium/Application/chrome.exe'),
            path.join(folder, 'Microsoft/Edge/Application/msedge.exe'),
          ],
    ),
} as const satisfies Partial<Record<NodeJS.Platform, (place: BrowserCandidates) => readonly string[]>>;

/**
 * Finds a Chromium on this machine: `AGENTTOOLS_CHROMIUM`, else one on the PATH, else the system's default
 * path.
 * @throws AgentToolsError `not-found`
 */
export async function findChromium(place: BrowserCandidates): Promise<string> {
  const { env, platform, cwd } = place;
  const named = env.AGENTTOOLS_CHROMIUM;
  if (named) {
    const file = path.resolve(cwd, named);
    if (await isExecutable(file)) return file;
    throw new AgentToolsError(
      'not-found',
      `AGENTTOOLS_CHROMIUM names ${file}, which is not a program. ${installBrowserHint}`,
    );
  }
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter(Boolean);
  const ending = platform === 'win32' ? '.exe' : '';
  const onPath = browserCommands.flatMap((name) =>
    folders.map((folder) => path.resolve(cwd, folder, name + ending)),
  );
  const elsewhere = platform === 'darwin' || platform === 'win32' ? places[platform](place) : [];
  for (const file of [...onPath, ...elsewhere]) if (await isExecutable(file)) return file;
  throw new AgentToolsError('not-found', `No Chromium was found. ${installBrowserHint}`);
}

const installBrowserHint =
  'Install Chromium or Chrome, or set AGENTTOOLS_CHROMIUM to the program; without --screenshot, any browser works.';

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
