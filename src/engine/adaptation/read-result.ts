import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import type { AdaptationTarget } from './adaptation-target.js';
import type { KeptResult, KeptResults } from './kept-results.js';

/** How a client reads the rest of a result: as a resource of the server, or by a tool. */
export type RestReader = 'resource' | 'tool';

const toolName = 'read_result';

const scheme = 'agenttools://results/';

/** Tools that a client needs beside the listed ones. */
export function addedTools(
  tools: readonly ListedTool[],
  { limits }: AdaptationTarget,
): readonly ListedTool[] {
  const readsByTool = limits.get('compat/result-size')?.some(({ scope }) => scope?.rest === 'tool') ?? false;
  return readsByTool ? [readResultTool(tools)] : [];
}

/** The tool that reads long results. `tools`: the tools beside it in the list. */
function readResultTool(tools: readonly ListedTool[]): ListedTool {
  const taken = new Set(tools.map(({ name }) => name));
  let name = toolName;
  for (let number = 2; taken.has(name); number += 1) name = `${toolName}_${number}`;
  return {
    name,
    title: 'Read a long result',
    description:
      'Returns a page of a long result of another tool. The last line of the result has the arguments for the next page.',
    inputSchema: {
      type: 'object',
      properties: {
        result: { type: 'string', description: 'Id of the result.' },
        page: { type: 'integer', description: 'Number of the page, from 1.' },
      },
      required: ['result', 'page'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

/** True for a name that {@link readResultTool} gives. */
export function isReadResultTool(name: unknown): boolean {
  return typeof name === 'string' && /^read_result(?:_\d+)?$/.test(name);
}

/** Answers a call of the tool. */
export function callReadResult(args: unknown, owner: string, kept: KeptResults): UnknownRecord {
  const { result: id, page } = isRecord(args) ? args : {};
  const result = typeof id === 'string' ? kept.find(id, owner) : undefined;
  if (!result) return failure('The result is no longer kept. Call its tool again.');
  const text = textOf(result, { id: String(id), page: Number(page), reader: 'tool' });
  const count = result.pages.length;
  return text === undefined
    ? failure(`There is no page ${String(page)}: the result has the pages 1 to ${count}.`)
    : { content: [{ type: 'text', text }] };
}

/** URI of a whole result. The URIs of its pages add their numbers. */
export function resultUri(id: string): string {
  return scheme + id;
}

/** Reads a result or a page by its URI. Undefined: it is not kept. */
export function readResultUri(uri: string, owner: string, kept: KeptResults): UnknownRecord | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const [id = '', page] = uri.slice(scheme.length).split('/');
  const result = kept.find(id, owner);
  if (!result) return undefined;
  const { pages, mimeType } = result;
  const text =
    page === undefined ? pages.join('') : textOf(result, { id, page: Number(page), reader: 'resource' });
  return text === undefined
    ? undefined
    : { contents: [{ uri, mimeType: page === undefined ? mimeType : 'text/plain', text }] };
}

interface PageReference {
  readonly id: string;
  /** From 1. */
  readonly page: number;
  readonly reader: RestReader;
}

/** The way to a page, as the end of a sentence. */
export function describeNext({ id, page, reader }: PageReference, name = toolName): string {
  return reader === 'tool'
    ? `call "${name}" with ${JSON.stringify({ result: id, page })}`
    : `read the resource ${resultUri(id)}/${page} of this server`;
}

/** A page with the way to the next one. Undefined: there is no such page. */
function textOf({ pages }: KeptResult, reference: PageReference): string | undefined {
  const { page } = reference;
  const text = pages[page - 1];
  if (text === undefined || page === pages.length) return text;
  const next = describeNext({ ...reference, page: page + 1 });
  return `${text}\n[Page ${page} of ${pages.length}. For the next page, ${next}.]`;
}

function failure(text: string): UnknownRecord {
  return { content: [{ type: 'text', text }], isError: true };
}
