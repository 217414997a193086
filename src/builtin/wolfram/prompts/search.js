import { wolframAlphaContext, wolframContext, wolframLanguageContext } from '../alpha/context.js';
import { searching } from './search-format.js';

/** Prompts hold text only, so images are not fetched for them. */
const options = { Images: false };

const searchWith = (tool) =>
  searching((context, ctx) => tool({ context }, Object.assign(Object.create(ctx), { options })));

export const wolframSearch = searchWith(wolframContext);
export const wolframAlphaSearch = searchWith(wolframAlphaContext);
export const wolframLanguageSearch = searchWith(wolframLanguageContext);
