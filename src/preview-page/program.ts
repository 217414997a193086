import type {
  AppRendering,
  AppReport,
  PreviewEvents,
  PreviewRequest,
  PreviewResponse,
} from '../engine/preview/page-messages.js';

/** Client of the program that serves this page, and of the server behind it. */

/** Returns the server's result. @throws Error with the server's message, and its code if it has one. */
export async function askServer(request: PreviewRequest, signal?: AbortSignal): Promise<unknown> {
  const answer = await post<PreviewResponse>('request', request, signal);
  if ('result' in answer) return answer.result;
  throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
}

export async function renderApp(uri: string): Promise<AppRendering> {
  return await post<AppRendering>('render', { uri });
}

export async function restartServer(): Promise<void> {
  await post('restart', {});
}

/** Answers a question of the server. */
export async function answerQuestion(answer: {
  readonly id: number;
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}): Promise<void> {
  await post('answer', answer);
}

export async function report(what: AppReport): Promise<void> {
  await post('report', what);
}

/** Subscribes to events of the server. The current state comes first. */
export function subscribeToServer(
  listeners: {
    readonly [Name in keyof PreviewEvents]: (data: PreviewEvents[Name]) => void;
  },
): EventSource {
  const source = new EventSource('events');
  for (const [name, hear] of Object.entries(listeners)) {
    source.addEventListener(name, ({ data }) => hear(JSON.parse(data)));
  }
  return source;
}

async function post<Result = unknown>(action: string, body: object, signal?: AbortSignal): Promise<Result> {
  const response = await fetch(action, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Result;
  throw new Error(messageIn(text) ?? `The program answers ${response.status}.`);
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message;
  } catch {
    return undefined;
  }
}
