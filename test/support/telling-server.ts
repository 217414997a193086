import { writePackage } from './packages.js';

/** Writes a server that tells which process answers; what else belongs to it is written beside. Gives its folder. */
export function writeTellingServer(files: Readonly<Record<string, string>> = {}): string {
  return writePackage(
    { tools: ['pid', 'trip', 'tick', 'visits', 'errand'], resources: ['time'], servers: ['main'] },
    {
      'agenttools/servers/main.js': `export default {
        tools: '*', resources: '*', list: { tools: (ctx, registry) => registry.list() },
      };`,
      'agenttools/tools.js': `const ask = (ctx, key) => ctx.elicit(key + '?', { value: { type: 'string', required: true } }, { key });
      export default {
        pid: { description: 'Which process.', handler: () => String(process.ppid) },
        trip: {
          description: 'Asks twice.',
          handler: async (_, ctx) => {
            const booked = await ctx.step('book', () => process.pid);
            const to = await ask(ctx, 'to');
            const by = await ask(ctx, 'by');
            return to.content.value + ' by ' + by.content.value + (booked > 0 ? '' : '?') + ' ' + (booked === process.pid);
          },
        },
        tick: {
          description: 'The clock goes on.',
          handler: (_, ctx) => {
            ctx.notifyResourceUpdated('clock://time');
            ctx.notifyChanged('tools');
            return String(process.pid);
          },
        },
        errand: { description: 'Which process, as a task.', task: 'required', handler: () => String(process.ppid) },
        visits: {
          description: 'Counts calls of a session.',
          handler: (_, { session }) => {
            session.set('calls', (session.get('calls') ?? 0) + 1);
            return String(session.get('calls'));
          },
        },
      };`,
      'agenttools/resources/time.json': {
        uri: 'clock://time',
        description: 'The time.',
        text: 'noon',
        subscribable: true,
      },
      ...files,
    },
  );
}
