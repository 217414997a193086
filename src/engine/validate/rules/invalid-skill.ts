import { defineRule, type Rule } from './rule.js';

/** @see https://agentskills.io/specification, and SEP-2640 */
export const invalidSkill: Rule = defineRule({
  code: 'invalid-skill',
  severity: 'error',
  summary:
    'A skill has a name and a description, as the format of Agent Skills requires, and holds only files.',
  *check({ skills }) {
    for (const { name, problems } of skills) {
      for (const { problem, location } of problems) {
        yield { location, item: { kind: 'skill', name }, facts: { name, problem } };
      }
    }
  },
  message: ({ name, problem }) => `Skill "${name}" cannot be served: ${problem}.`,
});
