import { AsyncLocalStorage } from 'node:async_hooks';
import { describePlainFault, plainData } from '../base/plain-data.js';
import { ToolError } from '../runtime/result-builders.js';

/** Most JSON that the steps of one call keep, in characters. It travels to the client and back. */
const maxStepsLength = 256 * 1024;

const insideStep = new AsyncLocalStorage<true>();

/** True inside a step. A step cannot ask the client: the replay would run it again. */
export function isInStep(): boolean {
  return insideStep.getStore() === true;
}

/** Steps of a call, each done once. Keeps results as JSON by key; an empty text means undefined. */
export class Steps {
  readonly #done: Map<string, string>;
  readonly #onEnd: () => void;
  #running = 0;

  constructor(done: Readonly<Record<string, string>> = {}, onEnd: () => void = () => {}) {
    this.#done = new Map(Object.entries(done));
    this.#onEnd = onEnd;
  }

  get isAnyRunning(): boolean {
    return this.#running > 0;
  }

  get done(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#done);
  }

  /** Runs a step or returns its earlier result. A failed step is not kept. @throws ToolError if results are too long */
  async run(key: string, work: () => unknown): Promise<unknown> {
    const known = this.#done.get(key);
    if (known !== undefined) return parseStepResult(known);
    this.#running += 1;
    try {
      const text = serializeStep(key, await insideStep.run(true, async () => await work()));
      this.#requireRoom(key, text);
      this.#done.set(key, text);
      return parseStepResult(text);
    } finally {
      this.#running -= 1;
      this.#onEnd();
    }
  }

  #requireRoom(key: string, text: string): void {
    const kept = [...this.#done.values()].reduce((sum, one) => sum + one.length, text.length);
    if (kept <= maxStepsLength) return;
    throw new ToolError(
      `With the step "${key}" this call keeps ${kept} characters of JSON; ${maxStepsLength} are the most. Keep a name for it instead.`,
    );
  }
}

function serializeStep(key: string, value: unknown): string {
  if (value === undefined) return '';
  const { value: held, faults } = plainData(value);
  const [fault] = faults;
  if (fault)
    throw new TypeError(`The step "${key}" gave what JSON cannot hold: ${describePlainFault(fault)}.`);
  return JSON.stringify(held);
}

function parseStepResult(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
