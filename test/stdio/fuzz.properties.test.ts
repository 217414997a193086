import { describe, expect, test } from 'vitest';
import { mutatedLine, randomFrom } from '../support/mutations.js';
import { fixture, type Message, type Program, startProgram } from '../support/program.js';
import { runs } from '../support/runs.js';
import { modern } from './support/messages.js';

/** Another seed is another crowd of clients: `FUZZ_SEED=7 npx vitest …`. */
const seed = Number(process.env.FUZZ_SEED ?? 20260728);

/** 20,000 of all. */
const lineCount = Math.round((runs * 20) / 3);
const volley = Math.min(500, Math.ceil(lineCount / 2));

/** What a line has to be answered with, if anything: its id, or just an error. */
type Due = { readonly id: string | number } | 'an error' | undefined;

function dueFor(line: Buffer): Due {
  let value: Message;
  try {
    value = JSON.parse(line.toString());
  } catch {
    return line.toString().trim() === '' ? undefined : 'an error';
  }
  if (Array.isArray(value)) return undefined;
  if (typeof value !== 'object' || value === null) return 'an error';
  const { id, method } = value;
  const isReadable = typeof id === 'string' || Number.isSafeInteger(id);
  // An open subscription is answered when it ends.
  if (method === undefined || !isReadable || method === 'subscriptions/listen') return undefined;
  return { id };
}

/** Every answer so far, by id, and those that have none; looked up without going through all of them again. */
class Answers {
  readonly byId = new Set<unknown>();
  anonymous = 0;
  #seen = 0;

  constructor(readonly program: Program) {}

  has(id: unknown): boolean {
    for (; this.#seen < this.program.messages.length; this.#seen += 1) {
      const message = this.program.messages[this.#seen];
      if (message.method !== undefined) continue;
      if (message.id === undefined || message.id === null) this.anonymous += 1;
      else this.byId.add(message.id);
    }
    return this.byId.has(id);
  }
}

describe(`${lineCount} lines of clients gone mad`, () => {
  test.each([true, false])(
    'get a response each if they are readable, and no other output (handshake first: %s)',
    async (hasHandshake) => {
      const program = startProgram(fixture('conformance'));
      if (hasHandshake) await program.initialize();
      const random = randomFrom(seed);
      const answers = new Answers(program);
      const owed = new Map<string | number, Buffer>();
      let errorsOwed = 0;
      for (let sent = 0; sent < lineCount / 2; sent += volley) {
        const lines = Array.from({ length: volley }, (_, index) => mutatedLine(random, 1 + sent + index));
        for (const line of lines) {
          const due = dueFor(line);
          if (due === 'an error') errorsOwed += 1;
          else if (due) owed.set(due.id, line);
        }
        for (const id of cancelledBy(lines)) owed.delete(id as number);
        program.send(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
        const sync = `sync-${sent}`;
        program.send(modern(sync, 'tools/call', { name: 'test_simple_text', arguments: {} }));
        await program.until(() => answers.has(sync) || undefined, `the answer to ${sync}`);
        const unanswered = () => [...owed].filter(([id]) => !answers.has(id)).map(([, line]) => `${line}`);
        await program
          .until(() => unanswered().length === 0 || undefined, 'the other answers')
          .catch(() => expect(unanswered(), 'lines without an answer').toEqual([]));
        owed.clear();
      }
      expect(answers.anonymous).toBeGreaterThanOrEqual(errorsOwed);
      expect(await program.end()).toEqual({ code: 0, signal: null });
      expect(program.stderr).toBe('');
    },
    120_000,
  );
});

function cancelledBy(lines: readonly Buffer[]): unknown[] {
  return lines.flatMap((line) => {
    try {
      const { method, params } = JSON.parse(line.toString());
      return method === 'notifications/cancelled' ? [params?.requestId] : [];
    } catch {
      return [];
    }
  });
}
