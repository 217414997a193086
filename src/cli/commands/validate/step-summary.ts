import { appendFile } from 'node:fs/promises';
import { errorMessage } from '../../../engine/base/thrown-value.js';
import type { Host } from '../../../host.js';
import { writeNote } from '../../shared/write-note.js';
import { renderMarkdown } from './markdown-text.js';
import type { FormatOptions } from './renderer.js';
import type { Validation } from './validation.js';

/**
 * Appends a report to the summary of a step of GitHub Actions, if there is one.
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#adding-a-job-summary
 */
export async function writeStepSummary(
  validation: Validation,
  options: FormatOptions,
  host: Host,
): Promise<void> {
  const file = host.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  const text = await renderMarkdown(validation, options);
  await appendFile(file, text).catch((error: unknown) => {
    writeNote(host, `The step summary was not written: ${errorMessage(error)}`);
  });
}
