import { expect, test } from 'vitest';
import { writePackage } from '../support/packages.js';
import { openProgram } from '../support/program.js';
import { call } from './support/messages.js';

const calls = 50_000;
const callsPerHost = 500;
const inFlight = 50;

test('every one of 50,000 calls is answered though a host is killed every 500', async () => {
  const program = await openProgram(
    writePackage(
      { tools: ['echo', 'kill'] },
      {
        'agenttools/tools.json': {
          echo: { description: 'Echoes.', handler: './code.js#echo' },
          kill: { description: 'Ends its process.', handler: './code.js#kill' },
        },
        'code.js': `export const echo = ({ n }) => String(n);
          export const kill = () => new Promise(() => process.kill(process.pid, 'SIGKILL'));`,
      },
    ),
  );
  for (let first = 0; first < calls; first += inFlight) {
    const numbers = Array.from({ length: inFlight }, (_, index) => first + index);
    program.send(...numbers.map((n) => call(n, 'echo', { n })));
    for (const n of numbers) expect((await program.next(n)).result.content[0].text).toBe(String(n));
    if ((first + inFlight) % callsPerHost === 0) expect((await program.call('kill')).isError).toBe(true);
  }
  expect(await program.end()).toEqual({ code: 0, signal: null });
});
