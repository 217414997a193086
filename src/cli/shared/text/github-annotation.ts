import { visibleText } from '../../../engine/base/visible-text.js';

/** An annotation at a place of a file. */
export interface GithubAnnotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly title: string;
  readonly message: string;
}

/**
 * One line that makes a GitHub Actions run show an annotation.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions#setting-an-error-message
 */
export function githubAnnotation({ level, file, line, column, title, message }: GithubAnnotation): string {
  const properties = Object.entries({ file, line, col: column, title });
  const list = properties.map(([name, value]) => `${name}=${escapeProperty(`${value}`)}`);
  return visibleText(`::${level} ${list.join(',')}::${escapeData(message)}\n`);
}

/** @see https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
