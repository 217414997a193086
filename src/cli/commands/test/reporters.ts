import type { RenderRuns } from './renderer.js';

/** Reporters of `test`. Each is loaded on first use. */
export const testReporters = {
  pretty: async () => (await import('./pretty-text.js')).renderPretty,
  json: async () => (await import('./json-text.js')).renderReportJson,
  junit: async () => (await import('./junit-text.js')).renderJunit,
  github: async () => (await import('./github-text.js')).renderGithub,
} as const satisfies Record<string, () => Promise<RenderRuns>>;

export type TestReporter = keyof typeof testReporters;
