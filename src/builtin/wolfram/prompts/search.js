import { wolframAlphaContext, wolframContext, wolframLanguageContext } from '../alpha/context.js';
import { searching } from './search-format.js';

/** Prompts contain text only, so no images are fetched. */
const options = { Images: false };

const searchWith = (tool) =>
  searching((context, ctx) => tool({ context }, Object.assign(Object.create(ctx), { options })));

export const wolframSearch = searchWith(wolframContext);
export const wolframAlphaSearch = searchWith(wolframAlphaContext);
export const wolframLanguageSearch = searchWith(wolframLanguageContext);
