import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRequirements } from '../../src/engine/installation/requirements.js';
import { LiveServer } from '../../src/engine/live/live-server.js';
import { composeServer } from '../../src/engine/runtime/compose-server.js';
import { parseToolOptions } from '../../src/engine/runtime/tool-options.js';
import { openWorkspace } from '../support/packages.js';
import { fixture, root } from '../support/program.js';
import { openSession, type Session } from '../support/session.js';

const builtinFolder = path.join(root, 'src/builtin');
const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

/** A client of the stand-ins, which lend their apps and two of their tools from the bundled extension. */
async function open(capabilities: object = ui): Promise<Session> {
  const workspace = openWorkspace({ builtinFolder });
  const spec = await composeServer(await workspace.findServer(fixture('wolfram-stand-ins')), workspace);
  const report = () => {};
  const live = new LiveServer({ server: spec, env: {}, report });
  const served = { live, toolOptions: parseToolOptions(undefined, report) };
  return await openSession({ served }, { capabilities });
}

async function call(name: string, args: object): Promise<{ content: { text: string }[]; isError?: boolean }> {
  const { request } = await open();
  return await request('tools/call', { name, arguments: args });
}

const apps: Record<string, string> = {
  MCPAppsTest: 'mcp-apps-test',
  NotebookViewer: 'notebook-viewer',
  WolframLanguageEvaluator: 'evaluator-viewer',
  WolframAlpha: 'wolframalpha-viewer',
};

describe('missing requirements in the output of install', () => {
  const everything = { WOLFRAM_API_KEY: 'K1', WOLFRAM_ALPHA_APPID: 'A1' };

  const warningsFor = async (name: string, entryEnv: Readonly<Record<string, string>>) => {
    const workspace = openWorkspace({ builtinFolder });
    const spec = await composeServer(await workspace.findServer(name), workspace);
    const facts = { capabilities: {}, entryEnv, env: { PATH: '' } };
    const { missing, warnings } = await checkRequirements(spec, facts);
    expect(missing).toEqual([]);
    return warnings.join('\n');
  };

  test.each(['Wolfram', 'WolframLanguage'])('%s evaluates in the cloud with a key', async (name) => {
    expect(await warningsFor(name, everything)).not.toContain('"WolframLanguageEvaluator"');
  });

  test.each([{}, everything])('warns which tool needs a kernel, with %j', async (entryEnv) => {
    expect(await warningsFor('Wolfram', entryEnv)).toMatch(
      /"WolframLanguageContext" needs one of the programs "wolframscript", "WolframKernel" or "wolfram"/,
    );
  });
});

describe('the viewers', () => {
  test.each(Object.entries(apps))('%s has %s', async (name, app) => {
    const { request } = await open();
    const { tools } = await request('tools/list');
    const tool = tools.find((one: { name: string }) => one.name === name);
    const uri = `ui://wolfram/${app}`;
    expect(tool._meta.ui.resourceUri).toBe(uri);
    const { contents } = await request('resources/read', { uri });
    expect(contents[0]).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
    expect(contents[0].text).toMatch(/^<!doctype html>/);
    expect(contents[0]._meta.ui.prefersBorder).toBe(true);
  });

  test('is absent for a client that does not show UI', async () => {
    const { request } = await open({});
    const { tools } = await request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(Object.keys(apps).sort());
    expect(JSON.stringify(tools)).not.toContain('ui://');
  });
});

describe('MCPAppsTest', () => {
  test('sends the message back with the time and who answers', async () => {
    const before = Date.now();
    const { content } = await call('MCPAppsTest', { message: '<é>' });
    expect(content).toHaveLength(1);
    const { echo, timestamp, server } = JSON.parse(content[0]!.text);
    expect(echo).toBe('<é>');
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
    expect(server).toEqual({
      name: expect.any(String),
      version: expect.any(String),
      node: process.versions.node,
    });
  });
});

describe('NotebookViewer', () => {
  const url = 'https://www.wolframcloud.com/obj/one';

  test.each<[args: object, said: object]>([
    [{ url }, { url, allowInteract: true }],
    [
      { url, allowInteract: false },
      { url, allowInteract: false },
    ],
    [
      { url, maxHeight: 300 },
      { url, allowInteract: true, maxHeight: 300 },
    ],
    [
      { url, maxHeight: 0 },
      { url, allowInteract: true },
    ],
    [
      { url, maxHeight: -1 },
      { url, allowInteract: true },
    ],
  ])('%j', async (args, said) => {
    const { content, isError } = await call('NotebookViewer', args);
    expect(isError).toBeUndefined();
    expect(content.map(({ text }) => JSON.parse(text))).toEqual([said]);
  });

  test.each(['', 'Notebook[{}]', 'javascript:alert(1)', 'http://www.wolframcloud.com/obj/one'])(
    'refuses %j',
    async (address) => {
      const { content, isError } = await call('NotebookViewer', { url: address });
      expect(isError).toBe(true);
      expect(content[0]!.text).toBe(
        `"${address}" is not the address of a notebook. Expected one like https://www.wolframcloud.com/obj/….`,
      );
    },
  );
});
