import process from 'node:process';
import { errorMessage } from '../base/thrown-value.js';
import { ProtocolError } from '../runtime/result-builders.js';
import type { FromHost, HostedRequest, ToHost } from './host-messages.js';
import { Runner } from './server-runner.js';
import type { ThreadPool } from './thread-pool.js';

// Kept before extension code loads.
const afterTurn = process.nextTick;
const afterWriting = setImmediate;
const { create } = Object;

/** Table with a null prototype. */
function createMap<Value>(): Record<PropertyKey, Value> {
  return create(null) as Record<PropertyKey, Value>;
}

/** Changes of objects that all code of the process shares. */
export interface Tampering {
  /** The first changes, as text. */
  readonly changes: readonly string[];
  /** True if all changes are usual, and were undone or are harmless. */
  readonly isUsual: boolean;
  /** True if no property was replaced or removed. */
  readonly isAddition: boolean;
}

export interface EndpointOptions {
  readonly send: (message: FromHost) => void;
  /** Writes the sent messages at once. */
  readonly flush: () => void;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /**
   * Runs before calls begin and before their answers are sent, once per turn of the event loop. Undoes changes of shared
   * objects. `isUsual` returns true for changes that calls are known to make. `isEnd`: no call waits for the inspection.
   */
  readonly inspect: (isUsual: (change: string) => boolean, isEnd: boolean) => Tampering | undefined;
  /** Records the number of a call, right before the call begins. The numbers ascend. */
  readonly note: (call: number) => void;
  /** Ends the host after its exit handlers. */
  readonly exit: () => void;
  /** Undefined if the host cannot be replaced. */
  readonly threadPool?: ThreadPool;
}

type Asked = Extract<ToHost, { readonly call: number }>;

/** Receives the messages of the front and runs them. */
export class Endpoint {
  readonly #options: EndpointOptions;
  #runner: Runner | undefined;
  /** Answers of this turn by number. Null prototype, so code cannot change it. */
  #answers: Record<number, HostReply> = createMap();
  #answerCount = 0;
  /** Requests that run. */
  #underWay = 0;
  /** Calls that will begin in this turn. */
  #beginning = 0;
  #isInspected = false;
  #isInspectionDue = false;
  /** Changes that this server also made in an earlier host. */
  #usual: Record<string, true> = createMap();
  /** True if a new host takes the next calls. */
  #isOut = false;
  /** Messages that wait until earlier calls free the thread pool, in order. */
  #held: Record<number, Asked> = createMap();
  #heldCount = 0;
  /** True if a task has run: it may use the thread pool too. */
  #hasTask = false;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  receive(message: ToHost): void {
    const { send, report, exit, threadPool } = this.#options;
    if (message.type === 'start') {
      this.#runner = new Runner(message.hosted, { send, report, threadPool });
      for (const change of message.usualChanges) this.#usual[change] = true;
      return;
    }
    const runner = this.#runner;
    if (!runner) return;
    switch (message.type) {
      case 'ping':
      case 'describe':
      case 'place':
      case 'place-key':
      case 'initialize':
      case 'end-tasks':
      case 'compose':
      case 'request':
      case 'cancel':
        // One step per message: the last begun call is then the one that blocks.
        this.#beginning += 1;
        afterWriting(this.#begin, message);
        return;
      case 'upstream-items':
      case 'upstream-ask':
      case 'upstream-progress':
      case 'upstream-log':
        runner.takeFromUpstream(message);
        return;
      case 'exclude':
        runner.exclude(message.excluded, message.hooks);
        return;
      case 'open':
        runner.open(message.connection, message.opened);
        return;
      case 'update':
        runner.update(message.connection, message);
        return;
      case 'close':
        runner.close(message.connection);
        return;
      case 'answer':
      case 'failure':
        runner.settle(message);
        return;
      case 'end':
        runner.end();
        // Let listeners of the signal run first.
        setImmediate(exit);
    }
  }

  /** Inspects the host while calls run. */
  inspect(): void {
    this.#inspect(false);
  }

  readonly #begin = (message: Asked): void => {
    // Leftover code of earlier calls may have run since the last call ended.
    if (!this.#isInspected) this.#inspect(false);
    this.#beginning -= 1;
    this.#isInspected = this.#beginning > 0;
    // Flush before code that runs between the turns can block.
    if (this.#beginning === 0) this.#options.flush();
    if (this.#heldCount > 0 || this.#mustWait(message)) {
      this.#held[this.#heldCount] = message;
      this.#heldCount += 1;
    } else this.#start(message);
  };

  /** True if leftover work of earlier calls may fill the thread pool. The call would wait for its end. */
  #mustWait({ type }: Asked): boolean {
    const { threadPool } = this.#options;
    if (type !== 'request' || this.#underWay > 0 || this.#isOut || this.#hasTask) return false;
    if (!threadPool?.isBusy) return false;
    threadPool.whenFree(this.#startHeld);
    return true;
  }

  readonly #startHeld = (isFree: boolean): void => {
    if (!isFree) {
      this.#isOut = true;
      this.#options.send({
        type: 'changed',
        changes: ['the thread pool was used up'],
        isUsual: false,
        isAddition: true,
      });
    }
    const held = this.#held;
    const count = this.#heldCount;
    this.#held = createMap();
    this.#heldCount = 0;
    for (let index = 0; index < count; index += 1) this.#start(held[index]!);
    this.#options.flush();
  };

  #start(message: Asked): void {
    const runner = this.#runner!;
    const { call } = message;
    if (message.type === 'cancel') {
      runner.cancel(call, message.reason);
      return;
    }
    if (this.#isOut && message.type === 'request' && !isAboutTask(message.request)) {
      this.#options.send({ type: 'refusal', call });
      return;
    }
    this.#options.note(call);
    this.#underWay += 1;
    void this.#finish(call, workOf(message, runner));
  }

  async #finish(call: number, work: Promise<object>): Promise<void> {
    try {
      const result = (await work) as Extract<HostReply, { type: 'result' }>['result'];
      if ('resultType' in result && result.resultType === 'task') this.#hasTask = true;
      this.#answer({ type: 'result', call, result });
    } catch (error) {
      this.#answer({ type: 'error', call, error: toErrorReply(error) });
    }
  }

  #answer(answer: HostReply): void {
    this.#underWay -= 1;
    this.#answers[this.#answerCount] = answer;
    this.#answerCount += 1;
    if (this.#answerCount === 1) afterTurn(this.#sendAnswers);
  }

  readonly #sendAnswers = (): void => {
    const { flush, threadPool } = this.#options;
    // Inspect before the write if possible: the write wakes the front on another core (Linux), and work after it slows
    // the front.
    if (this.#beginning === 0 || isWritingChanged()) this.#inspect(true);
    else this.#planInspection();
    const answers = this.#answers;
    const count = this.#answerCount;
    this.#answers = createMap();
    this.#answerCount = 0;
    for (let index = 0; index < count; index += 1) this.#send(answers[index]!);
    if (this.#beginning > 0) return;
    flush();
    if (this.#underWay === 0) threadPool?.probe();
  };

  /** Schedules one inspection for all calls of a turn. The last call may have no answer yet. */
  #planInspection(): void {
    if (!this.#isInspectionDue) afterWriting(this.#inspectLater);
    this.#isInspectionDue = true;
  }

  readonly #inspectLater = (): void => {
    if (this.#isInspectionDue) this.#inspect(true);
  };

  /** Texts of an answer are within limits, but JSON escapes may make them six times as long. */
  #send(answer: HostReply): void {
    const { send } = this.#options;
    try {
      send(answer);
    } catch (error) {
      send({ type: 'error', call: answer.call, error: { message: errorMessage(error) } });
    }
  }

  #inspect(isEnd: boolean): void {
    const { send, inspect } = this.#options;
    if (isEnd) this.#isInspectionDue = false;
    const tampering = inspect(isEnd || this.#underWay > 0 ? this.#isUsual : isNeverUsual, isEnd);
    if (!tampering) return;
    this.#isOut ||= !tampering.isUsual;
    send({ type: 'changed', ...tampering });
  }

  readonly #isUsual = (change: string): boolean => this.#usual[change] === true;
}

/** True for requests about tasks: the tasks of a replaced host continue in it. */
function isAboutTask({ method }: HostedRequest): boolean {
  return method === 'tasks/get' || method === 'tasks/update' || method === 'tasks/cancel';
}

/** Code that continues after its call may repeat its changes. */
function isNeverUsual(): boolean {
  return false;
}

/** True if code has changed JSON serialization, which would change the answers. */
function isWritingChanged(): boolean {
  try {
    return 'toJSON' in object || 'toJSON' in list;
  } catch {
    return true;
  }
}

const object = {};
const list: readonly unknown[] = [];

function workOf(message: Exclude<Asked, { readonly type: 'cancel' }>, runner: Runner): Promise<object> {
  switch (message.type) {
    case 'ping':
      return Promise.resolve({});
    case 'describe':
      return runner.describe(message.file);
    case 'place':
      return runner.place(message.id);
    case 'place-key':
      return runner.placeKey(message.id);
    case 'initialize':
      return runner.initialize(message);
    case 'end-tasks':
      return runner.endTasks(message.limitMs);
    case 'compose':
      return runner.compose(message.packages);
    case 'request':
      return runner.run(message);
  }
}

type HostReply = Extract<FromHost, { readonly type: 'result' | 'error' }>;

function toErrorReply(error: unknown): Extract<HostReply, { type: 'error' }>['error'] {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { code, message, ...(data !== undefined && { data }) };
  }
  return { message: errorMessage(error) };
}
