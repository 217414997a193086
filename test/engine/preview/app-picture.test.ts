import { access, chmod } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type PictureOptions, takePicture } from '../../../src/engine/preview/app-picture.js';
import { temporaryFolder, writeFiles } from '../../support/run-cli.js';

const uri = 'ui://acme/weather/viewer';
const answers = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'other', version: '1' },
  },
  'tools/list': { tools: [] },
  'resources/list': { resources: [{ uri, name: 'viewer', mimeType: 'text/html;profile=mcp-app' }] },
};

/** A picture of an app by a program that takes the place of a browser. */
async function options(browser: string, signal: AbortSignal): Promise<PictureOptions> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'package.json': { type: 'module' },
    'frame.html': '',
    'index.html': '',
    'page.js': '',
    'page.css': '',
    'server.js': `
      import { createInterface } from 'node:readline';
      const answers = ${JSON.stringify(answers)};
      for await (const line of createInterface(process.stdin)) {
        const { id, method } = JSON.parse(line);
        if (method in answers) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
      }
    `,
    'browser.js': `#!${process.execPath}
      import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';
      const [commands, answers] = [createReadStream(null, { fd: 3 }), createWriteStream(null, { fd: 4 })];
      const answer = (id) => answers.write(JSON.stringify({ id, result: {} }) + '\\0');
      commands.setEncoding('utf8').on('data', (text) => {
        for (const { id, method } of text.split('\\0').filter(Boolean).map((one) => JSON.parse(one))) {
          ${browser}
        }
      });
    `,
  });
  await chmod(path.join(folder, 'browser.js'), 0o755);
  return {
    reference: './plugin',
    child: { command: process.execPath, args: [path.join(folder, 'server.js')], cwd: folder, env: {} },
    pageFolder: folder,
    version: '1.0.0',
    timeoutMs: 20_000,
    asked: {},
    place: {
      env: { AGENTTOOLS_CHROMIUM: path.join(folder, 'browser.js') },
      platform: process.platform,
      cwd: folder,
    },
    signal,
  };
}

test('reports a browser that ends before the app shows anything', async () => {
  const browser = `answer(id); if (method === 'Page.navigate') process.kill(process.pid, 'SIGKILL');`;
  const taking = takePicture(await options(browser, new AbortController().signal));
  await expect(taking).rejects.toThrow(/The browser .* failed: it ended/);
});

test('a browser that does not answer is killed by a signal', async () => {
  const controller = new AbortController();
  const asked = await options(`writeFileSync(new URL('asked', import.meta.url), '');`, controller.signal);
  const taking = takePicture(asked);
  await vi.waitFor(() => access(path.join(asked.place.cwd, 'asked')), 10_000);
  controller.abort();
  await expect(taking).rejects.toThrow('No screenshot was taken: a signal ended the program.');
});
