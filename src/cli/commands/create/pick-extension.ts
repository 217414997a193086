import { isCancel, select } from '@clack/prompts';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { SourceLanguage } from '../../../engine/create/item-files.js';
import { type TemplateName, templates } from '../../../engine/create/templates.js';
import type { Host } from '../../../host.js';

/**
 * Asks for the template and the language of a new extension.
 * @throws AgentToolsError `interrupted` at Ctrl-C and Escape
 */
export async function pickExtension(
  usual: SourceLanguage,
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
): Promise<{ readonly template: TemplateName; readonly language: SourceLanguage }> {
  const end = new AbortController();
  // At Ctrl+D the input ends, and the prompt would never settle.
  stdin.once('end', () => end.abort());
  const streams = { input: stdin, output: stderr, signal: end.signal };
  const template = await select<TemplateName>({
    message: 'Kind of extension',
    options: Object.entries(templates).map(([value, { summary }]) => ({
      value: value as TemplateName,
      label: value,
      hint: summary,
    })),
    ...streams,
  });
  if (isCancel(template)) throw interrupted();
  const language = await select<SourceLanguage>({
    message: 'Language',
    options: [
      { value: 'javascript', label: 'JavaScript', hint: 'no build, no dependencies' },
      { value: 'typescript', label: 'TypeScript', hint: 'compiled by the extension itself' },
    ],
    initialValue: usual,
    ...streams,
  });
  if (isCancel(language)) throw interrupted();
  return { template, language };
}

function interrupted(): AgentToolsError {
  return new AgentToolsError('interrupted', 'Interrupted. Nothing was written.');
}
