import { expect, it } from 'vitest';
import { adaptResult } from '../../../src/engine/adaptation/adapt-result.js';
import { adaptationTarget } from '../../../src/engine/adaptation/adaptation-target.js';
import { KeptResults } from '../../../src/engine/adaptation/kept-results.js';
import {
  findImageScaler,
  type ImageScaler,
  scaleImages,
} from '../../../src/engine/adaptation/scale-images.js';
import { writeFolder } from '../../support/packages.js';

const image = (bytes: number) => ({
  type: 'image',
  mimeType: 'image/png',
  data: Buffer.alloc(bytes).toString('base64'),
});

/** Data that shrink with the area of the image. */
const byArea: ImageScaler = async (data, factor) => ({
  data: data.subarray(0, Math.floor(data.length * factor ** 2)),
  from: '400×300',
  to: `${Math.floor(400 * factor)}×${Math.floor(300 * factor)}`,
});

const lengthOf = (content: unknown) => JSON.stringify(content).length;

it('scales all images of a result to its limit, and names the sizes', async () => {
  const content = [{ type: 'text', text: 'Two.' }, image(60_000), image(30_000)];
  const scaled = await scaleImages(content, 60_000, byArea);
  expect(scaled).toMatchObject([
    { type: 'text', text: 'Two.' },
    { type: 'image', mimeType: 'image/png' },
    { type: 'image' },
    { type: 'text', text: expect.stringMatching(/^\[Scaled down: 400×300 to \d+×\d+, .* pixels\.\]$/) },
  ]);
  expect(lengthOf(scaled.slice(0, 3))).toBeLessThanOrEqual(60_000);
});

it('tries smaller sizes if the data shrink less than the area', async () => {
  const stubborn: ImageScaler = async (data, factor) => ({
    data: data.subarray(0, Math.floor(data.length * Math.min(1, factor * 1.3))),
    from: '4×4',
    to: '2×2',
  });
  const scaled = await scaleImages([image(60_000)], 30_000, stubborn);
  expect(lengthOf(scaled[0])).toBeLessThanOrEqual(30_000);
});

it('keeps results within the limit, and images that cannot be read', async () => {
  const content = [image(30_000)];
  expect(await scaleImages(content, 60_000, byArea)).toBe(content);
  expect(await scaleImages(content, 10_000, async () => undefined)).toBe(content);
  expect(await scaleImages([{ type: 'text', text: 'x'.repeat(99) }], 10, byArea)).toHaveLength(1);
});

it('scales only for clients that count the data of images, and only with a scaler', async () => {
  const content = [image(900_000)];
  const call = { tool: { name: 'draw', inputSchema: {} }, result: { content }, owner: '' };
  const adapt = async (client: string, scale?: ImageScaler) => {
    const target = adaptationTarget(client, { mode: 'on', serverKey: 'k' });
    return await adaptResult(call, { target, kept: new KeptResults(), scale });
  };
  expect(lengthOf((await adapt('claude-ai', byArea)).content)).toBeLessThan(1_000_100);
  expect(await adapt('claude-ai')).toEqual({ content });
  expect(await adapt('codex-mcp-client', byArea)).toEqual({ content });
});

it('takes the package sharp of a folder, and none if it is missing or does not load', async () => {
  const sharp = (source: string) =>
    writeFolder({
      'package.json': '{}',
      'node_modules/sharp/package.json': { name: 'sharp', version: '1.0.0', main: 'index.cjs' },
      'node_modules/sharp/index.cjs': source,
    });
  const works = `module.exports = (data) => ({
    metadata: async () => ({ width: 40, height: 30 }),
    resize: ({ width }) => ({
      toBuffer: async () => ({ data: data.subarray(0, width), info: { width, height: Math.round(width * 0.75) } }),
    }),
  });`;
  const scale = await findImageScaler(sharp(works));
  const scaled = await scale?.(Buffer.alloc(100), 0.5);
  expect(scaled).toMatchObject({ from: '40×30', to: '20×15' });
  expect(scaled?.data).toHaveLength(20);
  expect(await findImageScaler(sharp('throw new Error("other system");'))).toBeUndefined();
  expect(await findImageScaler(writeFolder())).toBeUndefined();
});
