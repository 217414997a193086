/** A list that grows, with the number of its entries beside its title. Entries are text, never HTML. */
export class Log {
  readonly #list: HTMLElement;
  readonly #counter: HTMLElement;
  #count = 0;

  constructor(name: string) {
    this.#list = document.getElementById(name)!;
    this.#counter = document.getElementById(`${name}-count`)!;
  }

  add(title: string, details?: unknown): void {
    this.#count += 1;
    const entry = document.createElement('li');
    const head = document.createElement('strong');
    head.textContent = title;
    entry.append(head);
    if (details !== undefined) {
      const body = document.createElement('pre');
      body.textContent = shorten(
        typeof details === 'string' ? details : JSON.stringify(details, undefined, 2),
      );
      entry.append(body);
    }
    this.#list.append(entry);
    if (this.#list.childElementCount > maxLogEntries) this.#list.firstElementChild?.remove();
    this.#list.scrollTop = this.#list.scrollHeight;
    this.#show();
  }

  clear(): void {
    this.#count = 0;
    this.#list.replaceChildren();
    this.#show();
  }

  #show(): void {
    this.#counter.textContent = `${this.#count}`;
    this.#counter.classList.toggle('some', this.#count > 0);
  }
}

const maxLogEntries = 300;
const maxEntryLength = 4000;

function shorten(text: string): string {
  return text.length <= maxEntryLength ? text : `${text.slice(0, maxEntryLength)}… (${text.length} letters)`;
}
