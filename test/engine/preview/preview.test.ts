import path from 'node:path';
import { expect, test } from 'vitest';
import { openPreview, type PreviewOptions } from '../../../src/engine/preview/preview.js';
import { temporaryFolder, writeFiles } from '../../support/run-cli.js';

/** A server that answers what `answers` has, and nothing else. */
async function options(answers: object, timeoutMs: number): Promise<PreviewOptions> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'server.mjs': `
      import { createInterface } from 'node:readline';
      const answers = ${JSON.stringify(answers)};
      console.error('is there');
      for await (const line of createInterface(process.stdin)) {
        const { id, method } = JSON.parse(line);
        if (method in answers) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
      }
    `,
  });
  return {
    reference: './plugin',
    child: { command: process.execPath, args: [path.join(folder, 'server.mjs')], cwd: folder, env: {} },
    pageFolder: folder,
    version: '1.0.0',
    port: 0,
    timeoutMs,
    asked: {},
  };
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, resources: {} },
  serverInfo: { name: 'other', version: '1' },
};

test('a server that does not list its tools is not waited for', async () => {
  await expect(openPreview(await options({ initialize }, 1000))).rejects.toThrow(
    /The server does not answer: .*\n {2}is there/s,
  );
});

test('a server that does not speak at all is given up by a signal', async () => {
  const controller = new AbortController();
  const opening = openPreview({
    ...(await options({}, 60_000)),
    signal: controller.signal,
    onText: () => controller.abort(),
  });
  await expect(opening).rejects.toThrow('The server does not answer');
});

test('reports a server without apps', async () => {
  const answers = { initialize, 'tools/list': { tools: [] }, 'resources/list': { resources: [] } };
  await expect(openPreview(await options(answers, 20_000))).rejects.toThrow(
    'The server has no apps to show.',
  );
});
