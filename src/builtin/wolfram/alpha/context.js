import { answering, Failure, failed, meta } from '../services/failure.js';
import { services } from '../services/services.js';
import { askForContext } from './context-api.js';
import { withImages } from './images.js';
import { readOptions } from './options.js';

const documentation = 'WolframLanguageContext';

/** Returns Wolfram|Alpha's facts about a subject. */
export async function wolframAlphaContext({ context }, ctx) {
  return await answering(async () => {
    const options = readOptions('WolframAlphaContext', ctx.options);
    const text = await askForContext(requireSubject(context), { options, signal: ctx.signal });
    const content = await withImages(text, { signal: ctx.signal, isOn: options.Images });
    return { content, ...meta(services.context.backend) };
  });
}

/** Returns the Wolfram Language documentation about a subject, from the tool of this server that uses a kernel. */
export async function wolframLanguageContext({ context }, ctx) {
  return await answering(async () => await askDocumentation(requireSubject(context), ctx));
}

/** Returns both, one below the other. A failed part is replaced by its reason. */
export async function wolframContext({ context }, ctx) {
  return await answering(async () => {
    const options = readOptions('WolframContext', ctx.options);
    const subject = requireSubject(context);
    const [alpha, language] = await Promise.all([
      attempt(async () => ({
        text: await askForContext(subject, { options, signal: ctx.signal }),
        backend: services.context.backend,
      })),
      attempt(async () => {
        const result = await askDocumentation(subject, ctx);
        return { text: textOf(result), backend: result._meta?.backend ?? documentation };
      }),
    ]);
    const parts = [
      alpha.failure ? `Wolfram|Alpha results are missing. ${alpha.failure}` : alpha.text,
      language.failure ? `Documentation results are missing. ${language.failure}` : language.text,
    ];
    const combined = parts
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join('\n\n======\n\n');
    const backends = meta(alpha.backend, language.backend);
    if (alpha.failure && language.failure) return failed(combined, backends._meta?.backend);
    const content = await withImages(combined, { signal: ctx.signal, isOn: options.Images });
    return { content, ...backends };
  });
}

function requireSubject(context) {
  const subject = context.trim();
  if (subject === '')
    throw new Failure('The context is empty. Describe what the user wants to achieve or know.');
  return subject;
}

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return { failure: error.message, backend: error.backend };
    throw error;
  }
}

async function askDocumentation(context, ctx) {
  const result = await ctx.callTool(documentation, { context });
  if (result.isError) throw new Failure(textOf(result), { backend: result._meta?.backend });
  return result;
}

function textOf({ content }) {
  return content.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}
