import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/engine/runtime/result-builders.js';
import { eras, eventually, openBench, scripted } from './support.js';

const key = { API_KEY: 'sk-very-secret' };

describe.each(eras)('an upstream server of the %s era', (upstream) => {
  test('fails a call at once if it exits, with its exit code', async () => {
    const far = scripted({ era: upstream, tools: ['crash'] }, { env: key });
    const { call, reported } = await openBench([{ place: far.place }]);
    const result = await call('crash');
    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'The upstream server "far" failed in the middle of the call: it exited with code 7. It wrote to stderr: out of \\u001b[31mmemory with [hidden].',
        },
      ],
    });
    expect(reported.join('\n')).toContain('is lost: it exited with code 7');
    expect(reported.join('\n')).not.toContain(key.API_KEY);
  });

  test('is started again by the next call, and later after each failure in a row', async () => {
    const far = scripted({ era: upstream, tools: ['crash', 'echo'] });
    const { says } = await openBench([{ place: far.place }], { pace: { backoffMs: 400 } });
    await says('crash');
    expect(await says('echo')).toMatch(
      /^The upstream server "far" is unavailable: it exited with code 7\. .* It is tried again in 1 s\.$/,
    );
    const starts = () => far.noted().filter((line) => line === 'start').length;
    const before = starts();
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect(await says('echo')).toBe('scripted echoes {}');
    expect(starts()).toBe(before + 1);
  });

  test('fails calls with the reason if its responses are malformed', async () => {
    const tools = ['no result', 'no content', 'bad block', 'error', 'wrong id', 'fail'].map((name) => name);
    const far = scripted({ era: upstream, tools }, { env: key });
    const rename = Object.fromEntries(tools.map((name) => [name, name.replace(' ', '_')]));
    const { call } = await openBench([{ place: far.place, choice: { rename } }]);
    for (const name of ['no_result', 'no_content', 'bad_block']) {
      const result = await call(name);
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toMatch(/^The upstream server "far" answers with what is no result: /);
    }
    const error = await call('error');
    expect(error).toEqual({ code: -32_050, message: 'no such thing as [hidden]' });
    expect((await call('wrong_id')).content[0].text).toBe('for you');
    expect(await call('fail')).toEqual({ isError: true, content: [{ type: 'text', text: 'it cannot be' }] });
  });
});

describe('an upstream server', () => {
  const own = [{ name: 'own', handler: () => 'own' }];

  test.each([
    ['crash', 30_000, 'it exited with code 3. It wrote to stderr: cannot open the database'],
    ['flood', 30_000, 'it wrote a line of more than 16 MiB to stdout'],
    ['endless-list', 30_000, 'its list of tools has no end: it was read up to 0 tools'],
    ['huge-list', 30_000, 'its list of tools is too long: 200000 tools on one page, and the limit is 10000'],
    ['hang', 2000, 'it does not answer within 2 s, which is its "startTimeoutMs"'],
  ])(
    'leaves the rest of the list if it fails at its start (%s), and is reported once',
    async (atStart, startTimeoutMs, why) => {
      const far = scripted({ atStart });
      const { names, says, reported } = await openBench([{ place: far.place, startTimeoutMs }], { own });
      expect(await names()).toEqual(['own']);
      expect(await names()).toEqual(['own']);
      expect(reported).toEqual([`The upstream server "far" is unavailable: ${why}.`]);
      expect(await says('own')).toBe('own');
      expect(await says('echo')).toContain(
        `Unknown tool: echo. The upstream server \\"far\\" is unavailable: ${JSON.stringify(why).slice(1, -1)}.`,
      );
    },
  );

  test('reports its output if it never answers', async () => {
    const args = ['-e', 'console.log("Listening!"); setTimeout(() => {}, 60_000)'];
    const place = { command: process.execPath, args, env: {}, cwd: '/' };
    const { names, says } = await openBench([{ place, startTimeoutMs: 1000 }]);
    await names();
    expect(await says('echo')).toContain(
      'it does not answer within 1 s, which is its \\"startTimeoutMs\\". It wrote \\"Listening!\\" to stdout',
    );
  });

  test('reports the error of Node, not its last line', async () => {
    const place = { command: process.execPath, args: ['/no/such/script.js'], env: {}, cwd: '/' };
    const { names, reported } = await openBench([{ place }]);
    await names();
    expect(reported).toEqual([
      `The upstream server "far" is unavailable: it exited with code 1. It wrote to stderr: Error: Cannot find module '/no/such/script.js'.`,
    ]);
  });

  test('reports a missing program or folder', async () => {
    const place = { command: 'no-such-program-here', args: [], env: {}, cwd: '/' };
    const lost = scripted({}, { cwd: '/no/such/folder' });
    const { names, reported } = await openBench([{ place }, { place: lost.place, name: 'lost' }]);
    await names();
    expect([...reported].sort()).toEqual([
      'The upstream server "far" cannot be started: there is no program "no-such-program-here" on the PATH. Install it, or give its absolute path.',
      'The upstream server "lost" cannot be started: the folder /no/such/folder that it is to run in does not exist.',
    ]);
  });

  test('resolves an unknown endpoint again at the next use', async () => {
    const far = scripted();
    let isThere = false;
    const place = async () => {
      if (!isThere) throw new ToolError('The variable FAR_KEY is not set.');
      return far.place;
    };
    const { names, reported } = await openBench([{ place }]);
    expect(await names()).toEqual([]);
    isThere = true;
    expect(await names()).toEqual(['echo']);
    expect(reported).toEqual(['The upstream server "far" is unavailable: The variable FAR_KEY is not set.']);
  });

  test('is served despite invalid lines, which are reported once without secrets', async () => {
    const far = scripted({ atStart: 'garbage' }, { env: { TOKEN: 's3cret-value' } });
    const { says, reported } = await openBench([{ place: far.place }]);
    expect(await says('echo')).toBe('scripted echoes {}');
    expect(reported).toEqual([
      'The upstream server "far" writes to stdout what is no message: Listening with token [hidden]!.',
    ]);
  });

  test('is killed if it floods stdout in a call', async () => {
    const far = scripted({ tools: ['flood'] });
    const { says } = await openBench([{ place: far.place }]);
    expect(await says('flood')).toBe(
      'The upstream server "far" failed in the middle of the call: it wrote a line of more than 16 MiB to stdout.',
    );
  });

  test('fails a call at its exit, although a child process holds its pipes', async () => {
    const far = scripted({ tools: ['orphan'] });
    const { says } = await openBench([{ place: far.place }]);
    expect(await says('orphan')).toBe(
      'The upstream server "far" failed in the middle of the call: it exited with code 8.',
    );
  });

  test.each(eras)('is notified when the result is not needed any more (%s)', async (era) => {
    const far = scripted({ era, tools: ['hang'] });
    const bench = await openBench([{ place: far.place, changes: { timeoutMs: 300 } }]);
    expect(await bench.says('hang')).toBe('Tool "hang" gave no answer within 0.3 s.');
    await eventually(() => far.noted().some((line) => line.startsWith('cancelled')));
  });

  test('is notified when its client cancels', async () => {
    const far = scripted({ tools: ['hang'] });
    const { pipe, names } = await openBench([{ place: far.place }]);
    await names();
    pipe.send({ jsonrpc: '2.0', id: 77, method: 'tools/call', params: { name: 'hang' } });
    await eventually(() => far.noted().includes('call hang'));
    pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
    await eventually(() => far.noted().some((line) => line.startsWith('cancelled')));
  });

  test('lists its new tools after a restart', async () => {
    const far = scripted({ tools: ['change', 'crash'] });
    const bench = await openBench([{ place: far.place }], { pace: { backoffMs: 1 } });
    await bench.names();
    await bench.says('change');
    await bench.hears('notifications/tools/list_changed');
    await bench.says('crash');
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await bench.names()).toEqual(['change', 'crash']);
    await bench.hears('notifications/tools/list_changed');
  });

  test('is ended with the last client, even if it ignores the end of its input', async () => {
    const far = scripted({ atEnd: 'stay' });
    const bench = await openBench([{ place: far.place }]);
    await bench.names();
    const pid = Number(
      far
        .noted()
        .find((line) => line.startsWith('pid '))
        ?.slice(4),
    );
    expect(() => process.kill(pid, 0)).not.toThrow();
    await bench.close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('is killed during its start if the server closes', async () => {
    const far = scripted({ atStart: 'hang', atEnd: 'stay' });
    const bench = await openBench([{ place: far.place }], { waitMs: 1 });
    await bench.names();
    await eventually(() => far.noted().some((line) => line.startsWith('pid ')));
    const pid = Number(
      far
        .noted()
        .find((line) => line.startsWith('pid '))
        ?.slice(4),
    );
    await bench.close();
    await eventually(() => !isRunning(pid));
    // Sooner than it would be asked in the older way.
  }, 8000);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
