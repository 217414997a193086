const failed = 'Failed to generate prompt content.';

/** What the parts of a prompt begin and end with; text of others that looks like it, however spaced, is no part. */
const tags = /<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?(?:search-query|search-results|user-query))/giu;

/** A prompt of what was found for a query. The query stands in it twice, so that a model sees what a client made of it. */
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

/** Makes the content of a search prompt of a function that finds things as a tool would. */
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

/** What is answered by the protocol, or ends this run because the client is asked first. */
function isForProtocol(error) {
  return (
    error?.[Symbol.for('agenttools/protocol-error')] === true ||
    ['MissingCapabilityError', 'Suspension'].includes(error?.name)
  );
}
