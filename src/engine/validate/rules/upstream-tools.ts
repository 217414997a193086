import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import { isWireName } from '../../extension/names.js';
import type { ItemChoice } from '../../runtime/upstream.js';
import { chosenName, toItemChoice } from '../../runtime/upstream-choice.js';
import { defineRule, type Rule } from './rule.js';

export const upstreamTools: Rule = defineRule({
  code: 'upstream-tools',
  severity: 'warning',
  summary: 'An entry for an upstream server selects tools without contradiction and gives them valid names.',
  *check({ items }) {
    for (const { ref, upstreams = [] } of items) {
      for (const { what, entry, locate } of upstreams) {
        if (!entry) continue;
        for (const { path, text } of selectionFaults(entry)) {
          yield { location: locate(path), item: ref, facts: `${what} ${text}` };
        }
      }
    }
  },
  message: (text) => text,
});

interface UpstreamToolsFault {
  readonly path: DocumentPath;
  readonly text: string;
}

/** Nested choices of an entry, with the word for one item. */
const nestedChoices = { prompts: 'prompt', resources: 'resource', apps: 'app' } as const;

function* selectionFaults(entry: Readonly<Record<string, unknown>>): Generator<UpstreamToolsFault> {
  const choice = toItemChoice(entry);
  yield* contradictions(choice, 'tool');
  yield* nameFaults(choice);
  for (const [kind, word] of Object.entries(nestedChoices)) {
    const written = entry[kind];
    if (!isRecord(written)) continue;
    for (const { path, text } of contradictions(toItemChoice(written), word)) {
      yield { path: [kind, ...path], text };
    }
  }
}

function* contradictions(choice: ItemChoice, word: string): Generator<UpstreamToolsFault> {
  const { only, except, rename } = choice;
  if (only?.length === 0)
    yield { path: ['only'], text: `includes no ${word} at all. Omit "only" to include all.` };
  for (const [index, name] of except.entries()) {
    if (!only) continue;
    const text = only.includes(name)
      ? `includes "${name}" with "only" and excludes it with "except", so it is excluded.`
      : `excludes "${name}", which "only" does not include anyway.`;
    yield { path: ['except', index], text };
  }
  for (const name of Object.keys(rename)) {
    if (chosenName(choice, name) !== undefined) continue;
    yield { path: ['rename', name], text: `renames "${name}", which it does not include.` };
  }
}

/** Faults in tool names that are known in advance: from `only`, else from `rename`. */
function* nameFaults(choice: ItemChoice): Generator<UpstreamToolsFault> {
  const { only, rename } = choice;
  const first = new Map<string, string>();
  for (const theirs of new Set(only ?? Object.keys(rename))) {
    const ours = chosenName(choice, theirs);
    if (ours === undefined) continue;
    const path = Object.hasOwn(rename, theirs) ? ['rename', theirs] : ['only', only!.indexOf(theirs)];
    const other = first.get(ours);
    if (other !== undefined) {
      yield { path, text: `names both "${other}" and "${theirs}" "${ours}", so they get numbers.` };
    }
    first.set(ours, other ?? theirs);
    if (isWireName(ours)) continue;
    const text = `would name a tool "${ours}", which clients refuse, so it is skipped. Expected 1 to 128 of A-Z a-z 0-9 _ . -`;
    yield { path, text };
  }
}
