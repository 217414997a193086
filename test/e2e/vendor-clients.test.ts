import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHttp } from '../support/http-program.js';
import { programFile } from '../support/program.js';
import { areVendorsWanted, type Installed, installVendor, VendorClient } from '../support/vendor-clients.js';
import { type Seen, servers, type Vendor, vendors } from '../support/vendors.js';

type Key = keyof typeof servers;

/** What a client is to see: these servers, all well. */
const well = (vendor: Vendor, ...keys: readonly Key[]): Seen =>
  Object.fromEntries(keys.map((key) => [key, vendor.well]));

const rows = vendors.map((vendor) => [vendor.client, vendor] as const);

describe.skipIf(!areVendorsWanted).each(rows)("%s, by its vendor's own program", (_, vendor) => {
  let installed: Installed;

  beforeAll(async () => {
    installed = await installVendor(vendor);
  });

  afterAll(() => installed?.discard());

  /** A client that has a server already, in a file that is its own. */
  async function openWithGreeter(): Promise<VendorClient> {
    const client = await VendorClient.open(vendor, installed);
    await client.add('greeter', servers.greeter.path);
    return client;
  }

  /** Runs our program, which has to succeed. */
  async function agenttools(client: VendorClient, command: 'install' | 'uninstall'): Promise<void> {
    const { code, stderr } = await client.agenttools(command, vendor.client, servers.weather.path);
    expect(code, stderr).toBe(0);
  }

  test('sees what install wrote, and has its own bytes back', async () => {
    const client = await openWithGreeter();
    expect(await client.look()).toEqual(well(vendor, 'greeter'));
    const before = readFileSync(client.config, 'utf8');

    await agenttools(client, 'install');
    expect(await client.look()).toEqual(well(vendor, 'greeter', 'weather'));

    await agenttools(client, 'uninstall');
    expect(readFileSync(client.config, 'utf8')).toBe(before);
  });

  test('connects to existing servers, by a command and by a URL', async () => {
    const remote = await startHttp(servers.weather.path);
    const command = ['--', process.execPath, programFile, 'start', servers.workshop.path];
    const client = await VendorClient.open(vendor, installed);
    const before = await client.look();
    const install = async (...words: readonly string[]) => {
      const { code, stderr } = await client.agenttools('install', vendor.client, ...words);
      expect(code, stderr).toBe(0);
    };
    await install('--name', 'workshop', ...command);
    await install(remote.url, '--name', 'weather');
    expect(await client.look()).toMatchObject(well(vendor, 'workshop', 'weather'));
    for (const words of [command, [remote.url]])
      expect((await client.agenttools('uninstall', vendor.client, ...words)).code).toBe(0);
    expect(await client.look()).toEqual(before);
    expect(await remote.end()).toBe(0);
  });

  test('sees the servers of another client after sync, and has its own bytes back after undo', async () => {
    const client = await openWithGreeter();
    // Some programs change their file when they read it.
    await client.look();
    const before = existsSync(client.config) ? readFileSync(client.config, 'utf8') : undefined;
    const commands = [
      ['install', 'cursor', servers.weather.path, '--no-verify'],
      ['sync', '--from', 'cursor', '--to', vendor.client],
    ];
    for (const words of commands) {
      const { code, stderr } = await client.agenttools(...words);
      expect(code, stderr).toBe(0);
    }
    expect(await client.look()).toMatchObject(well(vendor, 'weather'));
    expect((await client.agenttools('undo')).code).toBe(0);
    expect(existsSync(client.config) ? readFileSync(client.config, 'utf8') : undefined).toBe(before);
  });

  if (!vendor.add) return;

  test("loses only the entry of install after the vendor's program has rewritten the file", async () => {
    const client = await openWithGreeter();
    await agenttools(client, 'install');
    await client.add('workshop', servers.workshop.path);

    await agenttools(client, 'uninstall');
    expect(await client.look()).toEqual(well(vendor, 'greeter', 'workshop'));
  });

  test('sees what install wrote where nothing was, and then there is nothing again', async () => {
    const client = await VendorClient.open(vendor, installed);
    await agenttools(client, 'install');
    await agenttools(client, 'uninstall');
    expect(existsSync(client.config)).toBe(false);

    await agenttools(client, 'install');
    expect(await client.look()).toEqual(well(vendor, 'weather'));
  });
});
