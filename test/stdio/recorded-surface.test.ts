import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { HostClient } from '../../src/engine/host/host-client.js';
import { addFiles, writeFolder, writePackage } from '../support/packages.js';
import { openProgram, type Program, type ProgramOptions } from '../support/program.js';

const toolFile = 'agenttools/tools/say.js';

interface Extension {
  readonly folder: string;
  /** Holds a line for each time the module was loaded. */
  readonly log: string;
}

/** An extension whose tool has a description that `expression` gives. */
function writeExtension(expression: string, manifest: object = { tools: ['say'] }, files = {}): Extension {
  const log = path.join(writeFolder(), 'loads.txt');
  const folder = writePackage(manifest, { [toolFile]: codeOf(expression, log), ...files });
  return { folder, log };
}

const codeOf = (expression: string, log: string) => `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(log)}, 'loaded\\n');
export default { description: ${expression}, handler: () => 'said' };`;

const loads = ({ log }: Extension) =>
  existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0;

/** The processes below the program; none are seen where there is no procfs. */
function childrenOf({ child: { pid } }: Program): readonly string[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean) : [];
}

async function descriptionIn(program: Program): Promise<string> {
  const { tools } = await program.request('tools/list');
  return tools[0].description;
}

/** Starts and ends the program; gives the listed description. */
async function describedBy({ folder }: Extension, options: ProgramOptions = {}): Promise<string> {
  const program = await openProgram(folder, options);
  const description = await descriptionIn(program);
  expect(await program.end()).toEqual({ code: 0, signal: null });
  return description;
}

describe.concurrent('a server whose definitions are code', () => {
  test('lists them without a host at the second start', async () => {
    const extension = writeExtension(`'One.'`);
    expect(await describedBy(extension)).toBe('One.');
    expect(loads(extension)).toBe(1);

    const program = await openProgram(extension.folder);
    expect(await descriptionIn(program)).toBe('One.');
    expect(childrenOf(program)).toEqual([]);
    expect(loads(extension)).toBe(1);
    expect(await program.textOf('say')).toBe('said');
    expect(loads(extension)).toBe(2);
    await program.end();
  });

  test('starts a host after a file has changed', async () => {
    const extension = writeExtension(`'One.'`);
    await describedBy(extension);
    addFiles(extension.folder, { [toolFile]: codeOf(`'Two.'`, extension.log) });
    expect(await describedBy(extension)).toBe('Two.');
    expect(await describedBy(extension)).toBe('Two.');
    expect(loads(extension)).toBe(2);
  });

  test('starts a host after a variable has changed that they read', async () => {
    const extension = writeExtension(`process.env.SAY ?? 'Nothing.'`);
    expect(await describedBy(extension)).toBe('Nothing.');
    expect(await describedBy(extension, { env: { OTHER: 'x' } })).toBe('Nothing.');
    expect(loads(extension)).toBe(1);
    expect(await describedBy(extension, { env: { SAY: 'Much.' } })).toBe('Much.');
  });

  test('builds its lists again after a call if a record is out of date', async () => {
    const outside = path.join(writeFolder({ 'text.txt': 'Old.' }), 'text.txt');
    const text = `readFileSync(${JSON.stringify(outside)}, 'utf8')`;
    const live = `import { readFileSync } from 'node:fs';
export default { uriTemplate: 'test://{name}', description: ${text}, list: () => [], read: () => 'text' };`;
    const extension = writeExtension(
      text,
      { tools: ['say'], resources: ['live'] },
      { 'agenttools/resources/live.js': live },
    );
    await describedBy(extension);
    writeFileSync(outside, 'New.');

    const program = await openProgram(extension.folder);
    expect(await descriptionIn(program)).toBe('Old.');
    await program.call('say');
    await program.said(
      /Recorded definitions were out of date: (agenttools\/(tools\/say|resources\/live)\.js(, )?){2}\./,
    );
    // Clients are promised news of resources that code lists.
    const method = 'notifications/resources/list_changed';
    await program.take((message) => message.method === method, method);
    expect(await descriptionIn(program)).toBe('New.');
    const { resourceTemplates } = await program.request('resources/templates/list');
    expect(resourceTemplates).toMatchObject([{ description: 'New.' }]);
    await program.end();
    expect(await describedBy(extension)).toBe('New.');
  });

  test('drops the record of a module that a call can no longer load', async () => {
    const outside = path.join(writeFolder({ 'text.txt': 'Text.' }), 'text.txt');
    const extension = writeExtension(
      `readFileSync(${JSON.stringify(outside)}, 'utf8')`,
      {
        tools: ['say', 'other'],
      },
      { 'agenttools/tools/other.js': `export default { description: 'Other.', handler: () => 'other' };` },
    );
    await describedBy(extension);
    rmSync(outside);

    const program = await openProgram(extension.folder);
    expect(await descriptionIn(program)).toBe('Text.');
    expect(await program.textOf('other')).toBe('other');
    await program.said('Recorded definitions were out of date: agenttools/tools/say.js.');
    expect(program.stderr).toContain('left out: @acme/kit/say');
    expect(await descriptionIn(program)).toBe('Other.');
    await program.end();
  });
});

/** The front's side of hosts, with records below `home`. */
function openClient(home: string, { isFrozen = false, onSurfaceChanged = async () => {} } = {}): HostClient {
  const { platform, stderr } = process;
  const hosted = {
    server: undefined,
    project: false,
    cwd: home,
    env: {},
    home,
    platform,
    ...(isFrozen && { frozen: 'item' as const }),
  };
  const none = () => {};
  return new HostClient({
    hosted,
    live: () => undefined,
    stderr,
    report: none,
    announce: none,
    onSurfaceChanged,
  });
}

test('a module that took too long once is loaded again by the next start', async () => {
  const extension = writeExtension(`'One.'`);
  const file = path.join(extension.folder, toolFile);
  const home = writeFolder();
  const first = openClient(home);
  await first.loadCode(file, toolFile);
  await first.close();
  const [record] = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /surfaces.*\.json$/.test(name),
  );
  const recordFile = path.join(home, record!);
  const recorded = JSON.parse(readFileSync(recordFile, 'utf8'));
  recorded.modules[toolFile] = { failure: 'it was slow', isFatal: true, isTimeout: true, at: Date.now() };
  writeFileSync(recordFile, JSON.stringify(recorded));

  let isChanged = false;
  const onSurfaceChanged = async () => {
    isChanged = true;
  };
  const next = openClient(home, { onSurfaceChanged });
  await expect(next.loadCode(file, toolFile)).rejects.toThrow('it was slow');
  await expect.poll(() => isChanged).toBe(true);
  await expect(next.loadCode(file, toolFile)).resolves.toBeDefined();
  await next.close();
});

describe('a host of a frozen server', () => {
  test('describes modules that are recorded', async () => {
    const extension = writeExtension(`'One.'`);
    const home = writeFolder();
    const load = async (isFrozen: boolean) => {
      const client = openClient(home, { isFrozen });
      await client.loadCode(path.join(extension.folder, toolFile), toolFile);
      await client.close();
      return loads(extension);
    };
    expect(await load(false)).toBe(1);
    expect(await load(false)).toBe(1);
    expect(await load(true)).toBe(2);
  });
});
