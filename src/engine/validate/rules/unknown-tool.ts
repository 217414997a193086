import { definitionLabel, locate, readRequirements } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const unknownTool: Rule = defineRule({
  code: 'unknown-tool',
  severity: 'error',
  summary:
    'A server lists only tools that its extension declares, that are built in, or that another package declares.',
  *check({ servers, items }) {
    for (const { name: server, ref, entries } of servers) {
      for (const { kind, reference, lost, location, namesToolkit } of entries) {
        if (kind !== 'tools' || !lost || lost.isForeign) continue;
        yield {
          location,
          item: ref,
          facts: {
            subject: `Server "${server}" lists the ${namesToolkit ? 'toolkit' : 'tool'}`,
            reference,
            reason: lost.reason,
          },
        };
      }
    }
    const tools = items.filter(({ kind }) => kind === 'tools').map(({ name }) => name);
    for (const { ref, definition } of items) {
      if (!definition) continue;
      for (const reference of readRequirements(definition.value.requires).tools ?? []) {
        if (tools.includes(reference)) continue;
        const subject = `${definitionLabel(definition)} requires the tool`;
        const reason = `its package does not have. Tools: ${tools.join(', ') || 'none'}.`;
        const location = locate(definition, ['requires', 'tools']);
        yield { location, item: ref, facts: { subject, reference, reason } };
      }
    }
  },
  message: ({ subject, reference, reason }) => `${subject} "${reference}", which ${reason}`,
});
