import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeConfig } from '../../../src/engine/clients/config-change.js';
import { configValueAt } from '../../../src/engine/clients/edit/config-path.js';
import { putEntry, readConfigDocument } from '../../../src/engine/clients/edit/entries.js';
import { planInstall } from '../../../src/engine/clients/ledger/install.js';
import { entryLocator } from '../../../src/engine/clients/ledger/slot.js';
import { planUninstall } from '../../../src/engine/clients/ledger/uninstall.js';
import type { Receipt } from '../../../src/engine/clients/receipt.js';
import { Receipts } from '../../../src/engine/clients/receipts.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { undo } from '../../../src/engine/installation/undo.js';
import { writeFolder } from '../../support/packages.js';
import { runs } from '../../support/runs.js';

const originals = {
  json: [null, '{ "a": 1 }\n', '{\r\n\t"mcpServers": {}\r\n}'],
  jsonc: [null, '{\n  // mine\n  "a": 1, // tail\n}\n'],
  toml: [null, 'model = "x"\n\n[mcp_servers.mine]\ncommand = "x" # tail\n\n[tui]\na = 1'],
  yaml: [null, 'a: 1 # one\n', 'extensions: {}\n'],
} as const;

const keys = ['one', 'two'] as const;

const sequences = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constantFrom('install', 'install', 'take', 'uninstall'),
      key: fc.constantFrom(...keys),
      version: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ act: fc.constantFrom('edit', 'undo', 'undo', 'redo') }),
  ),
  { maxLength: 9 },
);

describe.each(['cursor', 'vscode', 'codex', 'goose', 'continue'])('%s', (id) => {
  const client = writableClients.find((one) => one.id === id)!;

  /** A file of the client, and the commands that work on it. */
  function stageOf(original: string | null) {
    const home = writeFolder();
    const file = path.join(home, 'client/config');
    const folder = path.join(home, 'data');
    if (original !== null) {
      mkdirSync(path.dirname(file));
      writeFileSync(file, original);
    }
    const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : null);
    const receipts = () => new Receipts({ folder });
    const receipt = (key: string, version: number, server: string): Receipt => ({
      client: id,
      scope: 'user',
      file,
      key,
      server,
      reference: key,
      argument: key,
      variables: [],
      entry: client.entry({ command: `/v${version}/node`, args: ['start', key], env: {} }, key),
      version: '0.1.0',
      time: '2026-11-21T12:00:00.000Z',
      format: client.format,
      container: client.container,
    });
    const known = async (key: string) =>
      (await receipts().read(file)).receipts.find((one) => one.key === key);
    return {
      text,
      known,
      countChanges: async () => (await receipts().history.all()).changes.length,
      entries: async () => {
        const data = await readConfigDocument(text() ?? '', client.format).catch(() => undefined);
        const held = configValueAt(data, client.container.path);
        const names = Array.isArray(held) ? held.map(({ name }) => name) : Object.keys(held ?? {});
        return names.sort();
      },
      install: async (key: string, version: number, act: string) => {
        const server =
          act === 'take' ? `@acme/kit/kit${version}` : ((await known(key))?.server ?? '@acme/kit/kit');
        const wanted = receipt(key, version, server);
        const plan = (state: Parameters<typeof planInstall>[0]) =>
          planInstall(state, { receipt: wanted, place: entryLocator(wanted), force: act === 'take' });
        await changeConfig(file, plan, { receipts: receipts(), dryRun: false });
      },
      uninstall: async (key: string) => {
        const owned = await known(key);
        if (!owned) return;
        const plan = (state: Parameters<typeof planInstall>[0]) =>
          planUninstall(state, { receipt: owned, place: entryLocator(owned), force: false });
        await changeConfig(file, plan, { receipts: receipts(), dryRun: false });
      },
      edit: async (key: string) => {
        const { format, container } = client;
        const entry = client.entry({ command: 'theirs', args: [], env: {} }, key);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, await putEntry(text(), { format, container, key }, entry));
      },
      undo: async (count: number, redo = false) =>
        await undo({ count, redo, force: false, dryRun: false }, receipts()),
    };
  }

  it('restores the bytes before each change that no other program followed, and only keeps foreign entries', {
    timeout: 300_000,
  }, async () => {
    const texts = fc.constantFrom<(string | null)[]>(...originals[client.format]);
    await fc.assert(
      fc.asyncProperty(texts, sequences, async (original, sequence) => {
        const stage = stageOf(original);
        const before = await stage.entries();
        const foreign: string[] = [];
        // Texts around each change; undefined after an edit of another program.
        let exact: (readonly [string | null, string | null])[] = [];
        const expectDone = ({ results }: Awaited<ReturnType<typeof stage.undo>>) =>
          expect(results.flatMap((result) => ('error' in result ? [result.error.message] : []))).toEqual([]);
        for (const step of sequence) {
          const text = stage.text();
          if (step.act === 'edit') {
            foreign.push(`foreign${foreign.length}`);
            await stage.edit(foreign.at(-1)!);
            exact = [];
          } else if (step.act === 'undo') {
            const last = exact.pop();
            expectDone(await stage.undo(1));
            if (last) expect(stage.text()).toBe(last[0]);
            else exact = [];
          } else if (step.act === 'redo') {
            const { results } = await stage.undo(1, true);
            expectDone({ results, left: 0, notes: [] });
            if (results.length > 0) exact = [];
          } else if ('key' in step) {
            const count = await stage.countChanges();
            if (step.act === 'uninstall') await stage.uninstall(step.key);
            else await stage.install(step.key, step.version, step.act);
            if ((await stage.countChanges()) > count) exact.push([text, stage.text()]);
          }
        }
        expectDone(await stage.undo(1000));
        for (const key of keys) expect(await stage.known(key)).toBeUndefined();
        expect(await stage.entries()).toEqual([...before, ...foreign].sort());
        if (foreign.length === 0) expect(stage.text()).toBe(original);
      }),
      { numRuns: runs / 50 },
    );
  });
});
