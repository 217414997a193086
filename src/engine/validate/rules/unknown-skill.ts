import { defineRule, type Rule } from './rule.js';

export const unknownSkill: Rule = defineRule({
  code: 'unknown-skill',
  severity: 'error',
  summary: 'A server lists only skills that its package has, or that another package has.',
  *check({ servers }) {
    for (const { name: server, ref, lostSkills } of servers) {
      for (const { code, item: reference, message: reason, location } of lostSkills) {
        if (code === 'unknown-skill') yield { location, item: ref, facts: { server, reference, reason } };
      }
    }
  },
  message: ({ server, reference, reason }) => `Server "${server}" lists the skill "${reference}". ${reason}`,
});
