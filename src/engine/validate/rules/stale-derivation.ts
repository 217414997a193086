import { defineRule, type Rule } from './rule.js';

export const staleDerivation: Rule = defineRule({
  code: 'stale-derivation',
  severity: 'error',
  summary: 'The derived file matches the current types.',
  *check({ derivation }) {
    if (!derivation) return;
    const { file, fault, changed, lacking, isMissing } = derivation;
    if (fault !== undefined) yield { location: { file }, facts: fault };
    if (changed.length > 0) {
      const words = changed.map(({ file: source, problem }) => `${source} ${ends[problem]}`);
      const told = words.slice(0, maxStaleNamed);
      const more = words.length > maxStaleNamed ? `, and ${words.length - maxStaleNamed} more` : '';
      const facts = `${file} is stale: ${told.join(', ')}${more}. Run "agenttools derive".`;
      yield { location: { file, path: ['files', changed[0]!.file], key: true }, facts };
    }
    for (const { item, handler, location, parameters = [] } of lacking) {
      const facts = isMissing
        ? `Tool "${item.name}" has no "input", and "${handler}" takes its arguments one by one (${parameters.join(', ')}), but there is no ${file}. Run "agenttools derive". A function that takes them as (args, ctx) has "input": {}.`
        : `Tool "${item.name}" has no "input", and ${file} has no entry for "${handler}". Run "agenttools derive", or add "input".`;
      yield { location, item, facts };
    }
  },
  message: (reason) => reason,
});

const ends = { changed: 'has changed since', missing: 'is gone' } as const;

const maxStaleNamed = 3;
