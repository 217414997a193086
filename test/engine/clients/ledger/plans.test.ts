import { describe, expect, it } from 'vitest';
import type { ConfigEntry } from '../../../../src/engine/clients/edit/editor.js';
import { putEntry, readConfigDocument } from '../../../../src/engine/clients/edit/entries.js';
import type { ConfigState } from '../../../../src/engine/clients/ledger/config-plan.js';
import { planInstall } from '../../../../src/engine/clients/ledger/install.js';
import { entryLocator } from '../../../../src/engine/clients/ledger/slot.js';
import { planUninstall } from '../../../../src/engine/clients/ledger/uninstall.js';
import type { FileRecord, Receipt } from '../../../../src/engine/clients/receipt.js';

const file = '/home/ada/.cursor/mcp.json';
const empty: FileRecord = { version: 1, realFile: file, receipts: [], steps: [], made: [] };

function receipt(key: string, fields: Partial<Receipt> = {}): Receipt {
  return {
    client: 'cursor',
    scope: 'user',
    file,
    key,
    server: `@acme/kit/${key}`,
    reference: `@acme/kit/${key}`,
    argument: `@acme/kit/${key}`,
    variables: [],
    entry: { command: '/usr/bin/node', args: ['agenttools.js', 'start', key] },
    version: '0.1.0',
    time: '2026-11-21T12:00:00.000Z',
    format: 'jsonc',
    container: { path: ['mcpServers'], shape: 'map' },
    ...fields,
  };
}

async function install(state: ConfigState, wanted: Receipt, force = false) {
  return await planInstall(state, { receipt: wanted, place: entryLocator(wanted), force });
}

async function uninstall(state: ConfigState, key: string, { force = false, client = 'cursor' } = {}) {
  const known = state.record.receipts.find((one) => one.key === key && one.client === client)!;
  return await planUninstall(state, { receipt: known, place: entryLocator(known), force });
}

/** Every order in which things can be done. */
function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}

const originals: readonly (readonly [string, string | null])[] = [
  ['no file', null],
  ['an empty file', ''],
  ['braces only', '{}'],
  ['braces with a blank', '{ }\n'],
  ['a comment only', '// mine\n'],
  ['other settings', '{\r\n\t"theme": "dark" // nice\r\n}\r\n'],
  ['an empty container', '{ "mcpServers": {} }'],
  ['a container that is null', '{"mcpServers":null,"a":1.0}'],
  ['a server on one line', '{ "mcpServers": { "mine": { "command": "x" } } }\n'],
  [
    'a trailing comma',
    '\uFEFF{\n   "mcpServers": {\n      // first\n      "mine": { "command": "x" }, // tail\n   },\n}',
  ],
];

describe('after our last entry is gone, the bytes are the original ones', () => {
  const keys = ['one', 'two', 'three'];
  describe.each(originals)('%s', (_, original) => {
    it.each(permutations(keys).map((order) => [order.join(', '), order] as const))(
      'taken out as %s',
      async (__, order) => {
        let state: ConfigState = { text: original, record: empty };
        for (const key of keys) state = await install(state, receipt(key));
        for (const key of order) state = await uninstall(state, key);
        expect(state.text).toBe(original);
        expect(state.record).toEqual(empty);
      },
    );

    it('restores them after an update in between', async () => {
      let state: ConfigState = { text: original, record: empty };
      state = await install(state, receipt('one'));
      state = await install(state, receipt('two'));
      state = await install(
        state,
        receipt('one', { entry: { command: '/opt/node', args: ['other'], env: { A: '1' } } }),
      );
      state = await uninstall(state, 'two');
      state = await uninstall(state, 'one');
      expect(state.text).toBe(original);
    });

    it('changes nothing if installed twice', async () => {
      const once = await install({ text: original, record: empty }, receipt('one'));
      const twice = await install(once, receipt('one', { time: '2027-01-01T00:00:00.000Z' }));
      expect(twice).toEqual({ text: once.text, record: once.record, outcome: 'unchanged' });
    });
  });
});

describe('changes by others in between', () => {
  it('a setting at the end of the file', async () => {
    const original = '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n';
    const once = await install({ text: original, record: empty }, receipt('one'));
    const edit = (text: string) => text.replace('"mcpServers"', '"theme": "dark",\n  "mcpServers"');
    const { text } = await uninstall({ ...once, text: edit(once.text!) }, 'one');
    expect(text).toBe(edit(original));
  });

  it('in a container that install made: it goes when no other entry uses it', async () => {
    const once = await install({ text: '{\n  "a": 1\n}\n', record: empty }, receipt('one'));
    const { text } = await uninstall({ ...once, text: once.text!.replace('"a": 1', '"a": 2') }, 'one');
    expect(text).toBe('{\n  "a": 2\n}\n');
  });

  it('keeps the container if another entry uses it', async () => {
    const once = await install({ text: '{}', record: empty }, receipt('one'));
    const other = receipt('other');
    const text = await putEntry(once.text, entryLocator(other), other.entry);
    const after = await uninstall({ ...once, text }, 'one');
    expect(await readConfigDocument(after.text!, 'json')).toEqual({ mcpServers: { other: other.entry } });
  });

  it('a file that the client wrote again in its own way', async () => {
    const once = await install({ text: '{}', record: empty }, receipt('one'));
    const rewritten = JSON.stringify({ version: 2, ...JSON.parse(once.text!) });
    const after = await uninstall({ ...once, text: rewritten }, 'one');
    expect(JSON.parse(after.text!)).toEqual({ version: 2 });
  });
});

describe('an entry of AgentTools', () => {
  const ours = receipt('one', { entry: { command: 'node', args: ['a'], env: { A: '1', B: '2' } } });

  async function edited(change: (entry: Record<string, unknown>) => void): Promise<ConfigState> {
    const once = await install({ text: '{}', record: empty }, ours);
    const data = JSON.parse(once.text!);
    change(data.mcpServers.one);
    return { ...once, text: JSON.stringify(data, undefined, 2) };
  }

  const entryIn = (text: string | null) => JSON.parse(text!).mcpServers.one;

  it('keeps the fields and variables that the user added when it is brought up to date, and loses what is no longer given', async () => {
    const state = await edited((entry) =>
      Object.assign(entry, { disabled: true, env: { A: '1', B: '2', MINE: 'x' } }),
    );
    const { text, outcome } = await install(state, {
      ...ours,
      entry: { command: 'node', args: ['b'], env: { A: '3' } },
    });
    expect(outcome).toBe('updated');
    expect(entryIn(text)).toEqual({
      command: 'node',
      args: ['b'],
      env: { A: '3', MINE: 'x' },
      disabled: true,
    });
  });

  it.each([
    ['command', { command: 'other' }],
    ['an argument', { args: ['a', '--debug'] }],
    ['a variable', { env: { A: '9', B: '2' } }],
  ])('blocks both after an edit of %s, unless forced', async (_, change) => {
    const state = await edited((entry) => Object.assign(entry, change));
    await expect(install(state, ours)).rejects.toThrow(/edited by hand.*--force/);
    await expect(uninstall(state, 'one')).rejects.toThrow(/edited by hand.*--force/);
    expect(entryIn((await install(state, ours, true)).text)).toEqual(ours.entry);
    expect(JSON.parse((await uninstall(state, 'one', { force: true })).text!)).toEqual({});
  });

  it('is forgotten by uninstall after a manual removal, and the file stays as it is', async () => {
    const once = await install({ text: '{}', record: empty }, ours);
    const after = await uninstall({ ...once, text: '{ "mcpServers": {} }' }, 'one');
    expect(after).toEqual({ text: '{ "mcpServers": {} }', record: empty, outcome: 'gone' });
  });

  it('leaves no trace if installed again after a manual removal', async () => {
    const once = await install({ text: '{}', record: empty }, ours);
    const again = await install({ ...once, text: '{ "mcpServers": {} }' }, ours);
    expect((await uninstall(again, 'one')).text).toBe('{ "mcpServers": {} }');
  });
});

describe('user settings in an entry of AgentTools', () => {
  const ours = receipt('one', { entry: { command: 'node', args: ['a'], disabled: false, autoApprove: [] } });

  it('is no edit, and stays when it is brought up to date', async () => {
    const once = await install({ text: '{}', record: empty }, ours);
    const text = once.text!.replace('"disabled": false', '"disabled": true');
    const newer = { ...ours, entry: { ...ours.entry, args: ['b'] } };
    const { text: after } = await install({ ...once, text }, newer);
    expect(JSON.parse(after!).mcpServers.one).toEqual({
      command: 'node',
      args: ['b'],
      disabled: true,
      autoApprove: [],
    });
    expect(JSON.parse((await uninstall({ ...once, text }, 'one')).text!)).toEqual({});
  });
});

describe('a key that is taken', () => {
  const foreign: ConfigEntry = { command: 'theirs', args: [], env: { SECRET: 'x' }, timeout: 5 };
  const text = JSON.stringify({ mcpServers: { one: foreign } }, undefined, 2);

  it('by another program is refused, with both options named', async () => {
    await expect(install({ text, record: empty }, receipt('one'))).rejects.toThrow(
      /did not write.*--name.*--force/,
    );
  });

  it('by two entries is refused at the position of the second one', async () => {
    const twice = '{"mcpServers":{"one":{},"one":{}}}';
    await expect(install({ text: twice, record: empty }, receipt('one'))).rejects.toMatchObject({
      message: 'The key "one" occurs twice.',
      offset: twice.lastIndexOf('"one"'),
    });
  });

  it('by another AgentTools server is refused', async () => {
    const once = await install({ text: '{}', record: empty }, receipt('one'));
    const other = receipt('one', { server: '@other/kit/one', entry: { command: 'other' } });
    await expect(install(once, other)).rejects.toThrow(/another server, @acme\/kit\/one.*--name/);
  });

  it('gives way with force, its own settings staying, and comes back with uninstall to the byte', async () => {
    const taken = await install({ text, record: empty }, receipt('one'), true);
    expect(taken.outcome).toBe('replaced');
    expect(JSON.parse(taken.text!).mcpServers.one).toEqual({ ...receipt('one').entry, timeout: 5 });
    expect((await uninstall(taken, 'one')).text).toBe(text);
  });

  it('by a remote server leaves nothing of how that is reached', async () => {
    const remote = { httpUrl: 'https://example.com', headers: { A: 'b' }, cwd: '/theirs', timeout: 5 };
    const before = JSON.stringify({ mcpServers: { one: remote } });
    const taken = await install({ text: before, record: empty }, receipt('one'), true);
    expect(JSON.parse(taken.text!).mcpServers.one).toEqual({ ...receipt('one').entry, timeout: 5 });
    expect((await uninstall(taken, 'one')).text).toBe(before);
  });

  it('by another AgentTools server is replaced with force, and restored on uninstall', async () => {
    const once = await install({ text: '{}', record: empty }, receipt('one'));
    const other = receipt('one', { server: '@other/kit/one', entry: { command: 'other' } });
    const taken = await install(once, other, true);
    expect(taken.outcome).toBe('replaced');
    const back = await uninstall(taken, 'one');
    expect(back.text).toBe(once.text);
    expect(back.record).toEqual(once.record);
    expect((await install(back, receipt('one'))).outcome).toBe('unchanged');
    expect((await uninstall(back, 'one')).text).toBe('{}');
  });

  it('by another AgentTools server is recognised again after any rewrite of the file', async () => {
    const item = { id: 'key', type: 'promptString' };
    const former = receipt('one', { additions: [{ list: ['inputs'], item }] });
    const once = await install({ text: '{}', record: empty }, former);
    const other = receipt('one', { server: '@other/kit/one', entry: { command: 'other' } });
    const taken = await install(once, other, true);
    expect(JSON.parse(taken.text!).inputs ?? []).toEqual([]);
    const rewritten = JSON.stringify({ ...JSON.parse(taken.text!), more: true });
    const back = await uninstall({ ...taken, text: rewritten }, 'one');
    expect(back.outcome).toBe('restored');
    expect(JSON.parse(back.text!)).toEqual({ ...JSON.parse(once.text!), more: true });
    expect(back.record.receipts).toEqual([former]);
  });

  it('by another AgentTools server is restored, even if an entry from before both is removed first', async () => {
    let state: ConfigState = { text: '{}', record: empty };
    state = await install(state, receipt('two'));
    state = await install(state, receipt('one'));
    const former = state.record.receipts.find(({ key }) => key === 'one');
    const other = receipt('one', { server: '@other/kit/one', entry: { command: 'other' } });
    state = await uninstall(await install(state, other, true), 'two');
    state = await uninstall(state, 'one');
    expect(JSON.parse(state.text!)).toEqual({ mcpServers: { one: former!.entry } });
    expect(state.record.receipts).toEqual([former]);
    expect(await uninstall(state, 'one')).toEqual({ text: '{}', record: empty, outcome: 'removed' });
  });

  it('comes back by value where the file was written again since', async () => {
    const taken = await install({ text, record: empty }, receipt('one'), true);
    const rewritten = JSON.stringify({ ...JSON.parse(taken.text!), more: true });
    const { text: after } = await uninstall({ ...taken, text: rewritten }, 'one');
    expect(JSON.parse(after!)).toEqual({ mcpServers: { one: foreign }, more: true });
  });

  it('by an equal entry is adopted without a change of the file', async () => {
    const equal = JSON.stringify({ mcpServers: { one: receipt('one').entry } });
    const adopted = await install({ text: equal, record: empty }, receipt('one'));
    expect(adopted).toMatchObject({ text: equal, outcome: 'adopted' });
    expect(adopted.record.receipts).toHaveLength(1);
  });
});

describe('an entry that may take the place of another', () => {
  const kin = (server: string, fields: Partial<Receipt> = {}) =>
    receipt('one', {
      server,
      family: 'acme',
      entry: { command: 'node', args: ['start', server], env: { MCP_SERVER_NAME: server } },
      ...fields,
    });
  const first = kin('@acme/kit/first');
  const second = kin('@acme/kit/second');
  const entryIn = (text: string | null) => JSON.parse(text!).mcpServers.one;

  it.each(originals)('leaves the bytes of before both when it goes: %s', async (_, original) => {
    let state: ConfigState = { text: original, record: empty };
    for (const next of [first, second, kin('@acme/kit/third'), first, second]) {
      state = await install(state, next);
    }
    expect(state).toMatchObject({ outcome: 'exchanged', record: { receipts: [second] } });
    expect(await uninstall(state, 'one')).toMatchObject({ text: original, record: empty });
  });

  it('does so whether or not it is forced', async () => {
    const forced = await install(await install({ text: '{}', record: empty }, first), second, true);
    expect(forced).toMatchObject({ outcome: 'exchanged', record: { receipts: [second] } });
    expect((await uninstall(forced, 'one')).text).toBe('{}');
  });

  it('keeps what the user added, and loses what only the other one set', async () => {
    const before = kin('@acme/kit/first', { entry: { command: 'node', args: [], env: { A: '1', B: '2' } } });
    const once = await install({ text: '{}', record: empty }, before);
    const data = JSON.parse(once.text!);
    Object.assign(data.mcpServers.one, { disabled: true });
    data.mcpServers.one.env.MINE = 'x';
    const { text } = await install({ ...once, text: JSON.stringify(data) }, second);
    expect(entryIn(text)).toEqual({
      ...second.entry,
      env: { MCP_SERVER_NAME: '@acme/kit/second', MINE: 'x' },
      disabled: true,
    });
  });

  it('is refused where that one was edited by hand, and not with force', async () => {
    const once = await install({ text: '{}', record: empty }, first);
    const edited = { ...once, text: once.text!.replace('"node"', '"other"') };
    await expect(install(edited, second)).rejects.toThrow(/edited by hand.*--force/);
    expect(entryIn((await install(edited, second, true)).text)).toEqual(second.entry);
  });

  it.each([
    ['of another family', { family: 'other' }],
    ['of none', {}],
  ])('is refused by one %s', async (_, fields) => {
    const { family: __, ...stranger } = second;
    const next: Receipt = { ...stranger, ...fields };
    const once = await install({ text: '{}', record: empty }, first);
    await expect(install(once, next)).rejects.toThrow(/another server, @acme\/kit\/first.*--force/);
    const other = await install({ text: '{}', record: empty }, next);
    await expect(install(other, first)).rejects.toThrow(/another server, @acme\/kit\/second.*--force/);
  });

  it('gives back what the first one had taken the place of', async () => {
    const text = JSON.stringify({ mcpServers: { one: { command: 'theirs' } } });
    const taken = await install({ text, record: empty }, first, true);
    const back = await uninstall(await install(taken, second), 'one');
    expect(back).toMatchObject({ text, outcome: 'restored', record: empty });
  });

  it('takes it for both clients that read the file, and is refused to one that only joins them', async () => {
    const once = await install({ text: '{}', record: empty }, first);
    const joining = { ...second, client: 'copilot-cli' };
    await expect(install(once, joining)).rejects.toThrow(
      /also cursor's, and starts @acme\/kit\/first\. .*--name.*--force/,
    );
    const both = await install(once, { ...first, client: 'copilot-cli' });
    const next = await install(both, joining);
    expect(next.record.receipts.map(({ client, server }) => [client, server])).toEqual([
      ['cursor', '@acme/kit/second'],
      ['copilot-cli', '@acme/kit/second'],
    ]);
    expect((await uninstall(await uninstall(next, 'one'), 'one', { client: 'copilot-cli' })).text).toBe('{}');
  });
});

describe('two clients that read one file', () => {
  const first = receipt('one', {
    client: 'claude-code',
    entry: { type: 'stdio', command: 'node', args: ['a'] },
  });
  const second = receipt('one', {
    client: 'copilot-cli',
    entry: { type: 'local', command: 'node', args: ['a'], tools: ['*'] },
  });

  it('share the entry, which stays until both are gone', async () => {
    const once = await install({ text: '{}\n', record: empty }, first);
    const both = await install(once, second);
    expect(both).toMatchObject({ text: once.text, outcome: 'adopted' });
    const left = await uninstall(both, 'one', { client: 'claude-code' });
    expect(left).toMatchObject({ text: once.text, outcome: 'shared' });
    const gone = await uninstall(left, 'one', { client: 'copilot-cli' });
    expect(gone).toEqual({ text: '{}\n', record: empty, outcome: 'removed' });
  });

  it('get what either of them is brought up to date to', async () => {
    const both = await install(await install({ text: '{}', record: empty }, first), second);
    const newer = await install(both, { ...second, entry: { ...second.entry, args: ['b'] } });
    expect(JSON.parse(newer.text!).mcpServers.one).toEqual({ type: 'stdio', command: 'node', args: ['b'] });
    const again = await install(newer, { ...first, entry: { ...first.entry, args: ['b'] } });
    expect(again.text).toBe(newer.text);
  });
});

describe('two clients that read one file, with other variables', () => {
  const one = receipt('one', {
    client: 'claude-code',
    entry: { command: 'node', args: ['a'], env: { A: '1' } },
  });
  const two = receipt('one', {
    client: 'copilot-cli',
    entry: { command: 'node', args: ['a'], env: { B: '2' } },
  });

  it('are refused, and with force both get what is written', async () => {
    const once = await install({ text: '{}', record: empty }, one);
    await expect(install(once, two)).rejects.toThrow(
      /also claude-code's, with other variables.*--name.*--force/,
    );
    const both = await install(once, two, true);
    expect(both.record.receipts.map(({ entry }) => entry.env)).toEqual([{ B: '2' }, { B: '2' }]);
  });

  it('are refused for other headers of a remote server, too', async () => {
    const remote = (headers: Record<string, string>) => ({ type: 'http', url: 'https://a.example', headers });
    const once = await install({ text: '{}', record: empty }, { ...one, entry: remote({ A: '1' }) });
    const other = { ...two, entry: { ...remote({ A: '2' }), tools: ['*'] } };
    await expect(install(once, other)).rejects.toThrow(/with other variables or headers/);
    const both = await install(once, other, true);
    expect(JSON.parse(both.text!).mcpServers.one).toEqual(remote({ A: '2' }));
    const same = { ...two, entry: { ...remote({ A: '1' }), tools: ['*'] } };
    expect(JSON.parse((await install(once, same)).text!).mcpServers.one).toEqual(remote({ A: '1' }));
  });

  it('with another server, the forced one is the only one left', async () => {
    const once = await install({ text: '{}', record: empty }, one);
    const taken = await install(once, { ...two, server: '@other/kit/one' }, true);
    expect(taken.record.receipts.map(({ client, server }) => [client, server])).toEqual([
      ['copilot-cli', '@other/kit/one'],
    ]);
  });

  it('where the first one took the entry out by hand, the second one gets its own form', async () => {
    const once = await install(
      { text: '{}', record: empty },
      { ...one, entry: { type: 'local', command: 'x' } },
    );
    const { text } = await install({ ...once, text: '{}' }, two);
    expect(JSON.parse(text!).mcpServers.one).toEqual(two.entry);
  });
});

describe('a file that begins with a template', () => {
  const template = '{\n  "$schema": "https://example.com/config.json"\n}\n';
  const [one, two] = [receipt('one', { template }), receipt('two', { template })];

  it('gets it when the first entry is installed', async () => {
    const { text } = await install({ text: null, record: empty }, one);
    expect(JSON.parse(text!)).toEqual({ ...JSON.parse(template), mcpServers: { one: one.entry } });
  });

  it('keeps it when the first of two entries goes, and goes with the second', async () => {
    const both = await install(await install({ text: null, record: empty }, one), two);
    const left = await uninstall(both, 'one');
    expect(JSON.parse(left.text!)).toEqual({ ...JSON.parse(template), mcpServers: { two: two.entry } });
    expect(await uninstall(left, 'two')).toMatchObject({ text: null, record: empty });
  });

  it('gets none where the file exists', async () => {
    const { text } = await install({ text: '{}', record: empty }, one);
    expect(JSON.parse(text!)).toEqual({ mcpServers: { one: one.entry } });
  });
});

describe('settings that an entry needs elsewhere in the file', () => {
  const item = { id: 'key', type: 'promptString', password: true };
  const withQuestion = receipt('one', { additions: [{ list: ['inputs'], item }] });

  it.each([
    ['without a list', '{\n  "mcpServers": {}\n}\n'],
    ['where there is a list', '{\n  "inputs": [\n    { "id": "mine" }\n  ],\n  "mcpServers": {}\n}\n'],
  ])('comes and goes with it %s', async (_, original) => {
    const once = await install({ text: original, record: empty }, withQuestion);
    expect(JSON.parse(once.text!).inputs).toContainEqual(item);
    expect((await uninstall(once, 'one')).text).toBe(original);
  });

  it('goes too where the file was written again since', async () => {
    const once = await install({ text: '{"inputs":[{"id":"mine"}]}', record: empty }, withQuestion);
    const rewritten = JSON.stringify({ ...JSON.parse(once.text!), more: 1 });
    const { text } = await uninstall({ ...once, text: rewritten }, 'one');
    expect(JSON.parse(text!)).toEqual({ inputs: [{ id: 'mine' }], more: 1 });
  });

  it('goes when the entry no longer needs it', async () => {
    const original = '{\n  "inputs": [{ "id": "mine" }]\n}\n';
    const once = await install({ text: original, record: empty }, withQuestion);
    const without = await install(once, receipt('one', { entry: { command: 'other' } }));
    expect(JSON.parse(without.text!).inputs).toEqual([{ id: 'mine' }]);
    expect((await uninstall(without, 'one')).text).toBe(original);
  });

  it('goes with the list that was made for it, where the file was written again since', async () => {
    const once = await install({ text: '{}', record: empty }, withQuestion);
    const rewritten = JSON.stringify({ ...JSON.parse(once.text!), more: 1 });
    expect(JSON.parse((await uninstall({ ...once, text: rewritten }, 'one')).text!)).toEqual({ more: 1 });
  });

  it('goes where the entry was taken out by hand', async () => {
    const once = await install({ text: '{}', record: empty }, withQuestion);
    const text = JSON.stringify({ inputs: JSON.parse(once.text!).inputs });
    expect(await uninstall({ ...once, text }, 'one')).toMatchObject({ text: '{}', outcome: 'gone' });
  });
});
