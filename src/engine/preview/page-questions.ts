import { isRecord } from '../base/value-checks.js';
import type { Answer, Question } from '../preflight/child-session.js';
import type { PageQuestion } from './page-messages.js';

interface OpenQuestion {
  readonly shown: PageQuestion;
  readonly settle: (answer: Answer) => void;
}

/** Questions of a server that wait for an answer in a page. */
export class PageQuestions {
  readonly #open = new Map<number, OpenQuestion>();
  /** Shows a question in the pages; null: none. */
  readonly #show: (question: PageQuestion | null) => void;
  #last = 0;

  constructor(show: (question: PageQuestion | null) => void) {
    this.#show = show;
  }

  /** The question that pages show. */
  get oldest(): PageQuestion | undefined {
    return [...this.#open.values()][0]?.shown;
  }

  /** Resolves with the answer, or with a cancellation when the signal aborts. */
  ask({ message, requestedSchema: schema, url }: Question, signal: AbortSignal): Promise<Answer> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        if (!this.#open.delete(id)) return;
        signal.removeEventListener('abort', withdraw);
        resolve(answer);
        this.#show(this.oldest ?? null);
      };
      const withdraw = () => settle({ action: 'cancel' });
      signal.addEventListener('abort', withdraw);
      const link = typeof url === 'string' && { url };
      this.#open.set(id, { shown: { id, message: String(message), schema, ...link }, settle });
      if (this.#open.size === 1) this.#show(this.oldest!);
    });
  }

  /** Takes the answer of a page. Ignores answers to questions that are no longer open. */
  answer({ id, action, content }: Readonly<Record<string, unknown>>): void {
    const isAction = action === 'accept' || action === 'decline';
    this.#open.get(Number(id))?.settle({
      action: isAction ? action : 'cancel',
      ...(action === 'accept' && isRecord(content) && { content: content as NonNullable<Answer['content']> }),
    });
  }

  /** Cancels all open questions. */
  close(): void {
    for (const { settle } of [...this.#open.values()]) settle({ action: 'cancel' });
  }
}
