import { kinds } from '../../extension/item-kinds.js';
import type { Snapshot } from '../snapshot.js';
import { defineRule, type Rule } from './rule.js';

export const noExtension: Rule = defineRule({
  code: 'no-extension',
  severity: 'error',
  summary:
    'The package.json of an extension has an "agenttools" field that declares something, or the package has skills.',
  *check({ unreadable, manifest }) {
    if (unreadable?.code === 'no-extension') {
      yield { location: unreadable.location, facts: { problem: unreadable.message } };
    }
    if (!manifest || manifest.hasOnlySkills || !isEmpty(manifest)) return;
    const location = { file: manifest.document.file, path: manifest.base };
    yield {
      location,
      facts: { problem: `${manifest.packageName} declares nothing, so there is nothing to serve.` },
    };
  },
  message: ({ problem }) => `${problem} Declare an item, such as: "agenttools": { "tools": ["my-tool"] }`,
});

/** True if the manifest has nothing but empty lists. Other rules report other content. */
function isEmpty({ translation }: NonNullable<Snapshot['manifest']>): boolean {
  return Object.entries(translation.value).every(
    ([key, held]) => key === '$schema' || (isKind(key) && Array.isArray(held) && held.length === 0),
  );
}

function isKind(key: string): boolean {
  return (kinds as readonly string[]).includes(key);
}
