import { answering, Failure, meta } from '../services/failure.js';
import { requireKey } from '../services/keys.js';
import { services } from '../services/services.js';
import { askForPods } from './full-results.js';
import { withImages } from './images.js';
import { askForText } from './llm-api.js';
import { readOptions } from './options.js';

/** What Wolfram|Alpha answers: text and images for the model and, where the client shows UI, pods for the viewer. */
export default async function wolframAlpha({ query }, ctx) {
  return await answering(async () => {
    const options = readOptions('WolframAlpha', ctx.options);
    const asked = query.trim();
    if (asked === '') throw new Failure('The query is empty. Say what is to be computed or looked up.');
    const key = requireKey(services.llm);

    // Pods without a text are of no use, so they are not waited for then.
    const ending = new AbortController();
    const end = () => ending.abort();
    ctx.signal.addEventListener('abort', end, { once: true });
    try {
      const coming =
        ctx.ui && options.Pods ? askForPods(asked, { key, options, signal: ending.signal }) : undefined;
      const text = await askForText(asked, { key, options, signal: ctx.signal });
      const [content, pods] = await Promise.all([
        withImages(text, { signal: ctx.signal, isOn: options.Images }),
        coming,
      ]);
      return {
        content,
        ...(pods && { structuredContent: { pods } }),
        ...meta(services.llm.backend, pods && services.full.backend),
      };
    } finally {
      ctx.signal.removeEventListener('abort', end);
      end();
    }
  });
}
