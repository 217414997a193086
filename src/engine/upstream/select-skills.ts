import { isRecord, isString } from '../base/value-checks.js';
import type { UpstreamEntry, UpstreamListing, UpstreamSkills } from '../runtime/upstream.js';
import { chosenName } from '../runtime/upstream-choice.js';

interface SelectedSkills {
  readonly skills: UpstreamSkills;
  /** Problems, as ends of sentences about the upstream server. */
  readonly faults: readonly string[];
}

/** Selects the skills with a `SKILL.md` that the entry takes as a resource. Reads no file of them. */
export function takeSkills(
  { resources: choice }: UpstreamEntry,
  { skills = [] }: UpstreamListing,
): SelectedSkills {
  const taken = new Map<string, Readonly<Record<string, unknown>>>();
  const faults: string[] = [];
  for (const skill of skills) {
    if (!isSkill(skill)) {
      faults.push('lists a skill without an address, a front matter or files, which is left out');
      continue;
    }
    const isChosen = choice && chosenName(choice, skill.uri, skill.uri) !== undefined;
    if (isChosen && !taken.has(skill.uri)) taken.set(skill.uri, skill);
  }
  return { skills: taken, faults };
}

/** An entry of `skills/list`. @see SEP-2640 */
interface UpstreamSkill {
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** `dynamic`: the server names no files. */
  readonly resources: readonly unknown[] | 'dynamic';
}

export function isSkill(value: unknown): value is Readonly<Record<string, unknown>> & UpstreamSkill {
  if (!isRecord(value) || !isString(value.uri) || !isRecord(value.frontmatter)) return false;
  return value.resources === 'dynamic' || Array.isArray(value.resources);
}
