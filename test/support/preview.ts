import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { minified } from '../../.scripts/apps.mjs';
import { ownProgram } from '../../src/engine/base/folders.js';
import { type InitialViewArguments, openPreview, type Preview } from '../../src/engine/preview/preview.js';
import { bareEnvironment, programFile, root } from './program.js';
import { temporaryFolder, writeFiles } from './run-cli.js';

/** Markup that is to be shown as text. */
export const hostile = '<img src=x onerror="document.title=1">';

/** An app that shows what it is told and what it asks for. */
export const viewer = (heading = 'Forecast') => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Viewer</title>
<style>body { margin: 0; font: 16px sans-serif } main { display: flow-root; height: 240px }</style>
<main>
<h1>${heading}</h1>
<p id="theme"></p><p id="width"></p><p id="mode"></p><p id="tool"></p><p id="result"></p><p id="answer"></p>
<button id="call">Call</button><button id="hidden">Call hidden</button><button id="ask">Ask</button><button id="unlisted">Call unlisted</button>
</main>
<script>${minified('bridge.js')}</script>
<script>
const put = (id, text) => { document.getElementById(id).textContent = text; };
const textOf = ({ content }) => content.map(({ text }) => text).join(' ');
const app = connectApp({
  name: 'viewer',
  displayModes: ['inline', 'fullscreen'],
  onResult: (result) => put('result', textOf(result)),
  onTeardown: () => app.notify('notifications/message', { level: 'info', data: 'last words' }),
  onCancelled: (reason) => put('result', 'cancelled: ' + reason),
  onContext: ({ theme, displayMode, containerDimensions, toolInfo }) => {
    put('theme', 'theme ' + theme);
    put('mode', 'mode ' + displayMode);
    put('tool', 'tool ' + toolInfo?.tool.name);
    put('width', 'width ' + containerDimensions.width);
  },
});
const call = (name, args) =>
  app.callServerTool(name, args).then(textOf, ({ message }) => message).then((text) => put('answer', text));
document.getElementById('call').onclick = () => call('forecast', { place: 'Rome' });
document.getElementById('hidden').onclick = () => call('secret', {});
document.getElementById('unlisted').onclick = () => call('unlisted', {});
document.getElementById('ask').onclick = async () => {
  await app.openLink('https://a.example/');
  await app.sendMessage('${hostile}');
};
fetch('https://blocked.example/').catch(() => {});
</script>
</html>`;

/** An extension with that app, and one that never says a word. */
export const extension = {
  'package.json': {
    name: '@acme/weather',
    version: '1.2.0',
    type: 'module',
    agenttools: { tools: ['forecast', 'secret'], apps: ['viewer', 'mute'] },
  },
  'agenttools/tools/forecast.json': {
    description: hostile,
    input: { place: { type: 'string', required: true }, days: 'integer' },
    handler: './src/tools.js#forecast',
    ui: 'viewer',
  },
  'agenttools/tools/secret.json': {
    description: 'Is for the model alone',
    handler: './src/tools.js#secret',
    ui: { app: 'viewer', visibility: ['model'] },
  },
  'agenttools/apps/viewer.html': viewer(),
  'agenttools/apps/viewer.json': { csp: { connectDomains: ['https://*'] } },
  'agenttools/apps/mute.html': '<!doctype html><title>Mute</title>',
  'src/tools.js': `
    export const forecast = async ({ place, days = 1 }, { signal }) => {
      console.error('asked for ' + place);
      if (place === 'nowhere') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (signal.aborted) console.error('cancelled');
      return 'Rain in ' + place + ', ' + days;
    };
    export const secret = () => 'secret';
  `,
};

/** Gives each test of a file a folder with the extension in it, and closes the preview that the test opens. */
export function prepareExtension() {
  let directory: string;
  let preview: Preview | undefined;

  beforeEach(async () => {
    directory = await temporaryFolder();
    await writeFiles(directory, extension);
  });

  afterEach(async () => {
    await preview?.close();
    preview = undefined;
  });

  return {
    get directory() {
      return directory;
    },
    async open(asked?: InitialViewArguments, server?: string): Promise<Preview> {
      preview = await openPreviewOf(directory, asked, server);
      return preview;
    },
  };
}

/** Opens the preview of an extension in a folder, or of a server whose program is a file in it. */
async function openPreviewOf(
  directory: string,
  asked: InitialViewArguments = {},
  server?: string,
): Promise<Preview> {
  const { command, args } = ownProgram();
  const words = server === undefined ? [...args, 'start', directory] : [path.join(directory, server)];
  return await openPreview({
    reference: directory,
    child: { command, args: words, cwd: directory, env: bareEnvironment() },
    directory,
    pageFolder: path.join(root, 'dist/preview'),
    version: '1.0.0',
    port: 0,
    timeoutMs: 20_000,
    asked,
  });
}

/** Runs `agenttools preview` on a folder to its end. */
export async function runPreview(
  directory: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [programFile, 'preview', directory, ...words], {
    cwd: directory,
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, stdout, stderr };
}
