import { parseUrl } from '../services/parse-url.js';
import { request } from '../services/request.js';

const mostImages = 10;
const patienceMs = 5000;
const largestImage = 2 * 1024 * 1024;

/** Limit of all images in one result, because clients limit the size of results. */
const largestBatch = 6 * 1024 * 1024;

/** A URL, alone or at the end of a Markdown image, with the closing parenthesis. */
const addresses = /https:\/\/(?:[\w-]+\.)*wolframalpha\.com\/[^\s<>"'()[\]]{1,4000}\)?/gi;

const endings = /\.(?:png|gif|jpe?g|webp|svg)$/i;
const storedTypes = /^image\/(?:png|gif|jpe?g|webp|svg\+xml)$/i;

/** Detects URLs of Wolfram|Alpha. */
export function isAlpha(address) {
  const url = parseUrl(address);
  if (!url) return false;
  const { protocol, hostname, port, username, password } = url;
  const isTheirs = hostname === 'wolframalpha.com' || hostname.endsWith('.wolframalpha.com');
  return protocol === 'https:' && isTheirs && port === '' && username === '' && password === '';
}

function isImage(address) {
  if (!isAlpha(address)) return false;
  const { pathname, searchParams } = new URL(address);
  // Stored images have their type in a parameter.
  return endings.test(pathname) || storedTypes.test(searchParams.get('MSPStoreType') ?? '');
}

/** A text as content blocks. Each image of Wolfram|Alpha follows its URL, which stays in the text. */
export async function withImages(text, { signal, isOn = true }) {
  const places = isOn ? imagePlaces(text) : [];
  if (places.length === 0) return [{ type: 'text', text }];
  const images = await fetchAll(
    places.map(({ address }) => address),
    signal,
  );
  const blocks = [];
  let from = 0;
  let room = largestBatch;
  for (const [index, { end }] of places.entries()) {
    const image = images[index];
    if (!image || image.bytes.length > room) continue;
    room -= image.bytes.length;
    blocks.push({ type: 'text', text: text.slice(from, end) });
    blocks.push({ type: 'image', data: image.bytes.toString('base64'), mimeType: image.mimeType });
    from = end;
  }
  if (from < text.length) blocks.push({ type: 'text', text: text.slice(from) });
  return blocks;
}

/** Positions of the first images, without duplicates. */
function imagePlaces(text) {
  const places = new Map();
  for (const { 0: found, index } of text.matchAll(addresses)) {
    const address = found.replace(/\)$/, '').replace(/(?<![.,;:!?])[.,;:!?]+$/, '');
    if (places.has(address) || !isImage(address)) continue;
    const end = index + (found.endsWith(')') ? found.length : address.length);
    places.set(address, { address, end });
    if (places.size === mostImages) break;
  }
  return [...places.values()];
}

/** Fetches images in parallel; undefined for images that are late or invalid. */
async function fetchAll(list, signal) {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, patienceMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.all(
      list.map((address) => fetchImage(address, ending.signal).catch(() => undefined)),
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}

async function fetchImage(address, signal) {
  const { status, type, bytes, isCut } = await request(new URL(address), {
    signal,
    longest: largestImage,
    headers: { accept: 'image/*' },
    mayFollow: (_, to) => isAlpha(to.href),
  });
  if (status !== 200 || isCut || !type.startsWith('image/')) return undefined;
  const mimeType = type === 'image/svg+xml' ? drawnType(bytes) : pictureType(bytes);
  return mimeType && { bytes, mimeType };
}

/** First bytes of image files in hexadecimal, by type, because services send wrong headers. */
const signatures = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^474946383[79]61/],
  ['image/jpeg', /^ffd8ff/],
  ['image/webp', /^52494646.{8}57454250/],
];

function pictureType(bytes) {
  const start = bytes.subarray(0, 16).toString('hex');
  return signatures.find(([, signature]) => signature.test(start))?.[0];
}

function drawnType(bytes) {
  const start = bytes.subarray(0, 2000).toString('utf8');
  return /^\uFEFF?\s*(?:<\?xml|<!--|<!doctype svg|<svg)/i.test(start) && start.includes('<svg')
    ? 'image/svg+xml'
    : pictureType(bytes);
}
