import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writePackage } from '../support/packages.js';
import { commandHere } from '../support/serving-here.js';

// The clock of all time limits is one. It must not have begun before it is a fake.
test('start --http is refused with a bus that is never ready', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = writePackage(
    { tools: ['hello'] },
    {
      'agenttools/tools/hello.json': { description: 'Hello.', handler: './hello.js' },
      'hello.js': 'export default () => "hello";',
      'bus.js':
        "export default () => { process.emit('agenttools-test-bus'); return new Promise(() => {}); };",
    },
  );
  const asked = new Promise<void>((resolve) => {
    process.once('agenttools-test-bus' as 'disconnect', resolve);
  });
  let hasEnded = false;
  const bus = path.join(directory, 'bus.js');
  const ended = commandHere(['start', directory, '--http', '--port', '0', '--event-bus', bus]).finally(() => {
    hasEnded = true;
  });
  await asked;
  await vi.advanceTimersByTimeAsync(9900);
  expect(hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(await ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not ready within 10 seconds/),
  });
});
