import { isRecord, isString } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Root } from '../runtime/context.js';

/** A question of the server to the user, the model or the roots of the client. */
export interface Question {
  readonly kind: 'elicit' | 'sample' | 'roots';
  /** Text of the question: the message of a form, or the last text for the model. Empty for roots. */
  readonly text: string;
  /** Parameters of the request. */
  readonly params: JsonObject;
}

/** The answer to one form or URL. */
export type ElicitAnswer = ExpectedQuestion &
  ({ readonly accept: JsonObject } | { readonly decline: true } | { readonly cancel: true });

/** The answer of the model to one request. */
export interface SampleAnswer extends ExpectedQuestion {
  /** Text, or the whole result of `sampling/createMessage`. */
  readonly answer: string | JsonObject;
}

interface ExpectedQuestion {
  /** Regular expression that the text of the question must match. Default: any question. */
  readonly question?: string;
}

/** Answers of the user and the model, in the order of the questions. */
export interface UserScript {
  /** A function answers any number of questions. */
  readonly elicit?: readonly ElicitAnswer[] | ((question: Question) => ElicitAnswer);
  readonly sample?: readonly SampleAnswer[] | ((question: Question) => string | JsonObject);
  /** Folders of the client, as `file:` URIs or with names. */
  readonly roots?: readonly (string | Root)[];
}

/** Answers the questions of a server by a script, and records them. */
export class FakeUser {
  /** All questions so far. */
  readonly questions: Question[] = [];
  /** Questions without the expected text or without an answer, in sentences. */
  readonly faults: string[] = [];
  readonly #script: UserScript;
  readonly #elicit: ElicitAnswer[];
  readonly #sample: SampleAnswer[];

  constructor(script: UserScript = {}) {
    this.#script = script;
    this.#elicit = Array.isArray(script.elicit) ? [...script.elicit] : [];
    this.#sample = Array.isArray(script.sample) ? [...script.sample] : [];
  }

  /** Capabilities of a client with this user: only those that the script has answers for. */
  get capabilities(): JsonObject {
    const { elicit, sample, roots } = this.#script;
    return {
      ...(elicit && { elicitation: { form: {}, url: {} } }),
      ...(sample && { sampling: {} }),
      ...(roots && { roots: {} }),
    };
  }

  /** Questions that the script expects and the server has not asked, in sentences. */
  unasked(): readonly string[] {
    const elicit = this.#elicit.map(({ question }) => notAsked('question', question));
    return [...elicit, ...this.#sample.map(({ question }) => notAsked('request to the model', question))];
  }

  /** The answer to `elicitation/create`. */
  elicit(params: JsonObject): JsonObject {
    const question = this.#record('elicit', isString(params.message) ? params.message : '', params);
    const { elicit } = this.#script;
    const answer = typeof elicit === 'function' ? elicit(question) : this.#next(this.#elicit, question);
    if (!answer || 'cancel' in answer) return { action: 'cancel' };
    if ('decline' in answer) return { action: 'decline' };
    return { action: 'accept', ...(params.mode !== 'url' && { content: answer.accept }) };
  }

  /** The answer to `sampling/createMessage`. @throws Error without an answer */
  sample(params: JsonObject): JsonObject {
    const question = this.#record('sample', lastText(params.messages), params);
    const { sample } = this.#script;
    const answer =
      typeof sample === 'function' ? sample(question) : this.#next(this.#sample, question)?.answer;
    if (answer === undefined) throw new Error('The test has no answer of the model.');
    if (!isString(answer)) return answer;
    return {
      role: 'assistant',
      content: { type: 'text', text: answer },
      model: 'test',
      stopReason: 'endTurn',
    };
  }

  /** The answer to `roots/list`. */
  listRoots(): JsonObject {
    this.#record('roots', '', {});
    const { roots = [] } = this.#script;
    return { roots: roots.map((root) => (isString(root) ? { uri: root } : root)) };
  }

  #record(kind: Question['kind'], text: string, params: JsonObject): Question {
    const question = { kind, text, params };
    this.questions.push(question);
    return question;
  }

  #next<A extends ExpectedQuestion>(answers: A[], { kind, text }: Question): A | undefined {
    const what = kind === 'elicit' ? 'asked' : 'asked the model';
    const answer = answers.shift();
    if (!answer) {
      this.faults.push(`The server ${what} ${JSON.stringify(text)}, and there is no answer for it.`);
      return undefined;
    }
    const { question } = answer;
    if (question === undefined || new RegExp(question, 'u').test(text)) return answer;
    this.faults.push(`The server ${what} ${JSON.stringify(text)}. Expected a question like /${question}/.`);
    return undefined;
  }
}

function notAsked(what: string, pattern: string | undefined): string {
  return `The server did not ask the expected ${what}${pattern === undefined ? '' : ` /${pattern}/`}.`;
}

/** The last text of messages for the model. */
function lastText(messages: unknown): string {
  if (!Array.isArray(messages)) return '';
  const texts = messages.flatMap((message: unknown) => (isRecord(message) ? [message.content].flat() : []));
  const last = texts.findLast((block) => isRecord(block) && isString(block.text));
  return isRecord(last) ? String(last.text) : '';
}
