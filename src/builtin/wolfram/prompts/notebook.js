import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotebookError, NotebookTooLarge } from './notebook-expression.js';
import { notebookMarkdown } from './notebook-markdown.js';

const mostBytes = 20 * 1024 * 1024;

/** Tags of the prompt, with any spacing, which are escaped in file content. */
const tags = /<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?notebook-(?:path|content))/giu;

/** Returns the contents of a notebook file for the model, or the reason for a failure. */
export default async function notebook({ path: told }, ctx) {
  if (!/\.nb$/i.test(told)) return `[Error] File is not a notebook (.nb): ${told}`;
  const source = await readSource(await placeOf(told, ctx));
  if (source.error) return `[Error] ${source.error}: ${told}`;
  try {
    const markdown = notebookMarkdown(source.text).replace(tags, '&lt;');
    return `<notebook-path>${told}</notebook-path>\n<notebook-content>\n${markdown}\n</notebook-content>`;
  } catch (error) {
    if (error instanceof NotebookTooLarge) return `[Error] File is too large to be parsed: ${told}`;
    if (error instanceof NotebookError) return `[Error] File is not a valid Wolfram notebook: ${told}`;
    throw error;
  }
}

async function placeOf(told, ctx) {
  const place = /^~(?=[/\\])/.test(told) ? homedir() + told.slice(1) : told;
  if (path.isAbsolute(place)) return place;
  return path.resolve((await rootOf(ctx)) ?? process.cwd(), place);
}

/** Time limit for the roots of a client. */
const askingMs = 10_000;

/** The first root of the client. The first request can arrive before the client has sent its roots. */
async function rootOf({ root, can, roots }) {
  if (root !== undefined || !can('roots')) return root;
  try {
    return pathOf((await roots({ timeoutMs: askingMs }))[0]?.uri);
  } catch (error) {
    // Other errors end this call, such as the signal of an input request.
    if (error.name === 'ToolError') return undefined;
    throw error;
  }
}

/** The path of a `file:` URI on this machine. */
function pathOf(uri) {
  if (!uri?.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

const missing = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE', 'ELOOP']);

/** Error codes for bytes that are not text, and paths that are not files. */
const invalid = new Set(['ERR_ENCODING_INVALID_ENCODED_DATA', 'ENXIO', 'EISDIR']);

async function readSource(place) {
  let file;
  try {
    // A pipe without a writer would block forever.
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
