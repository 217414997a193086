import { type ExecFileException, execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { callOnce, signInAnywhere } from '../engine/sign-in/support.js';
import { programFile } from '../support/program.js';
import { startSignInServers } from '../support/sign-in-servers.mjs';

const run = promisify(execFile);

test('several programs at once renew a sign-in once', async () => {
  const servers = await startSignInServers();
  try {
    const home = mkdtempSync(path.join(tmpdir(), 'agenttools-login-'));
    await callOnce(servers.url, 'list_tickets', { dataFolder: home, signIn: signInAnywhere });
    servers.endAccessTokens();
    servers.requests.length = 0;
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      AGENTTOOLS_HOME: home,
      AGENTTOOLS_MCP_REGISTRY: 'none',
    };
    const call = async () =>
      await run(process.execPath, [programFile, 'call', servers.url, 'list_tickets'], {
        env,
        cwd: home,
      }).catch((error: ExecFileException) => error);
    const results = await Promise.all([call(), call(), call(), call()]);
    expect(results.map(({ stdout }) => stdout)).toEqual(results.map(() => 'two tickets\n'));
    expect(servers.requests.filter((one) => one === 'POST /token')).toHaveLength(1);
  } finally {
    await servers.close();
  }
});
