import { expect, test } from 'vitest';
import type { ClientInputScope } from '../../../src/engine/interaction/input-scope.js';
import { readState, writeState } from '../../../src/engine/interaction/replay-state.js';
import type { RequestIdentity } from '../../../src/engine/live/connection.js';

const subject: RequestIdentity = { method: 'tools/call', name: 't', args: { a: 1 } };
const remembered = { answers: { e1: { action: 'decline' } }, steps: { s: '1' }, asked: ['e2'] };

/** What a state is bound to, of a dialogue with a user of an HTTP server. */
function dialogueOf(auth: object | undefined, server = 'kit'): ClientInputScope {
  const calls = { env: {}, report: () => {}, server: { info: { name: server } } };
  return { connection: { calls }, request: { auth }, subject } as never;
}

const ada = { clientId: 'app', extra: { sub: 'ada' } };

test('a state comes back as it was', async () => {
  expect(await readState(dialogueOf(ada), await writeState(dialogueOf(ada), remembered))).toEqual(remembered);
});

test('its form does not reveal the owner', async () => {
  const [, body = ''] = (await writeState(dialogueOf(ada), remembered)).split('.');
  expect(Buffer.from(body, 'base64url').toString()).not.toContain('ada');
});

test.each<[string, ClientInputScope]>([
  ['another user', dialogueOf({ clientId: 'app', extra: { sub: 'eve' } })],
  ['another application', dialogueOf({ clientId: 'other', extra: { sub: 'ada' } })],
  ['nobody in particular', dialogueOf(undefined)],
  ['another server', dialogueOf(ada, 'other')],
])('it is refused from %s', async (_who, other) => {
  const state = await writeState(dialogueOf(ada), remembered);
  await expect(readState(other, state)).rejects.toMatchObject({ code: -32602 });
});
