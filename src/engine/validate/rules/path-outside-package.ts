import { defineRule, type Rule } from './rule.js';

export const pathOutsidePackage: Rule = defineRule({
  code: 'path-outside-package',
  severity: 'error',
  summary: 'Every path is relative to the package folder and stays in it, links followed.',
  *check({ unreadable, root, skillsRoot, items }) {
    if (unreadable?.code === 'path-outside-package') {
      yield { location: unreadable.location, facts: unreadable.message };
    }
    if (root?.fault === 'outside') {
      const reason = `The root "${root.root}" leaves the package. It must be relative to the package folder and stay in it.`;
      yield { location: root.location, facts: reason };
    }
    if (skillsRoot?.fault === 'outside') {
      const reason = `The folder of skills "${skillsRoot.root}" leaves the package. It must be relative to the package folder and stay in it.`;
      yield { location: skillsRoot.location, facts: reason };
    }
    for (const { ref, error, repeatsError, callables, upstreams = [], content } of items) {
      if (error?.code === 'path-outside-package' && !repeatsError) {
        yield { location: error.location, item: ref, facts: error.message };
      }
      const what = `${ref.kind} "${ref.name}"`;
      for (const { fault, label, location } of callables) {
        if (fault?.kind !== 'outside') continue;
        yield { location, item: ref, facts: `"${label}" of ${what} ${fault.reason}` };
      }
      for (const { fault } of upstreams) {
        if (fault?.kind === 'outside')
          yield { location: fault.location, item: ref, facts: `${fault.message}.` };
      }
      if (content?.fault === 'outside') {
        const reason = `The file "${content.file}" of ${what} leaves the package. It must be relative to the package folder and stay in it.`;
        yield { location: content.location, item: ref, facts: reason };
      }
    }
  },
  message: (reason) => reason,
});
