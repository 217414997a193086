import { searchPrompt } from 'agenttools';
import { wolframAlphaContext, wolframContext, wolframLanguageContext } from '../alpha/context.js';

/** Prompts contain text only, so no images are fetched. */
const options = { Images: false };

/** The content of a search prompt that calls a tool. */
const searchWith = (tool) =>
  searchPrompt({
    search: (context, ctx) => tool({ context }, Object.assign(Object.create(ctx), { options })),
  }).content;

export const wolframSearch = searchWith(wolframContext);
export const wolframAlphaSearch = searchWith(wolframAlphaContext);
export const wolframLanguageSearch = searchWith(wolframLanguageContext);
