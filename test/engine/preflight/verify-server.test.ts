import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { desktopEnvironment, verifyServer } from '../../../src/engine/preflight/verify-server.js';
import { writeFolder } from '../../support/packages.js';

const signal = new AbortController().signal;

it.each([
  ['does not answer', ''],
  ['answers something else', 'process.stdin.once("data", () => console.log("hello"));'],
])('a server that %s is not given time to end', async (_, code) => {
  const folder = writeFolder({
    'server.cjs': `${code}
      process.stdin.resume().on('end', () => setTimeout(() => require('fs').writeFileSync('ended', ''), 700));`,
  });
  const server = { command: process.execPath, args: ['server.cjs'], cwd: folder, env: process.env };
  await expect(verifyServer(server, { timeoutMs: 500, signal })).rejects.toThrow(/did not answer/);
  expect(existsSync(path.join(folder, 'ended'))).toBe(false);
});

it('has the variables of a desktop, such as the bus of its keychain, and none of a shell', () => {
  const bus = { HOME: '/home/ada', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus' };
  const env = { ...bus, HTTPS_PROXY: 'http://proxy', PATH: '/home/ada/bin' };
  const options = { platform: 'linux', command: '/usr/bin/node' } as const;
  expect(desktopEnvironment(env, options)).toEqual({
    ...bus,
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  });
});
