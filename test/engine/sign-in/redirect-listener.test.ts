import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listenForRedirect } from '../../../src/engine/sign-in/redirect-listener.js';

test.each(['//', 'http://', '/callback?state=%', '/callback?state=other', '/other?state=right'])(
  'goes on after a request for %s',
  async (target) => {
    const { redirectUri, received, finish } = await listenForRedirect('right', undefined);
    const socket = connect(Number(new URL(redirectUri).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[04] /);
    const page = fetch(`${redirectUri}?state=right&code=1`);
    expect((await received).get('code')).toBe('1');
    await finish(true);
    expect(await (await page).text()).toContain('You may close this page.');
  },
);
