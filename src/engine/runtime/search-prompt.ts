import { brands, isBranded, isProtocolError } from './authoring-symbols.js';
import type { Context } from './context.js';
import { definePrompt } from './define-items.js';
import type { Awaitable } from './definition-types/common-types.js';
import type { PromptDefinition } from './definition-types/prompt-types.js';
import { type ContentBlock, type ToolResult, toBlocks } from './result-builders.js';

/** Return value of a search: text, blocks or tool results. Of blocks, only the text counts. */
export type SearchReturn =
  | string
  | ToolResult
  | ContentBlock
  | readonly (string | ToolResult | ContentBlock)[];

/** A search prompt as its author writes it. */
export interface SearchPromptDefinition extends Omit<PromptDefinition, 'content' | 'messages' | 'type'> {
  /** Finds content that helps to answer a query; `args` are all arguments of the prompt. */
  search(query: string, ctx: Context, args: Readonly<Record<string, string>>): Awaitable<SearchReturn>;
}

/** Tags of the prompt in text from other sources, with any spacing. They are escaped. */
const tags = /<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?(?:search-query|search-results|user-query))/giu;

/** Keys that define the content of other prompts. */
const contentFields = ['content', 'messages', 'type'] as const;

/**
 * A prompt that searches for the user's query and gives the query and the results to the model. Adds the argument
 * `query` to the arguments of the definition. A failed search gives a prompt with the error.
 * @throws TypeError if `search` is not a function, or another key defines the content
 */
export function searchPrompt({
  search,
  arguments: declared = [],
  ...facts
}: SearchPromptDefinition): PromptDefinition {
  if (typeof search !== 'function') throw new TypeError('A search prompt has no function "search".');
  const idle = contentFields.filter((key) => (facts as Readonly<Record<string, unknown>>)[key] !== undefined);
  if (idle.length > 0) {
    const named = idle.map((key) => `"${key}"`).join(' and ');
    throw new TypeError(
      `A search prompt has ${named} beside "search", which makes all of it. Leave out ${named}.`,
    );
  }
  const own = declared.find(({ name }) => name === 'query');
  const query = { description: 'The search query', ...own, name: 'query', required: true };
  const others = declared.filter(({ name }) => name !== 'query');
  return definePrompt<PromptDefinition['arguments'] & {}>({
    ...facts,
    arguments: [query, ...others],
    content: async (args, ctx) => await runSearch(search, args as Readonly<Record<string, string>>, ctx),
  });
}

async function runSearch(
  search: SearchPromptDefinition['search'],
  args: Readonly<Record<string, string>>,
  ctx: Context,
): Promise<string> {
  const { query = '' } = args;
  try {
    const { text, isError } = readFound(await search(query, ctx, args));
    return isError ? `[Error] ${text}` : formatSearch(query, text);
  } catch (error) {
    if (ctx.signal.aborted || isForProtocol(error)) throw error;
    if (isBranded(error, brands.toolError)) return `[Error] ${(error as unknown as Error).message}`;
    // biome-ignore lint/suspicious/noConsole: without Node, the console is the only output
    console.error(`search prompt: ${error instanceof Error ? error.stack : String(error)}`);
    return '[Error] Failed to generate prompt content.';
  }
}

/** The prompt contains the query twice, so that the model sees the query that the client sent. */
function formatSearch(query: string, found: string): string {
  return [
    `<search-query>${query}</search-query>`,
    '<search-results>',
    found.replace(tags, '&lt;'),
    '</search-results>',
    "Use the above search results to answer the user's query below.",
    `<user-query>${query}</user-query>`,
  ].join('\n');
}

function readFound(found: unknown): { readonly text: string; readonly isError: boolean } {
  const pieces = Array.isArray(found) ? found : [found];
  if (!pieces.every(isPiece)) {
    throw new TypeError('A search gives a string, a tool result or content blocks.');
  }
  const texts = pieces.flatMap(toBlocks).map((block) => (block.type === 'text' ? String(block.text) : ''));
  return {
    text: texts.join(''),
    isError: pieces.some((piece) => typeof piece === 'object' && piece.isError === true),
  };
}

function isPiece(value: unknown): value is string | (ContentBlock & { readonly isError?: boolean }) {
  if (typeof value === 'string') return true;
  if (typeof value !== 'object' || value === null) return false;
  return 'content' in value
    ? Array.isArray(value.content)
    : 'type' in value && typeof value.type === 'string';
}

/** True for errors that the protocol answers, and for the end of a run that asks the client first. */
function isForProtocol(error: unknown): boolean {
  if (isProtocolError(error)) return true;
  return error instanceof Error && ['MissingCapabilityError', 'InputRequiredSignal'].includes(error.name);
}
