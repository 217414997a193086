import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ExistingRecords } from '../../../src/engine/existing-servers/existing-records.js';
import type { ExistingServer } from '../../../src/engine/existing-servers/existing-server.js';
import { writeFolder } from '../../support/packages.js';

const server: ExistingServer = {
  source: 'npm',
  reference: 'npm:tickets@1.0.0',
  name: 'tickets',
  version: '1.0.0',
  inputs: [],
  template: { kind: 'program', runner: { by: 'npm', name: 'tickets', version: '1.0.0' }, args: [], env: {} },
  notes: [],
};

let folder: string;
beforeEach(() => {
  folder = writeFolder();
});

it('finds a server by the text that named it and by its exact reference', async () => {
  await new ExistingRecords(folder).write('npm:tickets', server);
  const records = new ExistingRecords(folder);
  expect(await records.read('npm:tickets')).toEqual(server);
  expect(await records.read('npm:tickets@1.0.0')).toEqual(server);
  expect(await records.read('npm:other')).toBeUndefined();
});

it('ignores damaged records, and refuses records of newer versions', async () => {
  const records = new ExistingRecords(folder);
  await records.write(server.reference, server);
  const [name] = readdirSync(path.join(folder, 'existing-servers'));
  const file = path.join(folder, 'existing-servers', name!);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"version":1,', '"version":2,'));
  await expect(records.read(server.reference)).rejects.toThrow(
    'was written by a newer version of AgentTools',
  );
  for (const damaged of ['', '{', '[]', text.replace('"template"', '"x"')]) {
    writeFileSync(file, damaged);
    expect(await records.read(server.reference)).toBeUndefined();
  }
});
