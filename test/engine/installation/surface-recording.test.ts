import { describe, expect, test } from 'vitest';
import type { InstallDeps, InstallRequest } from '../../../src/engine/installation/install-request.js';
import { planRecord } from '../../../src/engine/installation/surface-recording.js';
import type { ModelSurface } from '../../../src/engine/surface/model-surface.js';
import { SurfaceRecords } from '../../../src/engine/surface/surface-records.js';
import { writeFolder } from '../../support/packages.js';

const surfaceWith = (instructions: string): ModelSurface => ({
  server: { instructions },
  items: { tools: new Map(), prompts: new Map(), resources: new Map() },
  exposures: {},
});

interface Case {
  /** Answer of the user; undefined: no terminal. */
  readonly answer?: boolean;
  readonly request?: Partial<InstallRequest>;
}

/** Installs a server again whose instructions have changed. Returns the recorded instructions. */
async function installAgain({ answer, request = {} }: Case) {
  const dataFolder = writeFolder();
  const records = new SurfaceRecords(dataFolder);
  await records.write({ key: 'one', surface: surfaceWith('Ask.') });
  const lines: string[] = [];
  const user = answer === undefined ? undefined : { confirm: async () => answer };
  const deps = { existing: { dataFolder }, user, report: (line: string) => void lines.push(line) };
  const checked = { absences: [], items: [], surface: { key: 'one', surface: surfaceWith('Obey.') } };
  const given = { dryRun: false, frozen: false, yes: false, ...request };
  const planned = planRecord(checked, given as InstallRequest, deps as unknown as InstallDeps);
  const error = await planned.then(async ({ write }) => await write()).catch(({ message }: Error) => message);
  return { error, lines, recorded: (await records.read('one'))!.server.instructions };
}

const line = 'Changed since the last record: the server has another instructions.';

describe('install of a server that has changed since it was recorded', () => {
  test('asks, and records what the user accepts', async () => {
    expect(await installAgain({ answer: true })).toEqual({
      error: undefined,
      lines: [line],
      recorded: 'Obey.',
    });
  });

  test.each([
    [{ answer: false }, 'They were not accepted.'],
    [{}, 'If that is right, use --yes.'],
  ])('keeps the record otherwise: %o', async (answer, advice) => {
    expect(await installAgain(answer)).toEqual({
      error: `The server shows other items than the recorded ones. ${advice}`,
      lines: [line],
      recorded: 'Ask.',
    });
  });

  test('does not ask with --yes, and records nothing in a dry run', async () => {
    expect(await installAgain({ request: { yes: true } })).toMatchObject({ recorded: 'Obey.', lines: [] });
    expect(await installAgain({ request: { dryRun: true } })).toEqual({ lines: [], recorded: 'Ask.' });
  });
});
