import { expect, test } from 'vitest';
import type { ConfigFormat, EntryContainer } from '../../../../src/engine/clients/client.js';
import { type ConfigEntry, ConfigError } from '../../../../src/engine/clients/edit/editor.js';
import { type EntryLocator, putEntry, removeEntry } from '../../../../src/engine/clients/edit/entries.js';

interface Fixture {
  readonly id: string;
  readonly format: ConfigFormat;
  readonly operation: 'install' | 'replace' | 'uninstall';
  readonly before: string | null;
  readonly serverKey: string;
  readonly entry: ConfigEntry | null;
  readonly container: { readonly path: EntryContainer['path']; readonly shape: 'object' | 'array-with-name' };
  readonly match: { readonly prefer: 'exact' | 'properties'; readonly expectError: string | null };
}

interface Checker {
  readonly index: { readonly fixtures: readonly Fixture[] };
  readonly load: (file: string | null) => Buffer | null;
  readonly decode: (bytes: Buffer) => string;
  readonly check: (
    fixture: Fixture,
    output: Buffer | null,
    outcome: { threw: unknown },
  ) => { readonly exact: boolean; readonly failures: readonly string[] };
}

const checker = new URL('../../../../fixtures/clients/check.mjs', import.meta.url).href;
const { index, load, decode, check } = (await import(checker)) as Checker;

/** The text after a fixture's operation. */
async function operate({ format, container, serverKey, entry, operation }: Fixture, before: string | null) {
  const shape = container.shape === 'object' ? 'map' : 'list';
  const place: EntryLocator = { format, container: { path: container.path, shape }, key: serverKey };
  return operation === 'uninstall' ? removeEntry(before!, place) : putEntry(before, place, entry!);
}

test.each(index.fixtures)('$id', async (fixture) => {
  const before = load(fixture.before);
  let output = before;
  let threw: unknown = false;
  try {
    output = Buffer.from(await operate(fixture, before && decode(before)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    threw = error;
  }

  const { exact, failures } = check(fixture, output, { threw });
  expect(failures).toEqual([]);
  if (fixture.match.prefer === 'exact') expect(exact).toBe(true);
});

test('every fixture is run', () => {
  expect(index.fixtures).toHaveLength(37);
});
