import { writePackage } from '../../support/packages.js';

/** An extension of tools in code, by name. */
export const tools = (bodies: Readonly<Record<string, string>>, before = ''): string =>
  writePackage(
    { tools: Object.keys(bodies) },
    {
      'agenttools/tools.json': Object.fromEntries(
        Object.keys(bodies).map((name) => [name, { description: name, handler: `./tools.js#${name}` }]),
      ),
      'tools.js': [
        before,
        ...Object.entries(bodies).map(
          ([name, body]) => `export async function ${name}(args, ctx) {\n${body}\n}`,
        ),
      ].join('\n'),
    },
  );

/** Tools that end soon, and never. */
export const calls = tools(
  {
    brief: `process.stderr.write('<begun>'); await sleep(300); return 'in time';`,
    endless: `process.stderr.write('<begun>');
      ctx.signal.addEventListener('abort', () => process.stderr.write('<aborted>'));
      await new Promise(() => {});`,
  },
  `import { setTimeout as sleep } from 'node:timers/promises';`,
);

/** The result of some work and its duration in milliseconds. */
export async function timed<Value>(work: () => Promise<Value>): Promise<[Value, number]> {
  const started = performance.now();
  const value = await work();
  return [value, performance.now() - started];
}
