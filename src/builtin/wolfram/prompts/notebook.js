import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { NotebookError, NotebookTooLarge } from './notebook-expression.js';
import { notebookMarkdown } from './notebook-markdown.js';

const mostBytes = 20 * 1024 * 1024;

/** What a file says that looks like a part of the prompt, however spaced, is no part. */
const tags = /<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?notebook-(?:path|content))/giu;

/** The contents of a notebook file for the model, or why there are none. */
export default async function notebook({ path: told }, ctx) {
  if (!/\.nb$/i.test(told)) return `[Error] File is not a notebook (.nb): ${told}`;
  const source = await readSource(placeOf(told, ctx.root));
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

function placeOf(told, root) {
  const place = /^~(?=[/\\])/.test(told) ? homedir() + told.slice(1) : told;
  return path.resolve(root ?? process.cwd(), place);
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
