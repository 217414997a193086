import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { composeServer, type ServerSpec } from '../../../src/engine/runtime/compose-server.js';
import { chosenName } from '../../../src/engine/runtime/upstream-choice.js';
import { type UpstreamItems, withUpstreamItems } from '../../../src/engine/runtime/upstream-items.js';
import type { Files } from '../../support/packages.js';
import { openWorkspace, writePackage } from '../../support/packages.js';
import { root } from '../../support/program.js';
import { composeLive } from '../../support/session.js';

const npx = { command: 'npx', args: ['-y', 'it'] };
const handler = './run.js';

async function compose(tools: unknown, files: Files = {}, server: object = {}): Promise<ServerSpec> {
  const folder = writePackage(
    { servers: ['main'], tools: ['a', 'b', 'far'] },
    {
      'agenttools/servers/main.json': { ...server, tools },
      'agenttools/tools/a.json': { description: 'A.', handler },
      'agenttools/tools/b.json': { description: 'B.', handler },
      'agenttools/tools/far.json': { description: 'Far.', upstream: { ...npx, tool: 'near' } },
      'run.js': 'export default () => "ran";',
      'place.js': `
        export const good = ({ env }) => ({ command: 'x', args: [env.ARG, '\${ARG}'] });
        export const late = async () => ({ url: 'https://a.example/mcp', type: 'sse' });
        export const lacking = () => { throw new Error('There is no kernel here. Install one.'); };
        export const wrong = () => ({ comand: 'x' });
        export const none = () => undefined;
        export const again = () => ({ place: './place.js#good' });`,
      ...files,
    },
  );
  const workspace = openWorkspace({ builtinFolder: path.join(root, 'src/builtin') });
  return await composeServer(await workspace.findServer(path.join(folder, 'main')), workspace);
}

const own = (spec: ServerSpec) => spec.registry.all('tools').map(({ name }) => name);

describe('an entry for an existing server', () => {
  test('counts the composed tools before it, without skipped ones', async () => {
    const spec = await compose([
      { upstream: npx },
      'a',
      'gone',
      { upstream: npx, prefix: 'two_' },
      'b',
      { upstream: { url: 'https://a.example/mcp' } },
    ]);
    expect(own(spec)).toEqual(['a', 'b']);
    expect(spec.upstreams.map(({ position, path: at }) => [position, at])).toEqual([
      [0, ['tools', 0]],
      [1, ['tools', 3]],
      [2, ['tools', 5]],
    ]);
    expect(spec.leftOut.map(({ item }) => item)).toEqual(['gone']);
  });

  test('has a choice of tools and their changes', async () => {
    const entry = { prefix: 'p_', only: ['x', 'y', 'z'], except: ['y'], rename: { z: 'zed' } };
    const said = { visible: false, category: null, timeoutMs: 5, meta: { m: 1 } };
    const [{ choice, changes } = expect.fail()] = (await compose([{ upstream: npx, ...entry, ...said }]))
      .upstreams;
    expect(choice).toEqual(entry);
    expect(changes).toEqual({ hidden: true, category: null, timeoutMs: 5, meta: { m: 1 } });
    expect(['x', 'y', 'z', 'w'].map((name) => chosenName(choice, name))).toEqual([
      'p_x',
      undefined,
      'zed',
      undefined,
    ]);
  });

  test('takes prompts, resources and apps by separate choices', async () => {
    const all = { prefix: '', only: undefined, except: [], rename: {} };
    const [first = expect.fail(), second = expect.fail()] = (
      await compose([
        { upstream: npx, prefix: 'p_', only: ['x'] },
        {
          upstream: npx,
          prompts: false,
          resources: { except: ['a:1'], prefix: 'r_' },
          apps: { only: ['ui://x'] },
        },
      ])
    ).upstreams;
    expect([first.prompts, first.resources, first.apps]).toEqual([all, all, all]);
    expect(second.prompts).toBeUndefined();
    expect(second.resources).toEqual({ ...all, except: ['a:1'], prefix: 'r_' });
    expect(second.apps).toEqual({ ...all, only: ['ui://x'] });
  });

  test('has no choice and no changes by default', async () => {
    const [{ choice, changes } = expect.fail()] = (await compose([{ upstream: npx }])).upstreams;
    expect(choice).toEqual({ prefix: '', only: undefined, except: [], rename: {} });
    expect(changes).toEqual({});
  });

  test.each<[object, RegExp]>([
    [{ upstream: {} }, /has no "upstream\.command"\. Expected a program, or "url", "package" or "place"\.$/],
    [{ upstream: 5 }, /has an unusable "upstream"/],
    [{ upstream: npx, onyl: [] }, /unknown key "onyl"\. Did you mean "only"\?/],
    [{ upstream: { ...npx, enviroment: {} } }, /unknown key "upstream\.enviroment"/],
    [{ upstream: npx, prefix: 'a b' }, /unusable "prefix"/],
    [{ upstream: npx, rename: { a: '' } }, /unusable "rename\.a"/],
    [{ upstream: npx, prompts: true }, /unusable "prompts"\. Expected false, or an object/],
    [{ upstream: npx, resources: { onyl: [] } }, /unknown key "resources\.onyl"\. Did you mean "only"\?/],
    [{ upstream: npx, apps: { only: 'a' } }, /unusable "apps\.only"/],
    [{ upstream: './gone.js#place' }, /unusable "tools\.0\.upstream": There is no file \.\/gone\.js/],
    [{ use: { upstream: npx } }, /Write the entry with "upstream" without "use"/],
  ])('%j is left out, and the rest stays', async (entry, message) => {
    const spec = await compose([entry, 'a']);
    expect([own(spec), spec.upstreams]).toEqual([['a'], []]);
    expect(spec.leftOut.map((one) => one.message)).toEqual([expect.stringMatching(message)]);
  });

  test('with a name is a single tool', async () => {
    const spec = await compose([{ name: 'one', description: 'One.', upstream: { ...npx, tool: 'eins' } }]);
    expect(spec.upstreams).toEqual([]);
    expect(spec.registry.resolve('tools', 'one')?.upstream?.tool).toBe('eins');
  });
});

describe('a tool that an existing server answers for', () => {
  test('is listed as it is defined, without asking', async () => {
    const tool = (await compose(['far'])).registry.resolve('tools', 'far')!;
    expect(tool.wire).toEqual({
      name: 'far',
      title: 'far',
      description: 'Far.',
      inputSchema: { type: 'object', properties: {} },
    });
    expect(tool.upstream).toMatchObject({ tool: 'near', upstream: { name: 'npx -y it' } });
    await expect(tool.handler()).rejects.toThrow('it is answered by the tool "near" of npx -y it');
  });

  test('uses its local name there by default', async () => {
    const spec = await compose(['a', 'far'], {
      'agenttools/tools/far.json': { upstream: './place.js#good' },
    });
    expect(spec.registry.resolve('tools', 'far')?.upstream?.tool).toBe('far');
  });

  test('has no handler beside', async () => {
    const both = { handler, upstream: npx };
    const spec = await compose(['far'], { 'agenttools/tools/far.json': both });
    expect(spec.leftOut.map(({ message }) => message)).toEqual([
      'Tool "far" has an unusable "upstream". Expected either "handler" or "upstream", not both.',
    ]);
  });
});

describe('one place is one server', () => {
  test('for all references of the package and any choice of tools', async () => {
    const spec = await compose([
      { upstream: { args: ['-y', 'it'], command: 'npx', startTimeoutMs: 5 }, prefix: 'x_' },
      { upstream: { ...npx, args: ['other'] } },
      { upstream: './place.js#good' },
      { upstream: { place: './place.js#good' } },
      { upstream: './place.js#late' },
    ]);
    // The same package in another folder, as after an update.
    const far = (await compose(['far'])).registry.resolve('tools', 'far')!.upstream!.upstream;
    const keys = spec.upstreams.map(({ upstream }) => upstream.key);
    expect(new Set(keys).size).toBe(4);
    expect(keys[2]).toBe(keys[3]);
    expect(keys[0]).toBe(far.key);
    expect(spec.upstreams.map(({ upstream }) => upstream.startTimeoutMs)).toEqual([
      5, 30_000, 30_000, 30_000, 30_000,
    ]);
  });

  test('is called as its author calls it, and stays the same server', async () => {
    const spec = await compose([
      { upstream: { ...npx, name: 'archive' } },
      { upstream: { place: './place.js#good', name: 'kernel' } },
      { upstream: npx },
    ]);
    const [archive, kernel, plain] = spec.upstreams.map(({ upstream }) => upstream);
    expect([archive?.name, kernel?.name, plain?.name]).toEqual(['archive', 'kernel', 'npx -y it']);
    expect(archive?.key).toBe(plain?.key);
  });

  test('within a package', async () => {
    const spec = await compose(['far', { upstream: npx }]);
    const [entry] = spec.upstreams;
    expect(entry?.upstream.key).toBe(spec.registry.resolve('tools', 'far')?.upstream?.upstream.key);
  });
});

test('resolves a function in code to one server at every use', async () => {
  const place = ({ env }: { env: Readonly<Record<string, string>> }) => ({ command: 'x', args: [env.ARG] });
  const { spec } = await composeLive({
    tools: { far: { upstream: { place, tool: 'near' } } },
    server: { tools: [{ upstream: place }, 'far', { upstream: () => ({ command: 'y' }) }] },
  });
  const [first = expect.fail(), second = expect.fail()] = spec.upstreams;
  const far = spec.registry.resolve('tools', 'far')!.upstream!;
  expect([first.upstream.name, far.tool, far.upstream.key]).toEqual(['place', 'near', first.upstream.key]);
  expect(second.upstream.key).not.toBe(first.upstream.key);
  expect(await first.upstream.place({ ARG: 'one' })).toMatchObject({ command: 'x', args: ['one'] });
});

describe('where a server is', () => {
  const placeOf = async (upstream: unknown, env = {}) =>
    await (await compose([{ upstream }])).upstreams[0]!.upstream.place(env);

  test('is resolved again each time, from the environment', async () => {
    expect(await placeOf({ command: 'x', args: [`\${ARG}`] }, { ARG: 'one' })).toMatchObject({
      args: ['one'],
    });
    const { upstream } = (await compose([{ upstream: { command: 'x', env: { T: `\${A}\${B:-b}\${A}` } } }]))
      .upstreams[0]!;
    expect(upstream.variables).toEqual(['A']);
  });

  test('comes from a function, without substitution of variables', async () => {
    expect(await placeOf('./place.js#good', { ARG: 'one' })).toMatchObject({
      command: 'x',
      args: ['one', `\${ARG}`],
    });
    expect(await placeOf({ place: './place.js#late' })).toMatchObject({
      url: 'https://a.example/mcp',
      transport: 'sse',
    });
  });

  test.each<[unknown, RegExp]>([
    [
      { command: 'x', env: { T: `\${SECRET_T}` } },
      /^The server x needs the environment variable SECRET_T, which is not set\.$/,
    ],
    [
      { command: './gone.js' },
      /^The server \.\/gone\.js needs \.\/gone\.js, which is not a file of the package\.$/,
    ],
    ['./place.js#lacking', /^There is no kernel here\. Install one\.$/],
    [
      './place.js#wrong',
      /^The endpoint from "\.\/place\.js#wrong" has an unknown key "comand"\. Did you mean "command"\?/,
    ],
    ['./place.js#none', /returned no endpoint/],
    ['./place.js#again', /returned another function/],
    ['./place.js#gone', /has no export "gone"/],
  ])('%j: what is missing is for the model to read', async (upstream, message) => {
    await expect(placeOf(upstream)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(message),
    });
  });
});

describe('a server with the tools that came', () => {
  const came = async (...names: readonly string[]): Promise<UpstreamItems> => {
    const [tool = expect.fail()] = (await compose(['far'])).registry.all('tools');
    const tools = names.map((name) => ({ ...tool, name, wire: { ...tool.wire, name } }));
    return { tools, prompts: [], resources: [] };
  };

  test('has each tool at the position of its entry, with numbers for equal names', async () => {
    const spec = await compose([
      { upstream: npx },
      'a',
      { upstream: npx, prefix: 'x' },
      { upstream: npx },
      'b',
    ]);
    const [first, second, third] = spec.upstreams;
    const more = withUpstreamItems(
      spec,
      new Map([
        [first!, await came('one')],
        [second!, await came('two', 'a')],
        [third!, await came('three')],
      ]),
    );
    expect(own(more)).toEqual(['one', 'a1', 'two', 'a2', 'three', 'b']);
    expect(own(withUpstreamItems(more, new Map([[third!, await came('a')]])))).toEqual(['a1', 'a2', 'b']);
    expect(own(withUpstreamItems(more, new Map()))).toEqual(['a', 'b']);
  });

  test('lists a catalog in place of them all, if it did so before', async () => {
    const spec = await compose([{ upstream: npx }], {}, { toolList: 'catalog', instructions: 'Mine.' });
    const fronts = ['find_tools', 'inspect_tool', 'call_tool'];
    expect([own(spec), [...spec.registry.fronts!]]).toEqual([fronts, fronts]);
    const more = withUpstreamItems(spec, new Map([[spec.upstreams[0]!, await came('find_tools', 'x')]]));
    expect([...more.registry.fronts!]).toEqual(fronts.map((name) => `${name}_2`));
    expect(own(more).slice(3)).toEqual(['find_tools', 'x']);
    expect(more.instructions).toMatch(/^Mine\.\n\n.*find_tools_2/);
  });
});
