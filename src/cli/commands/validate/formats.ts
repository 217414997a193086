import type { RenderValidation } from './renderer.js';

/** Formats of `validate`. Each is loaded on first use. */
export const validateFormats = {
  pretty: async () => (await import('./pretty-text.js')).renderPretty,
  json: async () => (await import('./json-text.js')).renderValidationJson,
  github: async () => (await import('./github-text.js')).renderGithub,
  sarif: async () => (await import('./sarif-text.js')).renderSarif,
  junit: async () => (await import('./junit-text.js')).renderJunit,
  markdown: async () => (await import('./markdown-text.js')).renderMarkdown,
} as const satisfies Record<string, () => Promise<RenderValidation>>;

export type ValidateFormat = keyof typeof validateFormats;
