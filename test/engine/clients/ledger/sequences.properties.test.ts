import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigState } from '../../../../src/engine/clients/ledger/config-plan.js';
import { planInstall } from '../../../../src/engine/clients/ledger/install.js';
import { entryLocator } from '../../../../src/engine/clients/ledger/slot.js';
import { planUninstall } from '../../../../src/engine/clients/ledger/uninstall.js';
import type { FileRecord, Receipt } from '../../../../src/engine/clients/receipt.js';
import { writableClients } from '../../../../src/engine/clients/table/index.js';
import { runs } from '../../../support/runs.js';

/** What a client's file may hold before us, in each syntax. */
const originals = {
  json: [null, '', '{}', '{ "a": 1 }\n', '{\r\n\t"mcpServers": {}\r\n}', '{"mcpServers":null}'],
  jsonc: [null, '// mine\n', '{\n  // mine\n  "a": 1, // tail\n}\n', '{ /* x */ }'],
  toml: [
    null,
    '',
    '# mine\n',
    'model = "x"\n\n[mcp_servers.mine]\ncommand = "x" # tail\n\n[tui]\na = 1',
    '[mcp_servers]\n',
  ],
  yaml: [
    null,
    '',
    '# mine\n',
    'a: 1\n',
    'extensions:\nb: 2\n',
    'extensions: {}\n',
    'mcpServers: []   # none yet\nz: 1',
  ],
} as const;

const steps = fc.array(
  fc.record({
    act: fc.constantFrom(
      'install',
      'install',
      'update',
      'force',
      'take',
      'exchange',
      'exchange',
      'uninstall',
    ),
    key: fc.constantFrom('one', 'two', 'three'),
    version: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 10 },
);

describe.each(['cursor', 'vscode', 'opencode', 'codex', 'goose', 'continue'])('%s', (id) => {
  const client = writableClients.find((one) => one.id === id)!;

  function receipt(key: string, version: number, server: string): Receipt {
    const launch = {
      command: `/v${version}/node`,
      args: ['start', key],
      env: version > 0 ? { V: `${version}` } : {},
    };
    return {
      client: id,
      scope: 'user',
      file: '/config',
      key,
      server,
      reference: key,
      argument: key,
      variables: Object.keys(launch.env),
      entry: client.entry(launch, key),
      version: '0.1.0',
      time: '2026-11-21T12:00:00.000Z',
      format: client.format,
      container: client.container,
    };
  }

  it('restores the original bytes when all AgentTools entries are removed, after any sequence of changes', {
    // Hundreds of edits, each of which is proven; YAML takes the longest.
    timeout: 300_000,
  }, async () => {
    const empty: FileRecord = { version: 1, realFile: '/config', receipts: [], steps: [], made: [] };
    const texts = fc.constantFrom<(string | null)[]>(...originals[client.format]);
    await fc.assert(
      fc.asyncProperty(texts, steps, async (original, sequence) => {
        let state: ConfigState = { text: original, record: empty };
        const remove = async (key: string) => {
          const known = state.record.receipts.find((one) => one.key === key);
          if (known)
            state = await planUninstall(state, { receipt: known, place: entryLocator(known), force: false });
        };
        for (const { act, key, version } of sequence) {
          if (act === 'uninstall') await remove(key);
          else {
            const known = state.record.receipts.find((one) => one.key === key);
            const isTaken = act === 'take' || act === 'exchange';
            const server = isTaken ? `@acme/kit/kit${version}` : (known?.server ?? '@acme/kit/kit0');
            const plain = receipt(key, version, server);
            const wanted = act === 'exchange' ? { ...plain, family: 'kits' } : plain;
            const isStrange = known?.family !== 'kits' && known?.server !== server;
            state = await planInstall(state, {
              receipt: wanted,
              place: entryLocator(wanted),
              force: act === 'force' || act === 'take' || (act === 'exchange' && isStrange),
            });
          }
        }
        for (const key of ['two', 'one', 'three']) {
          // Each time, what had given way may be back.
          while (state.record.receipts.some((one) => one.key === key)) await remove(key);
        }
        expect(state).toMatchObject({ text: original, record: empty });
      }),
      // One run is up to ten edits, and each edit is proven: all runs would take seconds in YAML.
      { numRuns: runs / 5 },
    );
  });
});
