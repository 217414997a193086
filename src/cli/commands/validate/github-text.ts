import type { Severity } from '../../../engine/extension/diagnostics.js';
import { githubAnnotation } from '../../shared/text/github-annotation.js';
import type { RenderValidation } from './renderer.js';

/** Annotations of a GitHub Actions run, one line each. */
export const renderGithub: RenderValidation = ({ extensions, configs }) =>
  [...extensions, ...configs]
    .flatMap(({ diagnostics }) => diagnostics)
    .map(({ severity, place: file, line, column, code: title, message }) =>
      githubAnnotation({ level: levels[severity], file, line, column, title, message }),
    )
    .join('');

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<
  Severity,
  string
>;
