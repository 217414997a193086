import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { isRecord, isString } from '../base/value-checks.js';

type Block = Readonly<Record<string, unknown>>;

/** Makes an image smaller. Undefined: it cannot be read. */
export type ImageScaler = (data: Buffer, factor: number) => Promise<ScaledImage | undefined>;

interface ScaledImage {
  readonly data: Buffer;
  /** Sizes in pixels: `400×300`. */
  readonly from: string;
  readonly to: string;
}

/** The part of the package `sharp` that this module uses. @see https://sharp.pixelplumbing.com/api-resize */
type Sharp = (data: Buffer) => {
  metadata(): Promise<{ readonly width: number; readonly height: number }>;
  resize(size: { readonly width: number }): {
    toBuffer(options: { readonly resolveWithObject: true }): Promise<{
      readonly data: Buffer;
      readonly info: { readonly width: number; readonly height: number };
    }>;
  };
};

/** Most attempts to reach a size. Each makes the image smaller. */
const maxAttempts = 4;

/** Later attempts scale by this factor in addition. */
const nextFactor = 0.7;

/**
 * Scales the images of a result down, so that all of its content has at most `limit` characters. Images that cannot be read
 * stay as they are. A text names the sizes.
 */
export async function scaleImages(
  content: readonly Block[],
  limit: number,
  scale: ImageScaler,
): Promise<readonly Block[]> {
  const images = content.filter(isImage);
  const imageLength = sum(images.map(({ data }) => data.length));
  const otherLength = JSON.stringify(content).length - imageLength;
  const share = (limit - otherLength) / imageLength;
  if (images.length === 0 || share >= 1 || share <= 0) return content;
  const scaled = new Map<Block, ScaledImage>();
  for (const image of images) {
    const smaller = await scaleTo(image.data, Math.floor(image.data.length * share), scale);
    if (smaller) scaled.set(image, smaller);
  }
  if (scaled.size === 0) return content;
  const sizes = [...scaled.values()].map(({ from, to }) => `${from} to ${to}`);
  return [
    ...content.map((block) => {
      const smaller = scaled.get(block);
      return smaller ? { ...block, data: smaller.data.toString('base64') } : block;
    }),
    { type: 'text', text: `[Scaled down: ${sizes.join(', ')} pixels.]` },
  ];
}

/** Scales by area first: the length of the data follows it roughly. */
async function scaleTo(
  base64: string,
  maxLength: number,
  scale: ImageScaler,
): Promise<ScaledImage | undefined> {
  const data = Buffer.from(base64, 'base64');
  let factor = Math.sqrt(maxLength / base64.length);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const scaled = await scale(data, factor);
    if (!scaled || base64Length(scaled.data) <= maxLength) return scaled;
    factor *= nextFactor;
  }
  return undefined;
}

function base64Length({ length }: Buffer): number {
  return Math.ceil(length / 3) * 4;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function isImage(block: Block): block is Block & { readonly data: string } {
  return block.type === 'image' && isString(block.data);
}

/** The package `sharp` of the working directory, or beside AgentTools. Undefined: it is not installed. */
export async function findImageScaler(folder = process.cwd()): Promise<ImageScaler | undefined> {
  for (const from of [path.join(folder, 'package.json'), import.meta.url]) {
    try {
      const file = createRequire(from).resolve('sharp');
      const loaded: unknown = await import(pathToFileURL(file).href);
      if (isRecord(loaded) && typeof loaded.default === 'function') return scalerOf(loaded.default as Sharp);
    } catch {
      // Not installed, or not for this system.
    }
  }
  return undefined;
}

function scalerOf(sharp: Sharp): ImageScaler {
  return async (data, factor) => {
    try {
      const { width, height } = await sharp(data).metadata();
      const wanted = Math.max(1, Math.floor(width * factor));
      const { data: smaller, info } = await sharp(data)
        .resize({ width: wanted })
        .toBuffer({ resolveWithObject: true });
      return { data: smaller, from: `${width}×${height}`, to: `${info.width}×${info.height}` };
    } catch {
      return undefined;
    }
  };
}
