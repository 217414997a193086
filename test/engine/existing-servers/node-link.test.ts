import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { linkNode, linkScript, renewLinks } from '../../../src/engine/existing-servers/node-link.js';
import { writeFolder } from '../../support/packages.js';

describe('the link to Node', () => {
  test('points at the running Node after each update', async () => {
    const dataFolder = writeFolder();
    const link = path.join(dataFolder, 'bin/node');
    for (const execPath of ['/opt/node-22/bin/node', '/opt/node-24/bin/node', '/opt/node-24/bin/node']) {
      expect(await linkNode({ dataFolder, execPath, platform: 'linux' })).toBe(link);
      expect(readlinkSync(link)).toBe(execPath);
    }
    expect(readdirSync(path.dirname(link))).toEqual(['node']);
  });

  test('is complete after several runs at the same time', async () => {
    const dataFolder = writeFolder();
    const facts = { dataFolder, execPath: process.execPath, platform: 'darwin' } as const;
    const links = await Promise.all(Array.from({ length: 8 }, async () => await linkNode(facts)));
    expect(new Set(links)).toEqual(new Set([path.join(dataFolder, 'bin/node')]));
    expect(readdirSync(path.join(dataFolder, 'bin'))).toEqual(['node']);
  });

  test('replaces one without a target', async () => {
    const dataFolder = writeFolder();
    mkdirSync(path.join(dataFolder, 'bin'));
    symlinkSync('/gone/node', path.join(dataFolder, 'bin/node'));
    const link = await linkNode({ dataFolder, execPath: process.execPath, platform: 'linux' });
    expect(readlinkSync(link)).toBe(process.execPath);
  });

  test('is not used on Windows', async () => {
    const dataFolder = writeFolder();
    const execPath = 'C:\\nodejs\\node.exe';
    expect(await linkNode({ dataFolder, execPath, platform: 'win32' })).toBe(execPath);
    expect(readdirSync(dataFolder)).toEqual([]);
  });

  test('reports a data folder that cannot be written', async () => {
    const dataFolder = path.join(writeFolder({ file: '' }), 'file');
    const facts = { dataFolder, execPath: '/opt/node', platform: 'linux' } as const;
    await expect(linkNode(facts)).rejects.toMatchObject({ name: 'AgentToolsError', code: 'refused' });
  });
});

describe('the link to AgentTools', () => {
  const facts = (dataFolder: string, script: string) =>
    ({ dataFolder, script, execPath: process.execPath, platform: 'linux' }) as const;
  const script = 'lib/node_modules/agenttools/bin/agenttools.js';

  test('is a script of Windows itself, since links need a privilege there', async () => {
    const dataFolder = writeFolder();
    const installed = { ...facts(dataFolder, 'C:\\npm\\agenttools.js'), platform: 'win32' } as const;
    expect(await linkScript(installed)).toBe('C:\\npm\\agenttools.js');
    expect(readdirSync(dataFolder)).toEqual([]);
  });

  test('follows AgentTools to another folder of global packages', async () => {
    const place = writeFolder({ [`a/${script}`]: '', [`b/${script}`]: '' });
    const link = await linkScript(facts(place, path.join(place, 'a', script)));
    await renewLinks(facts(place, path.join(place, 'b', script)));
    expect(readlinkSync(link)).toBe(path.join(place, 'b', script));
  });

  test.each([
    '_npx/5f2/node_modules/agenttools/bin/agenttools.js',
    'app/node_modules/agenttools/bin/agenttools.js',
  ])('points at %s only if its own script is missing', async (passing) => {
    const place = writeFolder({ [`a/${script}`]: '', [passing]: '' });
    const link = await linkScript(facts(place, path.join(place, 'a', script)));
    await renewLinks(facts(place, path.join(place, passing)));
    expect(readlinkSync(link)).toBe(path.join(place, 'a', script));
    rmSync(path.join(place, 'a'), { recursive: true });
    await renewLinks(facts(place, path.join(place, passing)));
    expect(readlinkSync(link)).toBe(path.join(place, passing));
  });
});
