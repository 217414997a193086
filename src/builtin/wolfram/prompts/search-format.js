const failed = 'Failed to generate prompt content.';

/** Tags of the prompt, with any spacing, which are escaped in external text. */
const tags = /<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?(?:search-query|search-results|user-query))/giu;

/** The prompt with search results. It contains the query twice, so that a model notices changes by the client. */
export function formatSearch(query, found) {
  return [
    `<search-query>${query}</search-query>`,
    '<search-results>',
    found.replace(tags, '&lt;'),
    '</search-results>',
    "Use the above search results to answer the user's query below.",
    `<user-query>${query}</user-query>`,
  ].join('\n');
}

/** Turns a search function of a tool into the content of a search prompt. */
export function searching(search) {
  return async ({ query }, ctx) => {
    try {
      const { content, isError } = await search(query, ctx);
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return isError ? `[Error] ${text}` : formatSearch(query, text);
    } catch (error) {
      if (ctx.signal.aborted || isForProtocol(error)) throw error;
      if (error?.[Symbol.for('agenttools/tool-error')]) return `[Error] ${error.message}`;
      process.stderr.write(`search prompt: ${error?.stack ?? error}\n`);
      return `[Error] ${failed}`;
    }
  };
}

/** Detects protocol errors and signals of input requests, which end this call. */
function isForProtocol(error) {
  return (
    error?.[Symbol.for('agenttools/protocol-error')] === true ||
    ['MissingCapabilityError', 'Suspension'].includes(error?.name)
  );
}
