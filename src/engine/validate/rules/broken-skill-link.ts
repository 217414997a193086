import { defineRule, type Rule } from './rule.js';

/** @see https://agentskills.io/specification, "File references" */
export const brokenSkillLink: Rule = defineRule({
  code: 'broken-skill-link',
  severity: 'warning',
  summary: 'The files that a skill links to are in its folder.',
  *check({ skills }) {
    for (const { name, brokenLinks } of skills) {
      for (const { problem, location } of brokenLinks) {
        yield { location, item: { kind: 'skill', name }, facts: { name, problem } };
      }
    }
  },
  message: ({ name, problem }) => `Skill "${name}" ${problem}`,
});
