import { visibleText } from '../../../engine/base/visible-text.js';
import type { Severity } from '../../../engine/extension/diagnostics.js';
import type { RenderValidation } from './renderer.js';

/**
 * Annotations of a GitHub Actions run, one line each.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions#setting-an-error-message
 */
export const renderGithub: RenderValidation = ({ extensions, configs }) =>
  [...extensions, ...configs]
    .flatMap(({ diagnostics }) => diagnostics)
    .map(({ severity, place, line, column, code, message }) => {
      const properties = { file: place, line, col: column, title: code };
      const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(`${value}`)}`);
      return visibleText(`::${commands[severity]} ${list.join(',')}::${escapeData(message)}\n`);
    })
    .join('');

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<
  Severity,
  string
>;

/** @see https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
