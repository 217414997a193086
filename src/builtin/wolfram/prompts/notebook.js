import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotebookError, NotebookTooLarge } from './notebook-expression.js';
import { notebookMarkdown } from './notebook-markdown.js';

const mostBytes = 20 * 1024 * 1024;

/** What a file says that looks like a part of the prompt, however spaced, is no part. */
const tags = /<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?notebook-(?:path|content))/giu;

/** The contents of a notebook file for the model, or why there are none. */
export default async function notebook({ path: told }, ctx) {
  if (!/\.nb$/i.test(told)) return `[Error] File is not a notebook (.nb): ${told}`;
  const source = await readSource(await placeOf(told, ctx));
  if (source.error) return `[Error] ${source.error}: ${told}`;
  try {
    const markdown = notebookMarkdown(source.text).replace(tags, '&lt;');
    return `<notebook-path>${told}</notebook-path>\n<notebook-content>\n${markdown}\n</notebook-content>`;
  } catch (error) {
    if (error instanceof NotebookTooLarge) return `[Error] File holds more than can be read: ${told}`;
    if (error instanceof NotebookError) return `[Error] File is not a valid Wolfram notebook: ${told}`;
    throw error;
  }
}

async function placeOf(told, ctx) {
  const place = /^~(?=[/\\])/.test(told) ? homedir() + told.slice(1) : told;
  if (path.isAbsolute(place)) return place;
  return path.resolve((await rootOf(ctx)) ?? process.cwd(), place);
}

/** Longest wait for a client that has roots and does not tell them. */
const askingMs = 10_000;

/** Where the client works. The first request may come before what was asked at the handshake is answered. */
async function rootOf({ root, can, roots }) {
  if (root !== undefined || !can('roots')) return root;
  try {
    return pathOf((await roots({ timeoutMs: askingMs }))[0]?.uri);
  } catch (error) {
    // Whatever else is thrown ends this run, such as a question that the client has to be asked first.
    if (error.name === 'ToolError') return undefined;
    throw error;
  }
}

/** The path of a `file:` address on this machine. */
function pathOf(uri) {
  if (!uri?.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

const missing = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE', 'ELOOP']);

/** Bytes that are no text, and places that are no files. */
const invalid = new Set(['ERR_ENCODING_INVALID_ENCODED_DATA', 'ENXIO', 'EISDIR']);

async function readSource(place) {
  let file;
  try {
    // A pipe without a writer would keep others waiting for ever.
    file = await open(place, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await file.stat();
    if (!facts.isFile()) return { error: 'File is not a valid Wolfram notebook' };
    if (facts.size > mostBytes) return { error: 'File is larger than 20 MB' };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile()) };
  } catch (error) {
    if (missing.has(error.code)) return { error: 'File does not exist' };
    if (invalid.has(error.code)) return { error: 'File is not a valid Wolfram notebook' };
    return { error: `File cannot be read (${error.code ?? error.name})` };
  } finally {
    await file?.close();
  }
}
