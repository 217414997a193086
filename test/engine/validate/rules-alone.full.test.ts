import { readdirSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { diagnose } from '../../../src/engine/validate/validate.js';
import { fixtures, inspectAlone, optionsFor, told } from './support/validating.js';

/** The quick tests load all fixtures in one process, in which one could change what is found in the next. */
const names = readdirSync(fixtures);

/** Diagnostics of a fixture, with their messages. Those of `not-checked` are about code that is not run. */
async function findingsIn(name: string, options: Parameters<typeof optionsFor>[0] = {}) {
  const found = await diagnose(
    fixtures + name,
    optionsFor({ load: !name.startsWith('not-checked'), ...options }),
  );
  return found.diagnostics.map((diagnostic) => `${told(diagnostic)} ${diagnostic.message}`);
}

const together = new Map<string, readonly string[]>();

beforeAll(async () => {
  for (const name of names) together.set(name, await findingsIn(name));
});

test.for(names)('%s holds the same in a process for it alone', async (name) => {
  expect(await findingsIn(name, { openInspector: inspectAlone })).toEqual(together.get(name));
});
