import type { RenderValidation } from './render/validation-renderer.js';

/** Formats of `validate`. Each is loaded on first use. */
export const validateFormats = {
  pretty: async () => (await import('./render/validation-pretty.js')).renderPretty,
  json: async () => (await import('./render/validation-json.js')).renderValidationJson,
  github: async () => (await import('./render/validation-github.js')).renderGithub,
  sarif: async () => (await import('./render/validation-sarif.js')).renderSarif,
} as const satisfies Record<string, () => Promise<RenderValidation>>;

export type ValidateFormat = keyof typeof validateFormats;
