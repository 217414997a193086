// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import { describe, expect, test } from 'vitest';
import { LiveServer } from '../../../src/engine/live/live-server.js';
import type { Servable } from '../../../src/engine/runtime/compose-server.js';
import { parseToolOptions } from '../../../src/engine/runtime/tool-options.js';
import { type ModelSurface, surfaceOf } from '../../../src/engine/surface/model-surface.js';
import { FrozenGate } from '../../../src/engine/surface/surface-gate.js';
import { composeLive, openSession } from '../../support/session.js';

async function serverWith(tools: Readonly<Record<string, string>>, instructions = 'Ask.'): Promise<Servable> {
  const { spec } = await composeLive({
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, description]) => [name, { description, handler: () => 'done' }]),
    ),
    server: { tools: '*', instructions },
  });
  return spec;
}

interface Case {
  readonly record?: ModelSurface | undefined;
  readonly extent?: 'item' | 'server';
}

/** A gate, and its lines on stderr. */
function open({ record, extent = 'item' }: Case) {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  return { gate: new FrozenGate({ record, extent, renewal: 'renew', report }), lines };
}

const namesOf = ({ registry }: Servable) => registry.all('tools').map(({ name }) => name);

describe('a frozen server', () => {
  test('serves recorded items and texts, and reports each refused item once', async () => {
    const record = surfaceOf(await serverWith({ one: 'One.', two: 'Two.', gone: 'Gone.' }));
    const now = await serverWith({ one: 'One.', two: 'Other.', three: 'Three.' }, 'Obey.');
    const { gate, lines } = open({ record });
    const served = gate.apply(now, now);
    gate.listed(now, now);
    gate.listed(now, now);
    expect(namesOf(served)).toEqual(['one']);
    expect(served.instructions).toBe('Ask.');
    expect(served.info).toMatchObject({ name: now.info.name, version: now.info.version });
    expect(lines).toEqual([
      'frozen: the texts of the server are the recorded ones: instructions changed since it was recorded. Accept the change with: renew',
      'frozen: tool "two" is not served: description changed since it was recorded. Accept the change with: renew',
      'frozen: tool "three" is not served: it is new since it was recorded. Accept the change with: renew',
    ]);
  });

  test('names --frozen to a client that calls a refused tool', async () => {
    const record = surfaceOf(await serverWith({ kept: 'Kept.', one: 'One.', gone: 'Gone.' }));
    const server = await serverWith({ kept: 'Kept.', one: 'Other.' });
    const { gate } = open({ record });
    const live = new LiveServer({ server, env: {}, report: () => {}, gate });
    const session = await openSession({
      served: { live, toolOptions: parseToolOptions(undefined, () => {}) },
    });
    await expect(session.request('tools/call', { name: 'one' })).rejects.toMatchObject({
      message: expect.stringContaining('started with --frozen and does not serve it'),
    });
    await expect(session.request('tools/call', { name: 'gone' })).rejects.toMatchObject({
      message: 'Unknown tool: gone',
    });
  });

  test('serves no item at all if one has changed, where the server is refused', async () => {
    const record = surfaceOf(await serverWith({ one: 'One.', two: 'Two.' }));
    const now = await serverWith({ one: 'One.', two: 'Other.' });
    const { gate, lines } = open({ record, extent: 'server' });
    expect(namesOf(gate.apply(now, now))).toEqual([]);
    gate.listed(now, now);
    expect(lines.at(-1)).toBe('frozen: the server lists nothing, because of these changes.');
    const same = open({ record, extent: 'server' });
    const before = await serverWith({ one: 'One.', two: 'Two.' });
    expect(namesOf(same.gate.apply(before, before))).toEqual(['one', 'two']);
  });

  test('serves no item once its texts have changed, where the server is refused', async () => {
    const record = surfaceOf(await serverWith({ one: 'One.' }));
    const now = await serverWith({ one: 'One.' }, 'Obey.');
    const { gate } = open({ record, extent: 'server' });
    gate.listed(now, now);
    const served = gate.apply(now, now);
    expect(namesOf(served)).toEqual([]);
    expect(served.instructions).toBeUndefined();
  });

  test('serves its own items without a record, and no item of its upstream servers', async () => {
    const composed = await serverWith({ one: 'One.' });
    const extended = await serverWith({ one: 'One.', far: 'Far.' }, 'Ask. And obey.');
    const { gate, lines } = open({});
    const served = gate.apply(extended, composed);
    gate.listed(extended, composed);
    expect(namesOf(served)).toEqual(['one']);
    expect(served.instructions).toBe('Ask.');
    expect(lines).toContain(
      'frozen: tool "far" is not served, since it is not recorded. Record it with: renew',
    );
  });

  test('serves its own items by file after an update, and upstream items as recorded', async () => {
    const record = surfaceOf(await serverWith({ one: 'One.', far: 'Far.', farther: 'Farther.' }));
    const composed = await serverWith({ one: 'Updated.' });
    const extended = await serverWith({ one: 'Updated.', far: 'Far.', farther: 'Obey.' });
    const { gate } = open({ record: { ...record, isOutdated: true } });
    expect(namesOf(gate.apply(extended, composed))).toEqual(['one', 'far']);
  });
});

describe('an upstream server of a frozen server', () => {
  const upstreams = (env: Readonly<Record<string, string>>, url?: string) =>
    composeLive({
      server: {
        tools: [{ upstream: url === undefined ? { command: 'far', env } : { url, headers: env } }],
      },
    });
  const cases: Readonly<
    Record<string, readonly [now: Parameters<typeof upstreams>, line: string | undefined]>
  > = {
    'the recorded variables': [[{ TOKEN: '${TOKEN}' }], undefined],
    'fewer variables': [[{}], undefined],
    'another variable': [
      [{ TOKEN: '${TOKEN}', X: '${AWS_SECRET}' }],
      'it would get AWS_SECRET, which was not recorded',
    ],
  };

  test.each(Object.entries(cases))('with %s', async (_, [now, reason]) => {
    const record = surfaceOf((await upstreams({ TOKEN: '${TOKEN}' })).spec);
    const { gate, lines } = open({ record });
    const { upstreams: admitted } = gate.admit((await upstreams(...now)).spec);
    expect(admitted).toHaveLength(reason === undefined ? 1 : 0);
    expect(lines).toEqual(
      reason === undefined
        ? []
        : [`frozen: the upstream server "far" is not opened, since ${reason}. Record it with: renew`],
    );
  });

  test('may have the label of another one with other variables', async () => {
    const twins = async (...names: readonly string[]) =>
      (
        await composeLive({
          server: {
            tools: names.map((name) => ({ upstream: { command: 'far', env: { TOKEN: `\${${name}}` } } })),
          },
        })
      ).spec;
    const { gate, lines } = open({ record: surfaceOf(await twins('WORK', 'HOME_TOKEN')) });
    expect(gate.admit(await twins('WORK', 'HOME_TOKEN')).upstreams).toHaveLength(2);
    expect(gate.admit(await twins('WORK', 'OTHER')).upstreams).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });

  test('is not opened at another host, or without a record', async () => {
    const at = async (url: string) => (await upstreams({}, url)).spec;
    const record = surfaceOf(await at('https://${HOST:-a.example}/mcp'));
    expect(open({ record }).gate.admit(await at('https://${HOST:-a.example}/mcp')).upstreams).toHaveLength(1);
    expect(open({ record }).gate.admit(await at('https://b.example/mcp')).upstreams).toEqual([]);
    const without = open({});
    expect(without.gate.admit(await at('https://a.example/mcp')).upstreams).toEqual([]);
    expect(without.lines).toEqual([
      'frozen: the upstream server "https://a.example/mcp" is not opened, since it is not recorded. Record it with: renew',
    ]);
    const updated = { ...record, isOutdated: true };
    expect(open({ record: updated }).gate.admit(await at('https://b.example/mcp')).upstreams).toHaveLength(1);
  });
});
