import { describe, expect, test } from 'vitest';
import { judgeResult } from '../../src/engine/compatibility/result-checks.js';
import { runCli } from '../support/run-cli.js';

const fixtures = new URL('../../fixtures/extensions/compat/', import.meta.url);
const call = async (name: string, ...more: string[]) =>
  await runCli(['call', new URL(name, fixtures).pathname, 'find', ...more]);

describe('call reports on stderr', () => {
  test.each([
    [
      'result-size',
      'warning compat/result-size: The result has 48,000 characters. Codex cuts the middle out of the result (limit: 40,000 characters); ',
    ],
    [
      'structured-only',
      'error compat/structured-only: The result has structured content and no text. Crush and Zed show an empty result without text. ',
    ],
    [
      'image-content',
      'info compat/image-content: The result has only content of the type "image". Zed drops images and sounds. ',
    ],
  ])('compat/%s, and succeeds', async (name, line) => {
    const { code, stderr, stdout } = await call(name, '--json');
    expect(code).toBe(0);
    expect(stderr).toContain(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toHaveProperty('content');
  });

  test('nothing about a short text', async () => {
    expect((await call('slow-tool')).stderr).toBe('');
  });
});

describe('a result', () => {
  const codes = (result: object) => judgeResult(result).map(({ code }) => code);
  const text = (length: number) => ({ content: [{ type: 'text', text: 'x'.repeat(length) }] });
  const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };

  test('fits with 40,000 characters', () => {
    expect(codes(text(40_000))).toEqual([]);
    expect(codes(text(40_001))).toEqual(['compat/result-size']);
  });

  test('counts its longer form', () => {
    const structuredContent = { list: 'y'.repeat(40_000) };
    expect(codes({ ...text(10), structuredContent })).toEqual(['compat/result-size']);
  });

  test('counts the data of images for clients that do', () => {
    const [fault, ...others] = judgeResult({
      content: [
        { ...image, data: 'A'.repeat(1_000_000) },
        { type: 'text', text: 'A picture.' },
      ],
    });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      code: 'compat/result-size',
      message: expect.stringMatching(
        /^The result has 1,000,010 characters, with the data of images and sounds\. Claude Desktop shows an error/,
      ),
    });
  });

  test('fits with a text beside an image or structured content', () => {
    const { content } = text(3);
    expect(codes({ content: [image, ...content] })).toEqual([]);
    expect(codes({ content, structuredContent: { a: 1 } })).toEqual([]);
  });

  test('fits without content', () => {
    expect(codes({ content: [] })).toEqual([]);
  });
});
