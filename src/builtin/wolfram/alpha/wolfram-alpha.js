import { embedAddress, markedContent } from '../kernel/deployment.js';
import { answering, Failure, failed, meta } from '../services/failure.js';
import { requireKey } from '../services/keys.js';
import { services } from '../services/services.js';
import { deployAnswer } from './answer-notebook.js';
import { askForView } from './full-results.js';
import { withImages } from './images.js';
import { askForText } from './llm-api.js';
import { readOptions } from './options.js';

/** Time limit for suggestions after a failed query. */
const patienceMs = 3000;

/** Answers a query: text and images for the model and, for clients with UI, pods for the viewer. */
export default async function wolframAlpha({ query, assumption, podstate }, ctx) {
  return await answering(async () => {
    const options = readOptions('WolframAlpha', ctx.options);
    const asked = { query: query.trim(), assumption, podstate };
    if (asked.query === '') throw new Failure('The query is empty. Describe what to compute or look up.');
    const key = requireKey(services.llm);

    const ending = new AbortController();
    const end = () => ending.abort();
    ctx.signal.addEventListener('abort', end, { once: true });
    const coming =
      ctx.ui && options.Pods ? askForView(asked, { key, options, signal: ending.signal }) : undefined;
    const deploying = ctx.ui && options.DeployNotebooks ? deployAnswer(asked.query) : undefined;
    let patience;
    try {
      const text = await askForText(asked, { key, options, signal: ctx.signal });
      const [content, view, url] = await Promise.all([
        withImages(text, { signal: ctx.signal, isOn: options.Images }),
        coming,
        deploying,
      ]);
      const { pods, assumptions } = view ?? {};
      const { _meta } = meta(services.llm.backend, pods && services.full.backend);
      return {
        content: url === undefined ? content : markedContent(content, url),
        ...(pods && { structuredContent: { pods, ...(assumptions && { assumptions }) } }),
        _meta: { ..._meta, ...(url !== undefined && { notebookUrl: embedAddress(url) }) },
      };
    } catch (error) {
      if (!isNotUnderstood(error)) throw error;
      patience = setTimeout(end, patienceMs);
      return withOtherQuestions(error, (await coming)?.didYouMean);
    } finally {
      clearTimeout(patience);
      ctx.signal.removeEventListener('abort', end);
      end();
    }
  });
}

function isNotUnderstood(error) {
  return error instanceof Failure && error.status === 501;
}

/** A failure with the suggestions for the viewer. */
function withOtherQuestions({ message, backend }, didYouMean) {
  if (didYouMean === undefined) return failed(message, backend);
  return {
    ...failed(message, backend),
    structuredContent: { didYouMean },
    ...meta(backend, services.full.backend),
  };
}
