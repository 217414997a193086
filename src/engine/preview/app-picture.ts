import { AgentToolsError } from '../base/errors.js';
import { type BrowserCandidates, findChromium } from './chromium.js';
import type { AppReport, Theme, Violation } from './page-messages.js';
import { openPreview, type PreviewOptions } from './preview.js';
import { openWindow, type Window } from './screenshot.js';

export interface PictureOptions extends Omit<PreviewOptions, 'port' | 'directory' | 'onReport' | 'signal'> {
  readonly place: BrowserCandidates;
  readonly signal: AbortSignal;
}

/** A screenshot of an app, as a host shows it. */
export interface Picture {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** URI of the app. */
  readonly app: string;
  /** The tool that was called; null if none was. */
  readonly tool: string | null;
  /** True if the tool failed; the app shows the failure, too. */
  readonly isError: boolean;
  readonly violations: readonly Violation[];
}

const defaultViewport = { width: 800, height: 600 } as const;

/** Longest time until an app shows a result, the call included. */
const showTimeoutMs = 120_000;

/**
 * Takes a screenshot of an app in the given size. Default height: the app's.
 * @throws AgentToolsError if there is no Chromium, or the app shows nothing.
 */
export async function takePicture({ place, signal, ...options }: PictureOptions): Promise<Picture> {
  const file = await findChromium(place);
  const violations: Violation[] = [];
  const outcome = createPending<Extract<AppReport, { kind: 'shown' }>>();
  const preview = await openPreview({
    ...options,
    signal,
    port: 0,
    onReport(report) {
      if (report.kind === 'violation') violations.push(report.violation);
      if (report.kind === 'shown') outcome.resolve(report);
      if (report.kind === 'failed') outcome.reject(new AgentToolsError('failed', report.message));
    },
  });
  // Every failure kills the browser, which also rejects the pending commands; the first reason counts.
  const ending = new AbortController();
  const giveUp = (error: Error) => {
    ending.abort(error);
    outcome.reject(error);
  };
  const late = setTimeout(() => {
    giveUp(new AgentToolsError('failed', `The app showed nothing within ${showTimeoutMs / 1000} s.`));
  }, showTimeoutMs);
  const stop = () =>
    giveUp(new AgentToolsError('failed', 'No screenshot was taken: a signal ended the program.'));
  signal.addEventListener('abort', stop);
  try {
    const { asked } = preview;
    const { width = defaultViewport.width, height, theme = 'light' } = asked;
    const window: Window = { width, height: height ?? defaultViewport.height, theme };
    const shown = await openWindow(`${preview.url}?picture`, {
      file,
      env: place.env,
      window,
      signal: ending.signal,
      onEnd: giveUp,
    });
    try {
      const { height: own, isError } = await outcome.promise;
      const size = { ...window, height: height ?? own };
      if (size.height !== window.height) await shown.resize(size);
      const png = await shown.picture();
      const tool = asked.call ? (asked.tool ?? null) : null;
      return { png, ...size, app: asked.app, tool, isError, violations };
    } finally {
      await shown.close();
    }
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    await preview.close();
  }
}

interface Pending<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** A promise with its resolvers. A rejection without a listener is not an unhandled one. */
function createPending<T>(): Pending<T> {
  let settle!: Omit<Pending<T>, 'promise'>;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {});
  return { promise, ...settle };
}
