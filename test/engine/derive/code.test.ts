import { describe, expect, test } from 'vitest';
import { derive, writeDerivation } from '../../../src/engine/derive/derive.js';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { callOnce } from '../../../src/engine/serve/call-once.js';
import { openWorkspace } from '../../support/packages.js';
import { project, said } from './support/project.js';

const greet = `
/**
 * Greets.
 * @param {string} name - Of whom.
 * @param {number} times @integer
 */
export function greet(name, times) { return name.repeat(times); }`;

/** A package with definitions in code: alone, in a toolkit and in a combined file. */
const files = {
  'lib.js': greet,
  'agenttools/tools/named.js': `export default { handler: './lib.js#greet' };`,
  'agenttools/tools/imported.js': `
    import { greet } from '../../lib.js';
    const definition = { description: 'Own text.', handler: greet };
    export default definition;`,
  'agenttools/tools/inline.js': `
    const defineTool = (it) => it;
    export default defineTool({
      /**
       * Adds.
       * @param {{ a: number, b?: number }} args
       */
      handler(args, ctx) { return args.a + (args.b ?? 0); },
    });`,
  'agenttools/tools/untyped.js': `export default { handler: ({ a }) => a };`,
  'agenttools/tools/schema.js': `export default { input: { a: 'string' }, handler: ({ a }) => a };`,
  'agenttools/tools/kit.js': `
    const tool = (options, handler) => ({ ...options, handler });
    /** @param {string} word */
    const shout = (word) => word.toUpperCase();
    export default { category: 'Kit', tools: [tool({ name: 'kit.shout' }, shout), { name: 'plain', handler: () => 'x' }] };`,
  'agenttools/tools.js': `
    export default {
      combined: {
        /** @param {boolean} yes */
        handler: (yes) => yes,
      },
    };`,
};

const manifest = {
  tools: ['named', 'imported', 'inline', 'untyped', 'schema', { toolkit: 'kit' }, 'combined'],
};

describe('definitions in code', () => {
  test('get the schemas of their typed handlers, and are called with these arguments', async () => {
    const directory = project(manifest, files);
    const derivation = await derive(directory);
    expect(said(derivation)).toEqual([]);
    await writeDerivation(derivation);
    expect((await derive(directory)).state).toBe('current');

    const workspace = openWorkspace();
    const spec = await composeServer(await workspace.findServer(directory), workspace);
    expect(spec.leftOut).toEqual([]);
    const propertiesOf = (name: string) => {
      const { inputSchema } = spec.registry.resolve('tools', name)!.wire as never as {
        inputSchema: { properties: object };
      };
      return Object.entries(inputSchema.properties).map(([key, { type }]) => `${key}: ${type}`);
    };
    const greeting = ['name: string', 'times: integer'];
    expect(
      Object.fromEntries(spec.registry.all('tools').map(({ name }) => [name, propertiesOf(name)])),
    ).toEqual({
      named: greeting,
      imported: greeting,
      inline: ['a: number', 'b: number'],
      untyped: [],
      schema: ['a: string'],
      'kit.shout': ['word: string'],
      plain: [],
      combined: ['yes: boolean'],
    });
    expect(spec.registry.resolve('tools', 'named')!.wire.description).toBe('Greets.');
    expect(spec.registry.resolve('tools', 'imported')!.wire).toMatchObject({
      title: 'greet',
      description: 'Own text.',
    });
    expect(spec.registry.resolve('tools', 'inline')!.wire).toMatchObject({
      title: 'inline',
      description: 'Adds.',
    });

    const call = async (tool: string, args: Record<string, unknown>) => {
      const options = { tool, args, env: {}, report: () => {}, signal: AbortSignal.timeout(10_000) };
      const { content } = await callOnce(await workspace.findServer(directory), workspace, options);
      return content[0]!.text;
    };
    expect(await call('imported', { times: 2, name: 'ab' })).toBe('abab');
    expect(await call('inline', { a: 1, b: 2 })).toBe('3');
    expect(await call('kit.shout', { word: 'ab' })).toBe('AB');
  }, 60_000);
});
