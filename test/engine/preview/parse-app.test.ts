import { describe, expect, test } from 'vitest';
import { parseAppContents } from '../../../src/engine/preview/parse-app.js';

const uri = 'ui://acme/weather/viewer';
const mimeType = 'text/html;profile=mcp-app';

test('text and blob are the same page', () => {
  const blob = Buffer.from('<p>ä</p>').toString('base64');
  for (const content of [{ text: '<p>ä</p>' }, { blob }]) {
    expect(parseAppContents(uri, { contents: [{ uri, mimeType, ...content }] }).html).toBe('<p>ä</p>');
  }
});

test('takes the metadata of the content and ignores invalid permissions', () => {
  const ui = {
    csp: { connectDomains: ['https://a.example'] },
    permissions: { camera: {}, clipboardWrite: {}, microphone: true, usb: {} },
    prefersBorder: false,
  };
  const app = parseAppContents(uri, { contents: [{ uri, mimeType, text: '', _meta: { ui } }] });
  expect(app.policy).toContain('connect-src https://a.example');
  expect(app.permissions).toEqual({ camera: {}, clipboardWrite: {} });
  expect(app.prefersBorder).toBe(false);
});

describe('is no app', () => {
  test.each([
    ['nothing', { contents: [] }, /no contents with the URI/],
    ['another one', { contents: [{ uri: 'ui://x/y', mimeType, text: '' }] }, /no contents with the URI/],
    [
      'another MIME type',
      { contents: [{ uri, mimeType: 'text/html', text: '' }] },
      /MIME type text\/html\. Expected/,
    ],
    ['empty contents', { contents: [{ uri, mimeType }] }, /neither text nor blob/],
  ])('%s', (_, result, message) => expect(() => parseAppContents(uri, result)).toThrow(message));
});
