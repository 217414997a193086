import { expect, test } from 'vitest';
import { openSecretStore } from '../../../src/engine/secrets/secret-store.js';
import { SignInStore } from '../../../src/engine/sign-in/sign-in-record.js';
import { newDataFolder } from './support.js';

test('refuses a sign-in of a newer version, and does not replace it', async () => {
  const secrets = openSecretStore({ dataFolder: newDataFolder(), collection: 'sign-ins' });
  const server = 'https://mcp.example.com/mcp';
  const newer = JSON.stringify({ version: 2, tokens: [] });
  await secrets.set(server, newer);
  const store = new SignInStore(secrets);
  await expect(store.read(server)).rejects.toThrow('newer version of AgentTools. Update AgentTools.');
  await expect(store.update(server, async () => undefined)).rejects.toThrow('newer version');
  expect(await secrets.get(server)).toBe(newer);
});
