/**
 * Results for the last texts, so that each state of a file is parsed once. Results must not be changed. Errors are not kept.
 */
export class RecentTexts<Result> {
  readonly #size: number;
  #kept: readonly { readonly text: string; readonly result: Result }[] = [];

  /** `size`: number of texts. Default: 2, a file before and after a change. */
  constructor(size = 2) {
    this.#size = size;
  }

  /** Returns the result for a text, and reads the text only if none is kept. */
  get(text: string, read: (text: string) => Result): Result {
    const known = this.#kept.find((one) => one.text === text);
    return this.keep(text, known ? known.result : read(text));
  }

  keep(text: string, result: Result): Result {
    const others = this.#kept.filter((one) => one.text !== text);
    this.#kept = [{ text, result }, ...others].slice(0, this.#size);
    return result;
  }
}
