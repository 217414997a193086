import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LoadedModule } from '../../../src/engine/validate/inspection.js';
import type {
  InspectionOutcome,
  InspectionProcess,
} from '../../../src/engine/validate/inspection-process.js';
import { Inspector } from '../../../src/engine/validate/inspector.js';

const timeoutMs = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The milliseconds that each module takes. Modules without any end their process. */
type Durations = Readonly<Record<string, number | undefined>>;

const loaded: LoadedModule = { value: { value: {}, faults: [] }, types: {}, contextMembers: {} };
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Loads modules at once, in processes that only wait. The module `throws` fails. After the module `harms`, all other
 * modules of its process fail.
 */
async function inspect(durations: Durations) {
  const attempts: string[] = [];
  let running = 0;
  let most = 0;

  const openProcess = (): Pick<InspectionProcess, 'attempt' | 'kill'> => {
    let requests = 0;
    let isHarmed = false;
    return {
      async attempt({ file }, limit, furtherMs): Promise<InspectionOutcome> {
        attempts.push(file);
        most = Math.max(most, ++running);
        const usedBefore = requests++ > 0;
        const ends = durations[file];
        let spent = Math.min(ends ?? 0, limit);
        await wait(spent);
        if (ends !== undefined && ends > limit) {
          const further = Math.min(furtherMs?.(usedBefore) ?? 0, ends - limit);
          await wait(further);
          spent += further;
        }
        running--;
        if (file === 'harms') isHarmed = true;
        const isFailing = file === 'throws' || (isHarmed && file !== 'harms');
        if (isFailing) return { usedBefore, answer: { id: '', failure: { reason: 'it failed' } } };
        if (ends === spent) return { usedBefore, answer: { id: '', result: structuredClone(loaded) } };
        requests = 0;
        return { usedBefore, ...(ends === undefined ? { died: 'it exited' } : { isLate: true }) };
      },
      kill() {},
    };
  };
  const inspector = new Inspector({ timeoutMs, openProcess });
  const began = performance.now();
  const loads = Object.keys(durations).map(async (file) => {
    try {
      await inspector.load(file);
      return 'ok';
    } catch (error) {
      return (error as Error).message;
    }
  });
  const all = Promise.all(loads);
  await vi.runAllTimersAsync();
  const outcomes = await all;
  inspector.close();
  return { outcomes, attempts, tookMs: performance.now() - began, most };
}

const never = Number.POSITIVE_INFINITY;

function hanging(count: number): Durations {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`hangs${index}`, never]));
}

test.each([1, 2, 20, 32])('evaluates %i modules that hang within one time limit', async (count) => {
  const { outcomes, tookMs, most } = await inspect({ ...hanging(count), good: 10 });
  expect(outcomes).toEqual([...Array(count).fill('it did not load within 10 s'), 'ok']);
  expect(tookMs).toBeLessThan(timeoutMs * 1.05);
  expect(most).toBe(count);
});

test('bounds the processes and the time of 100 modules that hang', async () => {
  const { tookMs, most } = await inspect(hanging(100));
  expect(most).toBe(32);
  expect(tookMs).toBeLessThan(2 * timeoutMs);
});

test('evaluates a slow module again, and reports no error', async () => {
  const { outcomes, attempts } = await inspect({ slow: 2000, good: 10 });
  expect(outcomes).toEqual(['ok', 'ok']);
  expect(attempts).toEqual(['slow', 'good', 'slow']);
});

test('leaves slow modules most of the time limit after others have hung', async () => {
  const { outcomes } = await inspect({ ...hanging(20), slow: 7000 });
  expect(outcomes.at(-1)).toBe('ok');
});

test('evaluates a module once if it hangs and no other waits', async () => {
  const { attempts, tookMs } = await inspect(hanging(1));
  expect(attempts).toEqual(['hangs0']);
  expect(tookMs).toBe(timeoutMs);
});

test('evaluates a module again if its process was used before it ended', async () => {
  const { outcomes, attempts } = await inspect({ good: 10, exits: undefined, last: 10 });
  expect(outcomes).toEqual(['ok', 'it exited', 'ok']);
  expect(attempts).toEqual(['good', 'exits', 'last', 'exits']);
});

test('evaluates a module again that fails after another one has harmed the process', async () => {
  const { outcomes, attempts } = await inspect({ harms: 10, good: 10, throws: 10 });
  expect(outcomes).toEqual(['ok', 'ok', 'it failed']);
  expect(attempts).toEqual(['harms', 'good', 'throws', 'good', 'throws']);
});

test('evaluates a module once if it fails in a fresh process', async () => {
  const { outcomes, attempts } = await inspect({ throws: 10 });
  expect(outcomes).toEqual(['it failed']);
  expect(attempts).toEqual(['throws']);
});
