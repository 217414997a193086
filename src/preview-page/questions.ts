import type { PageQuestion } from '../engine/preview/page-messages.js';
import { ArgumentFault, ArgumentsForm } from './arguments-form.js';
import { answerQuestion } from './program.js';

const findElement = <Element extends HTMLElement>(id: string) => document.getElementById(id) as Element;
const dialog = findElement<HTMLDialogElement>('question');
const link = findElement('question-link');
const fault = findElement('question-fault');

let shown: PageQuestion | null = null;
let form: ArgumentsForm | undefined;

/** Shows a question of the server until it is answered; null closes the last one. */
export function showQuestion(question: PageQuestion | null): void {
  shown = question;
  fault.hidden = true;
  if (!question) {
    dialog.close();
    return;
  }
  findElement('question-message').textContent = question.message;
  form = new ArgumentsForm(findElement('question-fields'), question.schema);
  // An address of another scheme could run code in this page.
  const url = /^https?:\/\//.test(question.url ?? '') ? question.url! : undefined;
  link.replaceChildren(...(url === undefined ? [] : [linkTo(url)]));
  if (!dialog.open) dialog.showModal();
}

function linkTo(url: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.textContent = url;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  return anchor;
}

function answer(action: 'accept' | 'decline' | 'cancel'): void {
  if (!shown) return;
  try {
    const content = action === 'accept' && shown.schema !== undefined ? form?.read() : undefined;
    void answerQuestion({ id: shown.id, action, ...(content && { content }) });
  } catch (error) {
    if (!(error instanceof ArgumentFault)) throw error;
    fault.textContent = error.message;
    fault.hidden = false;
  }
}

findElement('answer').addEventListener('submit', (event) => {
  // The server closes the question in all pages.
  event.preventDefault();
  answer('accept');
});
findElement('decline').addEventListener('click', () => answer('decline'));
findElement('dismiss').addEventListener('click', () => answer('cancel'));
dialog.addEventListener('cancel', (event) => {
  event.preventDefault();
  answer('cancel');
});
