import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configValueAt } from '../../src/engine/clients/edit/config-path.js';
import { putEntry, readConfigDocument, removeEntry } from '../../src/engine/clients/edit/entries.js';
import { writableClients } from '../../src/engine/clients/table/index.js';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { runCli } from '../support/run-cli.js';
import { ProcessStage, Stage, subjectOf, writeImagesPreload } from '../support/torture.js';

const ids = ['cursor', 'vscode', 'codex', 'goose'] as const;
const keys = ['one', 'two', 'three'] as const;

const entry = fc.record({
  version: fc.integer({ min: 0, max: 2 }),
  clients: fc.subarray([...ids], { minLength: 1 }),
});
const set = fc.dictionary(fc.constantFrom(...keys), entry);
const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('sync' as const), set }),
    fc.record({
      act: fc.constantFrom('edit' as const, 'remove' as const, 'foreign' as const),
      client: fc.constantFrom(...ids),
      key: fc.constantFrom(...keys),
    }),
  ),
  { minLength: 1, maxLength: 6 },
);

/** Version and clients of each server. */
type DeclaredSet = Readonly<
  Record<string, { readonly version: number; readonly clients: readonly (typeof ids)[number][] }>
>;

class Machine {
  readonly home = writeFolder();
  readonly cwd = writeFolder(plugin);
  readonly #subjects = new Map(ids.map((id) => [id, subjectOf(id)]));

  constructor() {
    for (const id of ids) {
      mkdirSync(path.dirname(this.fileOf(id)), { recursive: true });
      writeFileSync(this.fileOf(id), this.originalOf(id));
    }
  }

  fileOf(id: (typeof ids)[number]): string {
    const client = writableClients.find((one) => one.id === id)!;
    const nothing = { env: {}, exists: () => false, namesIn: () => [] };
    return client.userFiles({ home: this.home, platform: process.platform, ...nothing })[0]!;
  }

  originalOf(id: (typeof ids)[number]): string {
    return this.#subjects.get(id)!.ugly;
  }

  text(id: (typeof ids)[number]): string | null {
    return existsSync(this.fileOf(id)) ? readFileSync(this.fileOf(id), 'utf8') : null;
  }

  async change(
    id: (typeof ids)[number],
    change: (text: string, client: ReturnType<Machine['clientOf']>) => Promise<string>,
  ) {
    writeFileSync(this.fileOf(id), await change(this.text(id) ?? '', this.clientOf(id)));
  }

  clientOf(id: (typeof ids)[number]) {
    return writableClients.find((one) => one.id === id)!;
  }

  async run(...words: readonly string[]) {
    return await runCli(words, { home: this.home, cwd: this.cwd });
  }

  async sync(content: DeclaredSet) {
    const servers = Object.fromEntries(
      Object.entries(content).map(([key, { version, clients }]) => [
        key,
        { server: '.', env: { V: String(version) }, clients },
      ]),
    );
    writeFileSync(path.join(this.cwd, 'agenttools.json'), JSON.stringify({ scope: 'user', servers }));
    return await this.run('sync', '--no-verify');
  }

  /** Entries of a client by key: the value of V, or `theirs`. */
  async entries(id: (typeof ids)[number]): Promise<Readonly<Record<string, string>>> {
    const client = this.clientOf(id);
    const data = await readConfigDocument(this.text(id) ?? '', client.format);
    const held = Object.entries((configValueAt(data, client.container.path) ?? {}) as object);
    return Object.fromEntries(
      held
        .filter(([key]) => (keys as readonly string[]).includes(key))
        .map(([key, one]) => [key, client.launchOf(one)?.env.V ?? 'theirs']),
    );
  }
}

describe('sync', () => {
  test('keeps foreign entries and edits, and gives the bytes back, after any sequence of sets and edits', {
    timeout: 900_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const machine = new Machine();
        const edited = new Set<string>();
        let isForeign = false;
        for (const step of sequence) {
          if (step.act === 'sync') {
            const before = Object.fromEntries(
              await Promise.all(ids.map(async (id) => [id, await machine.entries(id)] as const)),
            );
            const { stderr } = await machine.sync(step.set);
            expect(stderr).not.toContain('internal error');
            for (const id of ids) {
              const after = await machine.entries(id);
              for (const key of keys) {
                // Changes by hand stay as they were.
                if (edited.has(`${id} ${key}`)) expect(after[key], `${id} ${key}`).toBe(before[id]![key]);
                else if (step.set[key]?.clients.includes(id))
                  expect(after[key]).toBe(String(step.set[key].version));
                else expect(after[key]).toBeUndefined();
                // A server that is declared again later is a new one.
                if (after[key] === undefined && !step.set[key]?.clients.includes(id))
                  edited.delete(`${id} ${key}`);
              }
            }
            continue;
          }
          const { client: id, key } = step;
          const isThere = (await machine.entries(id))[key] !== undefined;
          const place = {
            format: machine.clientOf(id).format,
            container: machine.clientOf(id).container,
            key,
          };
          const theirs = machine.clientOf(id).entry({ command: 'theirs', args: [], env: {} }, key);
          if (step.act === 'foreign' ? isThere : !isThere) continue;
          if (step.act === 'remove') await machine.change(id, async (text) => await removeEntry(text, place));
          else await machine.change(id, async (text) => await putEntry(text, place, theirs));
          isForeign = true;
          edited.add(`${id} ${key}`);
        }
        if (isForeign) return;
        expect((await machine.sync({})).code).toBe(0);
        for (const id of ids) expect(machine.text(id)).toBe(machine.originalOf(id));
        await machine.run('undo', '99');
        for (const id of ids) expect(machine.text(id)).toBe(machine.originalOf(id));
      }),
      { numRuns: 25 },
    );
  });

  test.skipIf(process.platform === 'win32')(
    'can be repeated and taken back after it dies at any step',
    {
      timeout: 300_000,
    },
    async () => {
      const preload = await writeImagesPreload();
      const subject = subjectOf('codex');
      const stage = new ProcessStage(subject, subject.ugly);
      const again = new Stage(subject, undefined, stage.home);
      const folder = writeFolder(plugin);
      const write = (servers: object) =>
        writeFileSync(
          path.join(folder, 'set.json'),
          JSON.stringify({ scope: 'user', clients: ['codex'], servers }),
        );
      const words = ['sync', '--file', path.join(folder, 'set.json'), '--no-verify'];
      write({ one: { server: '.' }, two: { server: '.' } });
      expect(await again.run(words)).toMatchObject({ code: 0 });
      write({ two: { server: '.', env: { A: '1' } }, three: { server: '.' } });
      const images = writeFolder();
      const env = { NODE_OPTIONS: `--import ${preload}`, IMAGES: images };
      expect(await stage.run(words, { env })).toMatchObject({ code: 0 });
      const wanted = stage.entries;
      const all = readdirSync(images);
      expect(all.length).toBeGreaterThan(20);
      for (const name of all) {
        rmSync(stage.home, { recursive: true });
        renameSync(path.join(images, name), stage.home);
        expect(await again.run(words), name).toMatchObject({ code: 0 });
        expect(stage.entries, name).toEqual(wanted);
        expect(await again.run(['undo', '9']), name).toMatchObject({ code: 0 });
        expect(stage.text, name).toBe(subject.ugly);
      }
    },
  );
});
